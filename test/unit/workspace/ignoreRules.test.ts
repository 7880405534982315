import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import * as fc from 'fast-check';
import { IgnoreRules } from '../../../extension/workspace/ignoreRules.ts';

/** Every test asks git itself, without the configuration of whoever runs it. */
describe('what git ignores', () => {
  let base: string;
  let root: string;
  beforeEach(() => {
    base = mkdtempSync(join(tmpdir(), 'hone-ignore-'));
    root = join(base, 'repo');
    mkdirSync(root);
    git('init', '-q');
  });
  afterEach(() => rmSync(base, { recursive: true, force: true }));

  const userFile = () => join(base, 'config', 'git', 'ignore');
  const git = (...args: string[]) =>
    execFileSync('git', args, {
      cwd: root,
      encoding: 'utf8',
      env: { ...process.env, XDG_CONFIG_HOME: join(base, 'config'), HOME: base, GIT_CONFIG_NOSYSTEM: '1' },
    });
  const write = (files: Record<string, string>) => {
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), text);
    }
  };
  /** What git would add, below a folder, relative to it. */
  const keptByGit = (folder = '.') =>
    execFileSync('git', ['ls-files', '-z', '--others', '--exclude-standard'], {
      cwd: join(root, folder),
      encoding: 'utf8',
      env: { ...process.env, XDG_CONFIG_HOME: join(base, 'config'), HOME: base, GIT_CONFIG_NOSYSTEM: '1' },
    })
      .split('\0')
      .filter((path) => path !== '')
      .sort();
  const keptByRules = (paths: string[], folder = '.') => {
    const rules = new IgnoreRules(join(root, folder), userFile());
    return paths
      .filter((path) => {
        const parts = path.split('/');
        const folders = parts.slice(0, -1).map((_, depth) => parts.slice(0, depth + 1).join('/'));
        return !folders.some((above) => rules.ignores(above, 'folder')) && !rules.ignores(path, 'file');
      })
      .sort();
  };

  const CASES: Record<string, Record<string, string>> = {
    'patterns of the root': {
      '.gitignore': '*.log\n/only-here.txt\nbuild/\n# a comment\n\n\\#hash\ntrailing   \n',
      'a.log': '',
      'b/c.log': '',
      'only-here.txt': '',
      'b/only-here.txt': '',
      'build/x.ts': '',
      'b/build/x.ts': '',
      '#hash': '',
      trailing: '',
      'b/build.ts': '',
    },
    'a deeper file that overrides': {
      '.gitignore': '*.gen.ts\nbuild\n',
      'a.gen.ts': '',
      'sub/.gitignore': '!keep.gen.ts\n!build\n/own.ts\nnested/*.txt\n',
      'sub/keep.gen.ts': '',
      'sub/other.gen.ts': '',
      'sub/build/x.ts': '',
      'sub/deep/build/x.ts': '',
      'sub/own.ts': '',
      'sub/deep/own.ts': '',
      'sub/nested/a.txt': '',
      'sub/deep/nested/a.txt': '',
      'build/x.ts': '',
    },
    'nothing comes back below an ignored folder': {
      '.gitignore': 'out/\n!out/keep.ts\nlib/*\n!lib/keep.ts\n',
      'out/keep.ts': '',
      'out/.gitignore': '!keep.ts\n',
      'lib/keep.ts': '',
      'lib/gone.ts': '',
    },
    'globs, and names that look like globs': {
      '.gitignore': 'a?c\n[xy].ts\n**/deep/**/end.ts\nfoo/**\n',
      abc: '',
      'x.ts': '',
      'z.ts': '',
      'p/deep/q/r/end.ts': '',
      'p/deep/end.ts': '',
      'foo/bar/baz.ts': '',
      '[odd] (1)/.gitignore': 'gone.ts\n/rooted.ts\n',
      '[odd] (1)/gone.ts': '',
      '[odd] (1)/rooted.ts': '',
      '[odd] (1)/more/rooted.ts': '',
      'o/gone.ts': '',
    },
    'line ends of Windows and a byte-order mark': {
      '.gitignore': '\uFEFFfirst.ts\r\nsecond.ts\r\n',
      'sub/.gitignore': '\uFEFFthird.ts\r\n',
      'first.ts': '',
      'second.ts': '',
      'sub/third.ts': '',
      'sub/fourth.ts': '',
    },
  };
  for (const [name, files] of Object.entries(CASES)) {
    it(name, () => {
      write(files);
      assert.deepEqual(keptByRules(Object.keys(files)), keptByGit());
    });
  }

  it('.git/info/exclude and the user’s own file', () => {
    const files = {
      'local.ts': '',
      'private/a.ts': '',
      'kept.ts': '',
      '.gitignore': '!again.ts\n',
      'again.ts': '',
    };
    write(files);
    writeFileSync(join(root, '.git', 'info', 'exclude'), 'local.ts\nagain.ts\n');
    mkdirSync(dirname(userFile()), { recursive: true });
    writeFileSync(userFile(), 'private/\n');
    assert.deepEqual(keptByGit(), ['.gitignore', 'again.ts', 'kept.ts']);
    assert.deepEqual(keptByRules(Object.keys(files)), keptByGit());
  });

  it('in a folder below the root of the repository', () => {
    write({ '.gitignore': '*.log\npackages/app/dist\n' });
    const files = { 'a.log': '', 'dist/x.ts': '', 'src/x.ts': '' };
    write(Object.fromEntries(Object.keys(files).map((path) => [`packages/app/${path}`, ''])));
    assert.deepEqual(keptByGit('packages/app'), ['src/x.ts']);
    assert.deepEqual(keptByRules(Object.keys(files), 'packages/app'), ['src/x.ts']);
  });

  it('in a linked work tree, whose .git is a file', () => {
    write({ 'kept.ts': '' });
    writeFileSync(join(root, '.git', 'info', 'exclude'), 'local.ts\n');
    git('add', '.');
    git('-c', 'user.name=n', '-c', 'user.email=e@x', 'commit', '-qm', 'first');
    git('worktree', 'add', '-q', join(base, 'tree'));
    root = join(base, 'tree');
    write({ 'local.ts': '', 'other.ts': '' });
    assert.deepEqual(keptByGit(), ['other.ts']);
    assert.deepEqual(keptByRules(['local.ts', 'other.ts']), ['other.ts']);
  });

  it('any rules, over two levels of files', function () {
    this.timeout(60_000);
    const paths = ['a.ts', 'b.ts', 'd/a.ts', 'd/b.ts', 'd/e/a.ts', 'd/e/b.ts', 'e/a.ts', 'e/d/b.ts'];
    const pattern = fc
      .tuple(
        fc.constantFrom('', '', '!'),
        fc.constantFrom('', '', '/', '**/'),
        fc.constantFrom('a.ts', 'b.ts', '*.ts', 'd', 'e', 'd/e', 'e/d', 'd/*', '*', 'e/**', '[ab].ts'),
        fc.constantFrom('', '', '/'),
      )
      .map((parts) => parts.join(''));
    const file = fc.array(pattern, { maxLength: 4 }).map((lines) => lines.join('\n'));
    fc.assert(
      fc.property(file, file, file, (top, middle, deep) => {
        write({ '.gitignore': top, 'd/.gitignore': middle, 'd/e/.gitignore': deep });
        write(Object.fromEntries(paths.map((path) => [path, ''])));
        const kept = keptByGit().filter((path) => !path.endsWith('.gitignore'));
        assert.deepEqual(keptByRules(paths), kept);
      }),
      { numRuns: 150 },
    );
  });
});
