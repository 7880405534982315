/** Runs inside the extension host: the installed extension activates, registers its commands and completes. */
const assert = require('node:assert/strict');
const vscode = require('vscode');

const LIMIT_MS = 60_000;
const POLL_MS = 500;
/** Of a function that a file of the workspace has, see whoever starts the suite. */
const CALL = 'const sum = invoiceTotal(';
const SOURCE = 'function add(left, right) {\n  return';

exports.run = async () => {
  const hone = vscode.extensions.getExtension('hone.hone');
  assert.ok(hone, 'hone.hone is not installed');
  const api = await hone.activate();
  await hasItsCommands(hone);
  await until(() => api.companion() !== null, 'the companion did not start');
  await completes();
  await explains();
};

async function hasItsCommands(hone) {
  const registered = new Set(await vscode.commands.getCommands(true));
  for (const { command } of hone.packageJSON.contributes.commands) {
    assert.ok(registered.has(command), `${command} is not registered`);
  }
}

/** Types, and takes the suggestion that comes. */
async function completes() {
  const document = await vscode.workspace.openTextDocument({
    language: 'javascript',
    content: `${SOURCE}\n}\n`,
  });
  const editor = await vscode.window.showTextDocument(document);
  const caret = document.positionAt(SOURCE.length);
  editor.selection = new vscode.Selection(caret, caret);
  await vscode.commands.executeCommand('workbench.action.focusActiveEditorGroup');
  await vscode.commands.executeCommand('type', { text: ' ' });
  const typed = document.getText().length;
  await until(async () => {
    await vscode.commands.executeCommand('editor.action.inlineSuggest.commit');
    return document.getText().length > typed;
  }, 'no completion was offered');
}

/** Says what the model was shown, code of the workspace's files included. */
async function explains() {
  const settings = vscode.workspace.getConfiguration('hone');
  await settings.update('completions.contextSources', ['similar'], vscode.ConfigurationTarget.Global);
  const document = await vscode.workspace.openTextDocument({ language: 'javascript', content: CALL });
  const editor = await vscode.window.showTextDocument(document);
  editor.selection = new vscode.Selection(0, CALL.length, 0, CALL.length);
  await until(async () => {
    await vscode.window.showTextDocument(document);
    await vscode.commands.executeCommand('hone.explainPrompt');
    const shown = vscode.window.activeTextEditor.document;
    assert.equal(shown.uri.scheme, 'hone-prompt');
    return /^Prompt at [^]* similar +totals\.js:1-3 /.test(shown.getText());
  }, 'the workspace was not indexed');
}

async function until(reached, failure) {
  const end = Date.now() + LIMIT_MS;
  while (!(await reached())) {
    assert.ok(Date.now() < end, failure);
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}
