/** Runs inside the extension host: the installed extension activates, registers its commands and completes. */
const assert = require('node:assert/strict');
const vscode = require('vscode');

const COMPLETION_LIMIT_MS = 120_000;
const POLL_MS = 500;
const SOURCE = 'function add(left, right) {\n  return ';

exports.run = async () => {
  const hone = vscode.extensions.getExtension('hone.hone');
  assert.ok(hone, 'hone.hone is not installed');
  await hone.activate();
  await hasItsCommands(hone);
  await completes();
};

async function hasItsCommands(hone) {
  const registered = new Set(await vscode.commands.getCommands(true));
  for (const { command } of hone.packageJSON.contributes.commands) {
    assert.ok(registered.has(command), `${command} is not registered`);
  }
}

/** Asks for a suggestion and takes it until the document has grown. */
async function completes() {
  const document = await vscode.workspace.openTextDocument({
    language: 'javascript',
    content: `${SOURCE}\n}\n`,
  });
  const editor = await vscode.window.showTextDocument(document);
  const caret = document.positionAt(SOURCE.length);
  editor.selection = new vscode.Selection(caret, caret);
  const before = document.getText().length;
  const end = Date.now() + COMPLETION_LIMIT_MS;
  while (document.getText().length === before) {
    assert.ok(Date.now() < end, 'no completion was offered');
    await vscode.commands.executeCommand('editor.action.inlineSuggest.trigger');
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    await vscode.commands.executeCommand('editor.action.inlineSuggest.commit');
  }
}
