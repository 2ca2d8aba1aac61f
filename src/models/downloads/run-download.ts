import { lstat, statfs } from 'node:fs/promises';

import { brief } from '../../shared/brief.ts';
import { claimFolder } from '../../shared/claim-folder.ts';
import { AppError, errnoOf } from '../../shared/errors.ts';
import { compileGlobs } from '../glob.ts';
import type { Hub } from '../hubs/ask-hub.ts';
import type { HubFile, RepoListing } from '../hubs/hub.ts';
import { formatRepoId } from '../repo-id.ts';
import type { DownloadRequest, ProgressMeter } from './download.ts';
import { fetchFile } from './fetch-file.ts';
import { huggingFaceLayout } from './huggingface-layout.ts';
import type { Layout } from './layout.ts';
import { modelScopeLayout } from './modelscope-layout.ts';
import { ensureFolder, unusable } from './safe-folder.ts';

/** The claims are in the folder of huggingface_hub's own locks, which have other names. */
const claimNames = { prefix: 'hob-', suffix: '.claim' };
/** Disk space to leave free for other programs. */
const reserveBytes = 16 * 1024 * 1024;
const mostNamed = 10;
const filesAtOnce = 4;

interface RunOptions {
  readonly request: DownloadRequest;
  readonly hub: Hub;
  /** The cache folder of the source's own library. */
  readonly cache: string;
  readonly meter: ProgressMeter;
  readonly signal: AbortSignal;
  readonly pace: number;
  /** Entry file of the hashing thread. */
  readonly hashEntry: URL;
}

/**
 * Downloads the files of a repo into the cache of its source. Existing files are not fetched again, and partial files are resumed.
 * The record of completion is written last, so a partial model is never taken for a complete one.
 */
export async function runDownload(options: RunOptions): Promise<void> {
  const { request, hub, cache, meter, signal } = options;
  const { repo } = request;
  const listing = await hub.list(repo, request.revision, signal);
  const files = chooseFiles(listing, request);
  let folder = cache;
  let unlock = async () => {};
  try {
    const makeFolder = () => ensureFolder(cache, '.locks', `models--${repo.owner}--${repo.name}`);
    unlock = await claimFolder(await makeFolder(), claimNames, { signal, makeFolder });
    const layout = await layoutOf(options, listing);
    folder = layout.folder;
    meter.folder = layout.snapshot;
    await fill(layout, listing, files, options);
  } catch (error) {
    const errno = errnoOf(error);
    throw errno === 'ENOSPC' || errno === 'EDQUOT' ? noSpace(folder) : unusable(folder, error);
  } finally {
    await unlock();
  }
}

function layoutOf({ request, hub, cache, hashEntry }: RunOptions, listing: RepoListing): Promise<Layout> {
  const { repo } = request;
  return hub.source === 'huggingface'
    ? huggingFaceLayout({ cache, repo, snapshot: listing.snapshot })
    : modelScopeLayout({ cache, repo, listing, host: hub.host, hashEntry });
}

async function fill(
  layout: Layout,
  listing: RepoListing,
  files: readonly HubFile[],
  options: RunOptions,
): Promise<void> {
  const { hub, meter, request, pace, hashEntry } = options;
  const fetches = planFetches(files, layout);
  meter.expect(fetches);
  const missing: HubFile[] = [];
  for (const file of fetches) {
    if (await layout.isThere(file, options.signal)) meter.add(file.sizeBytes, { isFileDone: true });
    else missing.push(file);
  }
  await checkSpace(missing, layout);
  if (missing.length > 0) await layout.begin();
  await forEachConcurrently(missing, options.signal, async (file, signal) => {
    await fetchFile({
      file,
      host: hub.host,
      partial: layout.partialOf(file),
      open: (part, aborted) => hub.open(request.repo, listing.snapshot, file, part, aborted),
      hashEntry,
      signal,
      pace,
      onBytes: (bytes, how) => meter.add(bytes, how),
    });
    await layout.keep(file);
    meter.add(0, { isFileDone: true });
  });
  await layout.record(listing);
  for (const file of files) await layout.show(file);
  await layout.finish(listing, request.files);
}

