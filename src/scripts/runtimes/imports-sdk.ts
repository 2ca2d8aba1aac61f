import { readFileSync, statSync } from 'node:fs';

/** `import … from 'hob'`, `import 'hob'` and `import('hob')`, but not `require('hob')`. */
const importOfHob = /\b(?:from|import)\s*\(?\s*(['"])hob\1/;

/** Nobody writes more by hand; what is larger has its modules bundled with it. */
const largestBytes = 1024 * 1024;

/** What is known of entries, and for which state of the file. Asked before every run, so it is read once. */
const known = new Map<string, { stamp: string; isSo: boolean }>();
/** More scripts than a person has; beyond that it begins anew. */
const mostKnown = 10_000;

/** Whether a JavaScript or TypeScript file imports the module `hob`. */
export function importsSdk(path: string): boolean {
  try {
    const { mtimeMs, size } = statSync(path);
    const stamp = `${mtimeMs} ${size}`;
    const before = known.get(path);
    if (before?.stamp === stamp) return before.isSo;
    const isSo = size <= largestBytes && importOfHob.test(readFileSync(path, 'utf8'));
    if (known.size >= mostKnown) known.clear();
    known.set(path, { stamp, isSo });
    return isSo;
  } catch {
    // The interpreter will say what is wrong with it.
    return false;
  }
}
