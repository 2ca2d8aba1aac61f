import { exhaustedError, isExhaustion } from '../shared/errors.ts';
import { isJsonObject } from '../shared/json.ts';
import { readRegularFile } from '../shared/read-regular-file.ts';
import type { Witness } from './evidence.ts';

const largestRecordBytes = 1024 * 1024;

/**
 * Globs of the files that users asked Hob to download; empty: all files. If no script declares the model, it is complete once
 * these files are there.
 */
export type AskedFiles = readonly string[];

const largestListBytes = 64 * 1024 * 1024;

/** The files of a repo and their sizes, from the record of a download. Null if there is no valid record. */
export async function readFileList(path: string, witness: Witness): Promise<Map<string, number> | null> {
  if ((await witness.look(path, { follow: true })) === null) return null;
  const content = await readJson(path, largestListBytes);
  if (!isJsonObject(content) || content.format_version !== 1 || !isJsonObject(content.files)) return null;
  const sizes = new Map<string, number>();
  for (const [file, entry] of Object.entries(content.files)) {
    // A list with any other kind of entry is not a record of a download.
    if (!isJsonObject(entry)) return null;
    const size = entry.lfs_size ?? entry.size;
    if (typeof size !== 'number') return null;
    sizes.set(file, size);
  }
  return sizes;
}

/** The content of a JSON file; undefined if it is missing, too large or not JSON. */
export async function readJson(path: string, maxBytes: number): Promise<unknown> {
  try {
    return JSON.parse((await readText(path, maxBytes)) ?? '');
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** The text of a file; null if it is missing, too large or not a regular file. */
export async function readText(path: string, maxBytes: number): Promise<string | null> {
  const read = await readRegularFile(path, { maxBytes });
  // The error does not mean that the file is missing.
  if (read.kind === 'unreadable' && isExhaustion(read.errno)) throw exhaustedError(read.errno);
  return read.kind === 'content' ? read.bytes.toString('utf8') : null;
}

export function askedRecord(asked: AskedFiles): string {
  return JSON.stringify({ format_version: 1, asked });
}

/** Null if Hob was never asked to download the model. */
export async function readAskedFiles(path: string, witness?: Witness): Promise<AskedFiles | null> {
  await witness?.look(path, { follow: true });
  const content = await readJson(path, largestRecordBytes);
  if (!isJsonObject(content) || content.format_version !== 1 || !Array.isArray(content.asked)) return null;
  return content.asked.every((glob) => typeof glob === 'string') ? content.asked.map(String) : null;
}

export function joinAsked(before: AskedFiles | null, now: AskedFiles): AskedFiles {
  if (before === null) return now;
  return before.length === 0 || now.length === 0 ? [] : [...new Set([...before, ...now])].sort();
}
