import { readdir } from 'node:fs/promises';
import { join } from 'node:path';

import { projectRoot } from './hob.ts';

export const examplesFolder = join(projectRoot, 'examples');

/** The names of the folders in `examples`, one per script. */
export async function exampleNames(): Promise<string[]> {
  const entries = await readdir(examplesFolder, { withFileTypes: true });
  return entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
}
