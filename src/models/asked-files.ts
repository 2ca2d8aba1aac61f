import { isJsonObject } from '../shared/json.ts';
import type { Witness } from './evidence.ts';
import { readJson } from './file-list.ts';

const largestRecordBytes = 1024 * 1024;

/**
 * Globs of the files that users asked Hob to download; empty: all files. If no script declares the model, it is complete once
 * these files are there.
 */
export type AskedFiles = readonly string[];

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

/** Combines earlier requests with a new one. */
export function joinAsked(before: AskedFiles | null, now: AskedFiles): AskedFiles {
  if (before === null) return now;
  return before.length === 0 || now.length === 0 ? [] : [...new Set([...before, ...now])].sort();
}
