import { join } from 'node:path';

export const ROOT = join(import.meta.dirname, '..', '..', '..');
/** Tools that only the end-to-end tests need, kept between runs and never part of the product. */
export const CACHE = join(ROOT, '.cache');
export const FIXTURES = join(ROOT, 'test', 'fixtures');
/** Node 24 of the repository, whatever runs the tests. */
export const NODE = join(ROOT, 'node_modules', '.bin', 'node');
/** The package that `npm run package` writes. */
export const VSIX = join(ROOT, `hone-${process.platform}-${process.arch}.vsix`);
