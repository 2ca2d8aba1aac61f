import { errnoOf } from '../../shared/errors.ts';
import type { Hub, HubFile, RepoListing } from '../hubs/hub.ts';
import type { Batches } from './batches.ts';
import type { DownloadRequest } from './download.ts';
import { fetchFile } from './fetch-file.ts';
import { Hashing } from './hashing/hashing.ts';
import { huggingFaceLayout } from './huggingface-layout.ts';
import type { Layout } from './layout.ts';
import { modelScopeLayout } from './modelscope-layout.ts';
import { checkSpace, chooseFiles, noSpace, planFetches } from './plan.ts';
import type { ProgressMeter } from './progress-meter.ts';
import { lockRepo } from './repo-lock.ts';
import { unusable } from './safe-folder.ts';

const filesAtOnce = 4;

interface RunOptions {
  readonly request: DownloadRequest;
  readonly hub: Hub;
  /** The cache folder of the source's own library. */
  readonly cache: string;
  readonly meter: ProgressMeter;
  readonly signal: AbortSignal;
  readonly pace: number;
  readonly batches: Batches;
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
  const hashing = new Hashing(options.hashEntry);
  // A cancelled download must not wait for hashes.
  signal.addEventListener('abort', () => void hashing.close(), { once: true });
  try {
    unlock = await lockRepo({ cache, name: `models--${repo.owner}--${repo.name}`, signal });
    const layout = await layoutOf(options, listing, hashing);
    folder = layout.folder;
    meter.folder = layout.snapshot;
    await fill(layout, { listing, files, hashing, options });
  } catch (error) {
    const errno = errnoOf(error);
    throw errno === 'ENOSPC' || errno === 'EDQUOT' ? noSpace(folder) : unusable(folder, error);
  } finally {
    await hashing.close();
    await unlock();
  }
}

function layoutOf(options: RunOptions, listing: RepoListing, hashing: Hashing): Promise<Layout> {
  const { request, hub, cache, batches } = options;
  const { repo } = request;
  return hub.source === 'huggingface'
    ? huggingFaceLayout({ cache, repo, snapshot: listing.snapshot })
    : modelScopeLayout({ cache, repo, listing, host: hub.host, hashing, batches });
}

interface Filling {
  readonly listing: RepoListing;
  readonly files: readonly HubFile[];
  readonly hashing: Hashing;
  readonly options: RunOptions;
}

async function fill(layout: Layout, { listing, files, hashing, options }: Filling): Promise<void> {
  const { hub, meter, request, pace, batches } = options;
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
      hashing,
      batches,
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
