import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import type { TextDocument } from 'vscode';
import type { PackedContext } from '../../../extension/common/context/pack.ts';
import { readSettings, type Settings } from '../../../extension/common/contributions.ts';
import type { ContextThread } from '../../../extension/node/contextThread.ts';
import type { PlaceQuery } from '../../../extension/workspace/workspaceIndex.ts';
import { StandInDocument } from '../../fixtures/vscode/document.ts';
import { ScriptedCompanion } from '../../fixtures/scriptedCompanion.ts';
import { StandInEditor } from '../../fixtures/vscode/editor.ts';

const { PlaceContext } = await import('../../../extension/vscode/placeContext.ts');
const { Policy } = await import('../../../extension/vscode/policy.ts');
const { surroundingsOf } = await import('../../../extension/vscode/surroundings.ts');

const LINES = `import { a } from './a.js';\n${Array.from({ length: 60 }, (_, line) => `line${line}();`).join('\n')}\n`;
/** Longer than a request waits. */
const LATE_MS = 200;

/** Answers with the number of the question, at once or late. */
class CountingThread {
  readonly asked: PlaceQuery[] = [];
  delayMs = 0;

  async ask(place: PlaceQuery): Promise<PackedContext> {
    const path = `${this.asked.push(place)}.ts`;
    if (this.delayMs > 0) await sleep(this.delayMs);
    return { files: [{ path, text: 'x\n' }], parts: [] };
  }
}

describe('the context of a request', () => {
  let thread: CountingThread;
  let context: InstanceType<typeof PlaceContext>;
  let document: TextDocument;

  const open = (changed: Partial<Settings> = {}) => {
    const settings = { ...readSettings(() => undefined).settings, ...changed };
    thread = new CountingThread();
    document = new StandInDocument(LINES) as unknown as TextDocument;
    context = new PlaceContext({
      settings: () => settings,
      policy: new Policy(
        () => settings,
        () => false,
      ),
      thread: thread as unknown as ContextThread,
      recent: () => ['lately.ts'],
    });
  };
  const request = async (line: number, debounceMs = 1) => {
    const around = surroundingsOf(document, document.lineAt(line).range.end);
    context.begin(document, around);
    await sleep(debounceMs);
    return (await context.filesAt(document, around)).map(({ path }) => path);
  };
  afterEach(() => context.dispose());

  it('is asked for once while typing goes on in a place, and the same every time', async () => {
    open();
    assert.deepEqual(await request(30), ['1.ts']);
    for (const line of [30, 31, 35, 25]) assert.deepEqual(await request(line), ['1.ts']);
    assert.equal(thread.asked.length, 1);
    assert.deepEqual(await request(50), ['2.ts']);
  });

  it('knows what stands above the window and which files were viewed', async () => {
    open();
    await request(3);
    const [{ ask, plan }] = thread.asked as [PlaceQuery];
    assert.equal(ask.above + ask.prefix, LINES.slice(0, LINES.indexOf('line2();') + 'line2();'.length));
    assert.ok(ask.suffix.startsWith('\nline3();\n'));
    assert.deepEqual(ask.recent, ['lately.ts']);
    assert.deepEqual(plan.sources, ['ownImports', 'definition']);
  });

  it('is not waited for: what comes late serves the next request', async () => {
    open();
    thread.delayMs = LATE_MS;
    const began = performance.now();
    assert.deepEqual(await request(30), []);
    assert.ok(performance.now() - began < LATE_MS);
    await sleep(LATE_MS);
    assert.deepEqual(await request(30), ['1.ts']);
    assert.equal(thread.asked.length, 1);
  });

  it('is looked for during the debounce time', async () => {
    open();
    thread.delayMs = LATE_MS;
    assert.deepEqual(await request(30, 2 * LATE_MS), ['1.ts']);
  });

  it('is not what was asked for before a setting changed', async () => {
    open();
    thread.delayMs = LATE_MS;
    await request(30);
    context.forget();
    await sleep(LATE_MS);
    thread.delayMs = 0;
    assert.deepEqual(await request(30), ['2.ts']);
  });

  it('is none, and not asked for, when it is off', async () => {
    open({ context: 'off' });
    assert.deepEqual(await request(30), []);
    assert.equal(thread.asked.length, 0);
  });

  it('is sent with a request, and with what is prepared ahead', async () => {
    open();
    const companion = new ScriptedCompanion(({ prompt }) => (prompt.endsWith('= ') ? 'first' : ''));
    const files = [{ path: 'a.ts', text: 'export const a = 1;\n' }];
    const editor = new StandInEditor({
      text: 'const total = ;\n',
      client: companion,
      files,
      settings: { lookAhead: true },
    });
    editor.moveTo('const total = '.length);
    await editor.ask();
    await sleep(260);
    editor.dispose();
    assert.deepEqual(
      companion.asked.map(({ body }) => body.files),
      [files, files],
    );
  });
});
