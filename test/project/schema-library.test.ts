import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { expect, it } from 'vitest';

const dist = fileURLToPath(new URL('../../dist/', import.meta.url));
/** A property name that TypeBox sets in every schema, also in minified code. */
const mark = '~kind';

/** The built files that are loaded together with this one. A file behind `import()` is loaded later, or never. */
function loadedWith(entry: string, found = new Set<string>()): Set<string> {
  if (found.has(entry)) return found;
  found.add(entry);
  const imports = readFileSync(entry, 'utf8').matchAll(/^(?:import|export)\b[^;]*?["'](\.[^"']+\.js)["'];/gm);
  for (const [, path = ''] of imports) loadedWith(join(dirname(entry), path), found);
  return found;
}

function filesWithMark(files: Iterable<string>): string[] {
  return [...files].filter((file) => readFileSync(file, 'utf8').includes(mark));
}

function scriptsIn(folder: string): string[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.js'))
    .map((name) => join(folder, name));
}

it('the service contains the schema library', () => {
  expect(filesWithMark(scriptsIn(join(dist, 'chunks')))).not.toEqual([]);
});

it('the start of the command loads no schema library', () => {
  const loaded = loadedWith(join(dist, 'cli', 'main.js'));
  expect(loaded.size).toBeGreaterThan(3);
  expect(filesWithMark(loaded)).toEqual([]);
});

it('the console contains no schema library', () => {
  const files = scriptsIn(join(dist, 'web', 'assets'));
  expect(files.length).toBeGreaterThan(3);
  expect(filesWithMark(files)).toEqual([]);
});
