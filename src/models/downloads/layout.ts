import { join } from 'node:path';

import type { JsonObject } from '../../shared/json.ts';
import { type AskedFiles, askedRecord, joinAsked, readAskedFiles } from '../download-records.ts';
import type { HubFile, RepoListing } from '../hubs/hub.ts';
import { ensureFolder, replaceFile } from './safe-folder.ts';

/** The disk layout of a source's cache: where partial and complete files are, and what is written at the end. */
export interface Layout {
  /** The folder of the repo. It exists, and no part of its path below the cache is a link. */
  readonly folder: string;
  /** The folder in which users find the files of the download. */
  readonly snapshot: string;
  /** Two files with the same key are fetched once. */
  contentKey(file: HubFile): string;
  /** Whether the content is already on the disk, from Hob or from another program. */
  isThere(file: HubFile, signal: AbortSignal): Promise<boolean>;
  partialOf(file: HubFile): string;
  /** Called before the first file is fetched. Not called if nothing is missing, so a complete model stays untouched. */
  begin(): Promise<void>;
  /** Moves a complete and verified file from its partial path to its final one. */
  keep(file: HubFile): Promise<void>;
  /**
   * Writes the list of all files. Called when all contents are stored and before any is visible, so that a partly visible
   * model is never taken for complete.
   */
  record(listing: RepoListing): Promise<void>;
  show(file: HubFile): Promise<void>;
  /** Atomically writes the record that the download is complete. Called last. */
  finish(listing: RepoListing, asked: AskedFiles): Promise<void>;
}

/** The list of all files of a revision, in the format of huggingface_hub. */
export function listingRecord({ files }: RepoListing, more: JsonObject = {}): string {
  const sorted = files.toSorted((a, b) => (a.path < b.path ? -1 : 1));
  const entries = sorted.map(({ path, record }) => [path, record] as const);
  return JSON.stringify({ format_version: 1, files: Object.fromEntries(entries), ...more }, null, 1);
}

/** Adds to the files requested of a snapshot. The record is in a folder of Hob, which other programs ignore. */
export async function recordAsked(
  cache: string,
  names: readonly string[],
  snapshot: string,
  asked: AskedFiles,
): Promise<void> {
  const folder = await ensureFolder(cache, ...names, '.hob');
  const path = join(folder, `${snapshot}.json`);
  await replaceFile(path, askedRecord(joinAsked(await readAskedFiles(path), asked)));
}
