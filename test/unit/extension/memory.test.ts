import assert from 'node:assert/strict';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { v7 as newId } from 'uuid';
import { CACHE_CONTEXT_UNITS, TypeThroughCache } from '../../../extension/common/cache/typeThroughCache.ts';
import type { EditorEvent } from '../../../extension/common/outcome/index.ts';
import { SuggestionFollower } from '../../../extension/common/suggestion/follower.ts';
import { TypingPause } from '../../../extension/common/timing/typingPause.ts';
import { ScriptedCompanion } from '../../fixtures/scriptedCompanion.ts';
import { StandInEditor } from '../../fixtures/vscode/editor.ts';
import { listenerCount } from '../../fixtures/vscode/standIn.ts';

const KEYS = 100_000;
/** By then everything that has a bound has reached it: ids of settled suggestions, the cache, survival. */
const WARM_KEYS = 50_000;
const KEY_MS = 120;
/**
 * Growth between the two. The heap of a process that runs all tests moves by up to 400 kB by itself; an object kept a
 * key would be 2 MB, one kept a suggestion as much.
 */
const GROWTH_MAX_BYTES = 1_000_000;
const LINE = 'const total = items.reduce((sum, item) => sum + item.price, 0);\n';
/** The developer goes on in another document at this length. */
const DOCUMENT_UNITS_MAX = 4000;
/** Suggestions that go on as the developer does, and those of them that are taken. */
const RIGHT_EVERY = 8;
const TAKEN_EVERY = 5;

/** An editor around the extension's own follower and cache, with a clock that only typing moves. */
class Typist {
  readonly #cache = new TypeThroughCache();
  readonly #follower = new SuggestionFollower(newId, this.#cache);
  readonly #pause = new TypingPause();
  #at = 1_700_000_000_000;
  #document = 'file:///0.ts';
  #text = '';
  #suggestions = 0;
  #documents = 0;
  /** Kinds of what was told, counted. */
  readonly told = new Map<string, number>();

  constructor() {
    this.#follower.restart(true);
  }

  type(keys: number): void {
    for (let key = 0; key < keys; key++) {
      if (this.#text.length > DOCUMENT_UNITS_MAX) this.#goOnElsewhere();
      const column = key % LINE.length;
      this.#insert(LINE[column]!, 'typing');
      this.#wait();
      this.#ask(LINE.slice(column + 1, -1), key);
    }
  }

  #ask(rest: string, key: number): void {
    const hit = this.#cache.find(this.#document, this.#text.slice(-2 * CACHE_CONTEXT_UNITS), '');
    if (hit) {
      this.#offer(hit.suggestion.id, hit.suggestion.text.slice(hit.typed));
      return;
    }
    const id = newId();
    const text = this.#suggestions++ % RIGHT_EVERY === 0 ? rest : 'value.of();';
    if (text === '') {
      const completion = { ...this.#facts(id), rawText: '', by: null };
      this.#tell({ type: 'withheld', completion, ...this.#now() });
      return;
    }
    const servedBy = { model: 'm', template: 't', adapterVersion: 0, adapterScale: 1 };
    this.#cache.put({ id, document: this.#document, before: this.#text, after: '', text, servedBy });
    this.#offer(id, text);
    if (key % TAKEN_EVERY !== 0) return;
    this.#insert(text, 'typing');
    this.#tell({ type: 'accept', id, at: this.#at });
    this.#insert('\n', 'typing');
  }

  #offer(id: string, insertText: string): void {
    const start = this.#text.length;
    const completion = { ...this.#facts(id), start, replaced: 0, insertText };
    this.#tell({ type: 'offered', completion, ...this.#now() });
  }

  #insert(inserted: string, origin: 'typing'): void {
    const edits = [{ offset: this.#text.length, deleted: 0, inserted }];
    this.#text += inserted;
    this.#tell({ type: 'change', edits, origin, ...this.#now() });
    this.#tell({ type: 'selection', caret: this.#text.length, ...this.#now() });
  }

  #goOnElsewhere(): void {
    this.#tell({ type: 'closed', document: this.#document, at: this.#at });
    this.#document = `file:///${++this.#documents}.ts`;
    this.#text = '';
    this.#tell({ type: 'focus', document: this.#document, at: this.#at });
  }

  #wait(): void {
    this.#at += KEY_MS;
    this.#pause.key(this.#at);
    const due = this.#follower.tracker.nextDueAt();
    if (due !== undefined && due <= this.#at) this.#tell({ type: 'tick', at: this.#at });
  }

  #tell(event: EditorEvent): void {
    for (const { kind } of this.#follower.handle(event)) this.told.set(kind, (this.told.get(kind) ?? 0) + 1);
  }

  #now() {
    return { document: this.#document, text: this.#text, at: this.#at };
  }

  #facts(id: string) {
    return {
      id,
      document: this.#document,
      caret: this.#text.length,
      suggestWidget: false,
      filters: [],
      language: 'typescript',
      relativePath: 'a.ts',
      workspaceKey: 'default',
      documentVersion: 1,
      session: 's',
    };
  }
}

describe('memory of the extension host', function () {
  this.timeout(240_000);

  it(`is as large after ${KEYS} keystrokes as after ${WARM_KEYS}`, () => {
    const typist = new Typist();
    typist.type(WARM_KEYS);
    const before = heapBytes();
    typist.type(KEYS - WARM_KEYS);
    const growth = heapBytes() - before;
    assert.ok(growth < GROWTH_MAX_BYTES, `${growth} bytes more`);
    for (const kind of ['outcome', 'correction', 'retention']) assert.ok(typist.told.get(kind)! > 1000, kind);
  });

  it('keeps no listener of what was closed, and none more for each time that tracking is switched', async () => {
    const open = () => {
      const { complete, shown } = new ScriptedCompanion(() => 'first');
      return new StandInEditor({ text: 'let a = ;\n', client: { complete, shown } });
    };
    const before = listenerCount();
    const editor = open();
    const opened = listenerCount();
    for (let turn = 0; turn < 50; turn++) {
      editor.capture.restart(turn % 2 === 0);
      editor.moveTo('let a = '.length);
      await editor.ask();
    }
    assert.equal(listenerCount(), opened);
    editor.dispose();
    assert.equal(listenerCount(), before);
  });
});

function heapBytes(): number {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  collect();
  collect();
  return process.memoryUsage().heapUsed;
}
