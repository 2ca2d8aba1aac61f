import { exhaustedError, isExhaustion } from '../shared/errors.ts';
import { isJsonObject } from '../shared/json.ts';
import { readRegularFile } from '../shared/read-regular-file.ts';
import type { Witness } from './evidence.ts';

const largestListBytes = 64 * 1024 * 1024;

/** The files that a repo has by the record of a download, with their sizes; null without a record that can be read. */
export async function readFileList(path: string, witness: Witness): Promise<Map<string, number> | null> {
  if ((await witness.look(path, { follow: true })) === null) return null;
  const content = await readJson(path, largestListBytes);
  if (!isJsonObject(content) || content.format_version !== 1 || !isJsonObject(content.files)) return null;
  const sizes = new Map<string, number>();
  for (const [file, entry] of Object.entries(content.files)) {
    // A list with anything else in it is not one of ours.
    if (!isJsonObject(entry)) return null;
    const size = entry.lfs_size ?? entry.size;
    if (typeof size !== 'number') return null;
    sizes.set(file, size);
  }
  return sizes;
}

/** What a JSON file says; undefined when it is missing, too large or no JSON. */
export async function readJson(path: string, maxBytes: number): Promise<unknown> {
  try {
    return JSON.parse((await readText(path, maxBytes)) ?? '');
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** The text of a file; null when it is missing, too large or no file. */
export async function readText(path: string, maxBytes: number): Promise<string | null> {
  const read = await readRegularFile(path, { maxBytes });
  // That it says nothing would be a guess.
  if (read.kind === 'unreadable' && isExhaustion(read.errno)) throw exhaustedError(read.errno);
  return read.kind === 'content' ? read.bytes.toString('utf8') : null;
}
