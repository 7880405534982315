import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  ACCEPTED_COMMAND,
  CATEGORY,
  COMMANDS,
  CONTEXT_KEYS,
  readSettings,
  SETTINGS,
  SETTINGS_SECTION,
} from '../../../extension/common/contributions.ts';
import { MAX_COMPLETION_TOKENS } from '../../../extension/common/prompt/request.ts';

interface Property {
  type: string | string[];
  default: unknown;
  minimum?: number;
  maximum?: number;
  enum?: unknown[];
  scope: string;
  order: number;
  markdownDescription: string;
}

interface Manifest {
  extensionKind: string[];
  contributes: {
    commands: { command: string; title: string; category: string }[];
    menus: { commandPalette: { command: string; when: string }[] };
    walkthroughs: {
      title: string;
      steps: {
        id: string;
        description: string;
        media: { svg: string; altText: string };
        completionEvents: string[];
      }[];
    }[];
    keybindings: { command: string; key: string; when: string }[];
    configuration: { id: string; order: number; properties: Record<string, Property> }[];
  };
  capabilities: { untrustedWorkspaces: { supported: string; restrictedConfigurations: string[] } };
}

/** Ids of the status-bar item and the panel, a key of the model file, a file. */
const NO_CONTRIBUTIONS = new Set(['hone.status', 'hone.dashboard', 'hone.fim.order', 'hone.js']);
const ROOT = join(import.meta.dirname, '..', '..', '..');
const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');
const SOURCES = readdirSync(join(ROOT, 'extension'), { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts'))
  .map((file) => join('extension', file));
/** `%key%` in the manifest stands for the text of this key. */
const TEXT_KEY = /%([^%"]+)%/g;
const raw = read('package.json');
const texts = JSON.parse(read('package.nls.json')) as Record<string, string>;
const manifest = JSON.parse(
  raw.replace(TEXT_KEY, (whole, key: string) => JSON.stringify(texts[key] ?? whole).slice(1, -1)),
) as Manifest;
const { contributes } = manifest;
const properties = Object.assign(
  {},
  ...contributes.configuration.map((section) => section.properties),
) as Record<string, Property>;
const contracts = Object.values(SETTINGS);

describe('package.json and the code', () => {
  it('name the same commands', () => {
    const declared = contributes.commands.map(({ command, title, category }) => ({
      id: command,
      title,
      category,
    }));
    const known = Object.values(COMMANDS).map((command) => ({ ...command, category: CATEGORY }));
    assert.deepEqual(declared, known);
    assert.ok(!declared.some(({ id }) => id === (ACCEPTED_COMMAND as string)));
  });

  it('bind and list only known commands, under known context keys', () => {
    const ids = new Set<string>(Object.values(COMMANDS).map(({ id }) => id));
    const keys = new Set<string>(Object.values(CONTEXT_KEYS));
    for (const { command, when } of [...contributes.keybindings, ...contributes.menus.commandPalette]) {
      assert.ok(ids.has(command), command);
      for (const [key] of when.matchAll(/hone\.\w+/g)) assert.ok(keys.has(key), key);
    }
  });

  it('bind Escape and Ctrl+Right only while a suggestion of ours is on display', () => {
    for (const { when } of contributes.keybindings) {
      assert.match(when, /\binlineSuggestionVisible\b/);
      assert.ok(when.includes(CONTEXT_KEYS.offering));
    }
  });

  it('lead through the first steps with known commands, keys and settings, and pictures of both themes', () => {
    const ids = new Set<string>(Object.values(COMMANDS).map(({ id }) => id));
    const keys = new Set<string>(Object.values(CONTEXT_KEYS));
    const isKnown: Record<string, (name: string) => boolean> = {
      onCommand: (name) => ids.has(name),
      onContext: (name) => keys.has(name),
      onSettingChanged: (name) => name in properties,
    };
    const steps = contributes.walkthroughs.flatMap((walkthrough) => walkthrough.steps);
    assert.deepEqual(
      steps.map(({ id }) => id),
      ['suggestion', 'keys', 'tracking', 'learning', 'settings'],
    );
    for (const { id, description, media, completionEvents } of steps) {
      for (const [, name] of description.matchAll(/\(command:(hone\.\w+)\)/g))
        assert.ok(ids.has(name!), name);
      assert.doesNotMatch(description, /https?:/, 'works without a network');
      assert.ok(completionEvents.length > 0, id);
      for (const event of completionEvents) {
        const [kind, name] = event.split(':') as [string, string];
        assert.ok(isKnown[kind]?.(name), event);
      }
      const picture = read(media.svg);
      assert.doesNotMatch(picture, /#[0-9a-f]{3,8}\b|rgb\(|href|<script/i, 'colours are of the theme');
      assert.match(picture, /var\(--vscode-editor-background\)/);
      assert.match(media.altText, /\.$/);
    }
  });

  it('name the same settings with the same defaults', () => {
    const declared = Object.entries(properties).map(([key, { default: fallback }]) => [key, fallback]);
    const known = contracts.map(({ key, fallback }) => [`${SETTINGS_SECTION}.${key}`, fallback]);
    assert.deepEqual(Object.fromEntries(declared), Object.fromEntries(known));
  });

  it('allow the same values', () => {
    for (const { key, allows } of contracts) {
      const property = properties[`${SETTINGS_SECTION}.${key}`]!;
      assert.equal(allows(property.default), true, key);
      assert.equal(allows(property.type === 'object' ? { header: 7 } : {}), false, key);
      if (property.minimum !== undefined && property.maximum !== undefined) {
        const step = property.type === 'integer' ? 1 : 0.01;
        assert.deepEqual(
          [property.minimum - step, property.minimum, property.maximum, property.maximum + step].map(allows),
          [false, true, true, false],
          key,
        );
      }
      for (const value of property.enum ?? []) assert.equal(allows(value), true, key);
      if (property.enum) assert.equal(allows('other'), false, key);
    }
  });

  it('keep what starts programs and what is recorded out of reach of a workspace that is not trusted', () => {
    const { supported, restrictedConfigurations } = manifest.capabilities.untrustedWorkspaces;
    assert.equal(supported, 'limited');
    const machine = Object.entries(properties).filter(([, { scope }]) => scope === 'machine');
    for (const [key] of machine) assert.ok(restrictedConfigurations.includes(key), key);
    for (const contract of contracts.filter(({ restarts }) => restarts)) {
      assert.equal(properties[`${SETTINGS_SECTION}.${contract.key}`]!.scope, 'machine', contract.key);
    }
    assert.ok(restrictedConfigurations.includes('hone.completions.excludedFiles'));
  });

  it('say every text that is shown through package.nls.json, and nothing there is left over', () => {
    const used = [...raw.matchAll(TEXT_KEY)].map(([, key]) => key!);
    assert.deepEqual([...new Set(used)].sort(), Object.keys(texts).sort());
    const { contributes: shown } = JSON.parse(raw) as { contributes: unknown };
    assert.deepEqual(plainTexts(shown), []);
  });

  it('name the text of a command or a setting by its name', () => {
    const { contributes: own } = JSON.parse(raw) as Manifest;
    for (const { command, title } of own.commands)
      assert.equal(title, `%${command.replace('hone', 'command')}%`);
    for (const section of own.configuration) {
      for (const [key, property] of Object.entries(section.properties))
        assert.equal(property.markdownDescription, `%${key.replace('hone', 'setting')}%`);
    }
  });

  it('list settings by section, in their order', () => {
    assert.deepEqual(
      contributes.configuration.map(({ order }) => order),
      contributes.configuration.map((_, index) => index + 1),
    );
    for (const section of contributes.configuration) {
      const entries = Object.entries(section.properties);
      for (const [key] of entries) assert.ok(key.startsWith(`${section.id}.`), key);
      assert.deepEqual(
        entries.map(([, { order }]) => order).sort((a, b) => a - b),
        entries.map((_, index) => index + 1),
        section.id,
      );
    }
  });

  it('describe every setting', () => {
    for (const [key, { markdownDescription }] of Object.entries(properties)) {
      assert.match(markdownDescription, /^[A-Z].*\.$/s, key);
    }
  });

  it('run where the workspace is, so that this machine is the same one for both', () => {
    assert.deepEqual(manifest.extensionKind, ['workspace']);
  });

  it('registers inline completions and nothing that IntelliSense waits for', () => {
    const registered = SOURCES.flatMap((file) =>
      [...read(file).matchAll(/\blanguages\.(register\w+)/g)].map(([, name]) => name),
    );
    assert.deepEqual([...new Set(registered)], ['registerInlineCompletionItemProvider']);
  });

  it('use no name of a command, a setting or a context key beside the contract', () => {
    for (const file of SOURCES.filter((path) => !path.endsWith('contributions.ts'))) {
      const names = [...read(file).matchAll(/['"`](hone\.[\w.]+)['"`]/g)].map(([, name]) => name);
      const stray = names.filter((name) => !NO_CONTRIBUTIONS.has(name!));
      assert.deepEqual(stray, [], file);
    }
  });
});

describe('settings', () => {
  it('ask for as many tokens as the simulated developer does', () => {
    assert.equal(SETTINGS.maxTokens.fallback, MAX_COMPLETION_TOKENS);
  });

  it('fall back where a value is missing or not allowed, and say so', () => {
    const values: Record<string, unknown> = { 'companion.gpu': 'tpu', 'completions.debounceMs': 200 };
    const { settings, refused } = readSettings((key) => values[key]);
    assert.equal(settings.gpu, 'auto');
    assert.equal(settings.debounceMs, 200);
    assert.equal(settings.maxTokens, 48);
    assert.deepEqual(refused, ['hone.companion.gpu']);
  });
});

/** Texts for people that the manifest holds itself, by the names of the fields that hold such. */
function plainTexts(value: unknown, field = ''): string[] {
  if (typeof value === 'string') {
    return /title|description/i.test(field) && !/^%[^%]+%$/.test(value) ? [value] : [];
  }
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, part]) => plainTexts(part, Array.isArray(value) ? field : key));
}
