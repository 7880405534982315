import tseslint from 'typescript-eslint';
import importX from 'eslint-plugin-import-x';

/** Which folder may import what: a file's folder tells what it may touch. */
const zones = [
  { target: './extension/common', from: './extension/node', message: 'common is pure: no I/O.' },
  { target: './extension/common', from: './extension/vscode', message: 'common is pure: no editor.' },
  {
    target: './extension',
    from: './trainer',
    message: 'The extension talks to the companion over HTTP only.',
  },
  { target: './extension/common', from: './extension/workspace', message: 'common is pure: no I/O.' },
  { target: './extension/node', from: './extension/vscode', message: 'node code does not know the editor.' },
  {
    target: './extension/workspace',
    from: './extension',
    except: ['./common', './workspace'],
    message: 'workspace reads files, for the editor and for the command line alike.',
  },
  {
    target: './trainer',
    from: './extension/node',
    message: 'The trainer shares extension/common and workspace only.',
  },
  {
    target: './trainer',
    from: './extension/vscode',
    message: 'The trainer shares extension/common and workspace only.',
  },
  { target: './webview-ui', from: './trainer', message: 'The dashboard imports message types only.' },
  { target: './webview-ui', from: './extension/node', message: 'The dashboard imports message types only.' },
  {
    target: './webview-ui',
    from: './extension/vscode',
    message: 'The dashboard imports message types only.',
  },
  { target: './trainer/ggml', from: './trainer', except: ['./ggml'], message: 'ggml is the lowest layer.' },
  {
    target: './trainer/model',
    from: './trainer',
    except: ['./ggml', './model'],
    message: 'model builds on ggml only.',
  },
  {
    target: './trainer/learning',
    from: './trainer',
    except: ['./ggml', './model', './learning'],
    message: 'The learner knows neither the services nor the store.',
  },
];

/** Packages that only one folder may import. */
const owned = [
  { package: 'koffi', owner: 'trainer/ggml' },
  { package: 'vscode', owner: 'extension/vscode' },
  { package: 'node-llama-cpp', owner: 'trainer/inference' },
];

const restrict = (except, patterns = []) => [
  'error',
  {
    patterns,
    paths: owned
      .filter((rule) => rule.owner !== except)
      .map((rule) => ({
        name: rule.package,
        message: `Only ${rule.owner} imports ${rule.package}.`,
        allowTypeImports: rule.package === 'vscode',
      })),
  },
];

export default tseslint.config(
  { ignores: ['node_modules', 'dist', '.cache', 'trainer/replay/fixture', 'test/fixtures/workspaces'] },
  {
    files: ['**/*.ts'],
    extends: [...tseslint.configs.recommendedTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    plugins: { 'import-x': importX },
    settings: {
      'import-x/resolver': { node: { extensions: ['.ts', '.js'] } },
      'import-x/parsers': { '@typescript-eslint/parser': ['.ts'] },
    },
    rules: {
      'import-x/no-restricted-paths': ['error', { zones }],
      '@typescript-eslint/no-restricted-imports': restrict(undefined),
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      '@typescript-eslint/consistent-type-imports': ['error', { disallowTypeAnnotations: false }],
      '@typescript-eslint/require-await': 'off',
      '@typescript-eslint/restrict-template-expressions': [
        'error',
        { allowNumber: true, allowBoolean: true },
      ],
      eqeqeq: 'error',
      'no-console': 'off',
    },
  },
  ...owned.map((rule) => ({
    files: [`${rule.owner}/**/*.ts`],
    rules: { '@typescript-eslint/no-restricted-imports': restrict(rule.owner) },
  })),
  {
    // The reference that the trainer's numbers are held against, and vocabularies of models that Hone doesn't serve.
    files: ['test/native/llamaReference.ts', 'test/native/realVocabularies.ts'],
    rules: { '@typescript-eslint/no-restricted-imports': restrict('trainer/inference') },
  },
  // The composition root connects the editor with the rest.
  {
    files: ['extension/extension.ts'],
    rules: { '@typescript-eslint/no-restricted-imports': restrict('extension/vscode') },
  },
  {
    files: ['extension/common/**/*.ts'],
    rules: {
      'no-restricted-globals': ['error', 'process', 'fetch', 'setTimeout', 'setInterval', 'require'],
      '@typescript-eslint/no-restricted-imports': restrict(undefined, [
        { group: ['node:*'], message: 'common is pure: no I/O.' },
      ]),
    },
  },
  { files: ['**/*.js', '**/*.mjs'], extends: [tseslint.configs.disableTypeChecked] },
);
