/** Languages of files that hold code, by the end of their names; as the editor spells them. */
const LANGUAGES = new Map(
  Object.entries({
    ts: 'typescript',
    tsx: 'typescriptreact',
    mts: 'typescript',
    js: 'javascript',
    jsx: 'javascriptreact',
    mjs: 'javascript',
    cjs: 'javascript',
    py: 'python',
    go: 'go',
    rs: 'rust',
    java: 'java',
    c: 'c',
    h: 'c',
    cpp: 'cpp',
    cc: 'cpp',
    hh: 'cpp',
    cs: 'csharp',
    rb: 'ruby',
    php: 'php',
  }),
);

/** Undefined: none that holds code. */
export function codeLanguageOf(path: string): string | undefined {
  const name = path.slice(path.lastIndexOf('/') + 1);
  return name.includes('.') ? LANGUAGES.get(name.slice(name.lastIndexOf('.') + 1)) : undefined;
}
