import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';

import { errnoOf } from '../shared/errors.ts';
import { isJsonObject } from '../shared/json.ts';
import { readRegularFile } from '../shared/read-regular-file.ts';

/** What is written down of an installed package. */
export type PackageRecord =
  | { readonly kind: 'readable'; readonly id: string; readonly folder: string }
  /** `fault`: what is wrong with it, as the end of a sentence. */
  | { readonly kind: 'damaged'; readonly id: string; readonly path: string; readonly fault: string };

const largestRecordBytes = 1024 * 1024;
const versionName = /^v\d+$/;

/** The packages of a home, each with the folder of its current version. */
export async function readRecords(home: string): Promise<PackageRecord[]> {
  const folder = join(home, 'packages');
  const names = (await readdir(folder).catch(absent)).filter((name) => !name.startsWith('.')).sort();
  return Promise.all(names.map((name) => readRecord(folder, name)));
}

async function readRecord(packages: string, id: string): Promise<PackageRecord> {
  const path = join(packages, id, 'installed.json');
  const damaged = (fault: string): PackageRecord => ({ kind: 'damaged', id, path, fault });
  const content = await readRegularFile(path, { maxBytes: largestRecordBytes });
  if (content.kind !== 'content')
    return damaged(content.kind === 'missing' ? 'is not there' : 'cannot be read');
  const record = parse(content.bytes);
  const current: unknown = Reflect.get(Object(record), 'current');
  if (!isJsonObject(record) || typeof current !== 'string')
    return damaged('does not say which version is the current one');
  // A name, and no path to somewhere else.
  if (!versionName.test(current)) return damaged(`names ${JSON.stringify(current)}, which is no version`);
  const folder = join(packages, id, current);
  const isThere = (await stat(folder).catch(() => null))?.isDirectory() === true;
  return isThere
    ? { kind: 'readable', id, folder }
    : damaged(`names the version ${current}, which is not there`);
}

function parse(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    return null;
  }
}

/** A folder that is not there has nothing in it. */
export function absent(error: unknown): never[] {
  if (errnoOf(error) === 'ENOENT' || errnoOf(error) === 'ENOTDIR') return [];
  throw error;
}
