import { join } from 'node:path';

import type { JsonObject } from '../../shared/json.ts';
import { type AskedFiles, askedRecord, joinAsked, readAskedFiles } from '../asked-files.ts';
import type { HubFile, RepoListing } from '../hubs/hub.ts';
import { ensureFolder, replaceFile } from './safe-folder.ts';

/** How one source's cache lies on the disk: where files grow, where they end up, and what is written when all are there. */
export interface Layout {
  /** The folder of the repo, made if need be, and what leads to it checked. */
  readonly folder: string;
  /** Where the files of the download are found in the end. */
  readonly snapshot: string;
  /** Two files with the same one are fetched once. */
  contentKey(file: HubFile): string;
  /** Whether the content is there already, whoever brought it. */
  isThere(file: HubFile, signal: AbortSignal): Promise<boolean>;
  partialOf(file: HubFile): string;
  /** Before the first file is fetched. A model to which nothing is missing is not touched until then. */
  begin(): Promise<void>;
  /** Puts a file that is complete and checked where its content belongs. */
  keep(file: HubFile): Promise<void>;
  /** Writes down what there is to be, when all contents are there and before any is shown: what is shown then cannot be taken for all. */
  record(listing: RepoListing): Promise<void>;
  /** Makes the file findable by its path. */
  show(file: HubFile): Promise<void>;
  /** Writes what says that all is there: last, and in one step. */
  finish(listing: RepoListing, asked: AskedFiles): Promise<void>;
}

/** The record of all files of a revision, in the form that huggingface_hub reads. */
export function listingRecord({ files }: RepoListing, more: JsonObject = {}): string {
  const sorted = files.toSorted((a, b) => (a.path < b.path ? -1 : 1));
  const entries = sorted.map(({ path, record }) => [path, record] as const);
  return JSON.stringify({ format_version: 1, files: Object.fromEntries(entries), ...more }, null, 1);
}

/** Adds to what was asked for of a snapshot. In a folder of its own, where other programs do not look. */
export async function recordAsked(
  repoFolder: { cache: string; names: readonly string[] },
  snapshot: string,
  asked: AskedFiles,
): Promise<void> {
  const folder = await ensureFolder(repoFolder.cache, ...repoFolder.names, '.hob');
  const path = join(folder, `${snapshot}.json`);
  await replaceFile(path, askedRecord(joinAsked(await readAskedFiles(path), asked)));
}
