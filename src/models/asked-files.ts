import { isJsonObject } from '../shared/json.ts';
import type { Witness } from './evidence.ts';
import { readJson } from './file-list.ts';

const largestRecordBytes = 1024 * 1024;

/**
 * Which files of a model people have asked Hob to download: empty for all of them. Where no script says what it needs, whoever asked for
 * a part and got it has all that was wanted.
 */
export type AskedFiles = readonly string[];

export function askedRecord(asked: AskedFiles): string {
  return JSON.stringify({ format_version: 1, asked });
}

/** Null where nobody has asked Hob. */
export async function readAskedFiles(path: string, witness?: Witness): Promise<AskedFiles | null> {
  await witness?.look(path, { follow: true });
  const content = await readJson(path, largestRecordBytes);
  if (!isJsonObject(content) || content.format_version !== 1 || !Array.isArray(content.asked)) return null;
  return content.asked.every((glob) => typeof glob === 'string') ? content.asked.map(String) : null;
}

/** What was asked for before, and now. */
export function joinAsked(before: AskedFiles | null, now: AskedFiles): AskedFiles {
  if (before === null) return now;
  return before.length === 0 || now.length === 0 ? [] : [...new Set([...before, ...now])].sort();
}
