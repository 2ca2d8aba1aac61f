import type { JsonObject } from '../../shared/json.ts';
import { textOf } from '../answer-fields.ts';
import { catchInterrupt } from '../interrupt.ts';
import type { ServiceClient } from '../service-client.ts';
import { formatBytes, formatCount, formatDuration } from '../terminal/quantities.ts';
import { UserError } from '../user-error.ts';
import { type Download, readDownload } from './download.ts';
import { followDownload, stopDownload } from './follow-download.ts';
import { displayOn } from './progress-display.ts';

export interface PullRequest {
  readonly repoId: string;
  readonly source?: string;
  readonly files?: readonly string[];
  readonly revision?: string;
}

/**
 * Downloads one model and shows how far it is, on stderr. Returns the download, however it ended. Ctrl-C stops what this
 * command began, as people expect; what somebody else began goes on without it.
 */
export async function pullModel(client: ServiceClient, request: PullRequest): Promise<JsonObject> {
  const { repoId, source, files, revision } = request;
  const interrupt = catchInterrupt();
  try {
    const started = await client.post('/api/models/download', {
      repo_id: repoId,
      ...(source !== undefined && { source }),
      ...(files !== undefined && { files: [...files] }),
      ...(revision !== undefined && { revision }),
    });
    const id = textOf(started.download_id) ?? '';
    const isJoined = started.is_joined === true;
    if (isJoined) process.stderr.write(`${repoId} is being downloaded already; this is how far it is.\n`);
    const { signal } = interrupt;
    const display = displayOn(process.stderr, () => performance.now());
    const seen = await followDownload(id, { client, display, signal });
    if (readDownload(seen).state !== 'running') return seen;
    if (isJoined) throw new UserError(goesOn(repoId), interrupt.exitCode);
    process.stderr.write('Stopping ...\n');
    const stopped = await stopDownload(id, client);
    if (readDownload(stopped).state !== 'cancelled') return stopped;
    throw new UserError(`${repoId} was stopped. ${isKept}`, interrupt.exitCode);
  } finally {
    interrupt.release();
  }
}

const isKept = 'What is there already is kept: the same command goes on from there.';

function goesOn(repoId: string): string {
  return `The download of ${repoId} goes on in the service, for whoever began it. To stop it: hob model cancel ${repoId}`;
}

/** What is said of a download that has ended. */
export function describeEnd(download: Download): string {
  const { repoId, state, folder, bytesTotal, filesTotal, startedAt, endedAt, error } = download;
  if (state === 'failed') return `${repoId} could not be downloaded: ${error ?? 'nobody knows why'}`;
  if (state !== 'done')
    return `The download of ${repoId} was stopped, by somebody else or with the service. ${isKept}`;
  const seconds = (Date.parse(endedAt ?? '') - Date.parse(startedAt)) / 1000;
  const what = `${formatBytes(bytesTotal ?? 0)} in ${formatCount(filesTotal ?? 0, 'file')}`;
  return `${repoId} is here: ${folder ?? ''} (${what}, ${formatDuration(seconds)})`;
}
