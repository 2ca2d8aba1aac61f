import { readFileSync, statSync } from 'node:fs';

/** `import … from 'hob'`, `import 'hob'` and `import('hob')`, but not `require('hob')`. */
const importOfHob = /\b(?:from|import)\s*\(?\s*(['"])hob\1/;

/** Larger files are bundles that include their modules. */
const largestBytes = 1024 * 1024;

/** Results by entry and file state, because this is needed before every run. */
const known = new Map<string, { stamp: string; imports: boolean }>();
/** Above this size, the cache is cleared. */
const mostKnown = 10_000;

/** Whether a JavaScript or TypeScript file imports the module `hob`. */
export function importsSdk(path: string): boolean {
  try {
    const { mtimeMs, size } = statSync(path);
    const stamp = `${mtimeMs} ${size}`;
    const before = known.get(path);
    if (before?.stamp === stamp) return before.imports;
    const imports = size <= largestBytes && importOfHob.test(readFileSync(path, 'utf8'));
    if (known.size >= mostKnown) known.clear();
    known.set(path, { stamp, imports });
    return imports;
  } catch {
    // The interpreter reports problems of the file.
    return false;
  }
}