/** Works on a few files concurrently. The first failure aborts the others, and is thrown when all have stopped. */
async function forEachConcurrently(
  files: readonly HubFile[],
  outer: AbortSignal,
  work: (file: HubFile, signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const failed = new AbortController();
  const signal = AbortSignal.any([outer, failed.signal]);
  let failure: { error: unknown } | undefined;
  let next = 0;
  const worker = async () => {
    for (let file = files[next++]; file !== undefined; file = files[next++]) {
      try {
        signal.throwIfAborted();
        await work(file, signal);
      } catch (error) {
        failure ??= { error };
        failed.abort();
        return;
      }
    }
  };
  await Promise.all(Array.from({ length: filesAtOnce }, worker));
  if (failure !== undefined) throw failure.error;
}

/** Selects the files that match the request. Throws if there are none. */
function chooseFiles({ files }: RepoListing, { files: globs, repo }: DownloadRequest): HubFile[] {
  const matches = compileGlobs(globs);
  const chosen = files.filter(({ path }) => matches(path));
  if (chosen.length > 0) return chosen;
  const names = files.slice(0, mostNamed).map(({ path }) => brief(path));
  const more = files.length > names.length ? ', …' : '';
  const id = formatRepoId(repo);
  const asked = globs.map((glob) => brief(glob)).join(', ');
  throw new AppError('download-nothing-matches', {
    ...(globs.length === 0
      ? { en: `${id} has no files.`, zh: `${id} 没有文件。` }
      : { en: `No file of ${id} matches ${asked}.`, zh: `${id} 中没有与 ${asked} 匹配的文件。` }),
    hint: {
      en: files.length === 0 ? 'Check the repo and the revision.' : `Its files: ${names.join(', ')}${more}`,
      zh: files.length === 0 ? '请检查模型和版本。' : `其中有 ${names.join('、')}${more}`,
    },
  });
}

/** The files to fetch: each content once, largest first, because large files take the longest. */
function planFetches(files: readonly HubFile[], layout: Layout): HubFile[] {
  const byContent = new Map(files.map((file) => [layout.contentKey(file), file]));
  return [...byContent.values()].sort((a, b) => b.sizeBytes - a.sizeBytes);
}

/** Throws if the disk has not enough space for the files. Partial data that is already on the disk needs none. */
async function checkSpace(files: readonly HubFile[], layout: Layout): Promise<void> {
  let neededBytes = 0;
  for (const file of files) {
    const partial = await lstat(layout.partialOf(file)).catch(() => null);
    neededBytes += Math.max(0, file.sizeBytes - (partial?.isFile() ? partial.size : 0));
  }
  if (neededBytes === 0) return;
  const { bavail, bsize } = await statfs(layout.folder);
  const freeBytes = bavail * bsize;
  if (neededBytes + reserveBytes > freeBytes) throw noSpace(layout.folder, neededBytes, freeBytes);
}

/** The sizes are unknown if the disk becomes full during a download. */
function noSpace(folder: string, neededBytes?: number, freeBytes?: number): AppError {
  const isCounted = neededBytes !== undefined && freeBytes !== undefined;
  const figures = isCounted
    ? {
        en: `: ${inMebibytes(neededBytes)} MiB needed, ${inMebibytes(freeBytes)} MiB free`,
        zh: `：需要 ${inMebibytes(neededBytes)} MiB，可用 ${inMebibytes(freeBytes)} MiB`,
      }
    : { en: '', zh: '' };
  return new AppError('resources-exhausted', {
    en: `Not enough space on the disk of ${folder}${figures.en}.`,
    zh: `${folder} 所在磁盘空间不足${figures.zh}。`,
    retryAfterS: 60,
    hint: {
      en: 'Free some space or select fewer files, then start the download again. Hob keeps the received data.',
      zh: '请释放空间或减少要下载的文件，然后重新下载；已下载的部分会保留。',
    },
  });
}

function inMebibytes(bytes: number): string {
  return Math.ceil(bytes / 2 ** 20).toLocaleString('en');
}
