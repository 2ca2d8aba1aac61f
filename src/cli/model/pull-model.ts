import type { JsonObject } from '../../shared/json.ts';
import { textOf } from '../answer-fields.ts';
import { catchInterrupt } from '../interrupt.ts';
import { tr } from '../language.ts';
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
 * Downloads one model and shows the progress on stderr. Returns the download, whether it succeeded or not. Ctrl-C cancels a
 * download that this command started; a download of another client continues.
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
    if (isJoined) process.stderr.write(`${joined(repoId)}\n`);
    const { signal } = interrupt;
    const display = displayOn(process.stderr, () => performance.now());
    const seen = await followDownload(id, { client, display, signal });
    if (readDownload(seen).state !== 'running') return seen;
    if (isJoined) throw new UserError(continuesElsewhere(repoId), interrupt.exitCode);
    process.stderr.write(`${tr('Stopping ...', '正在停止 ...')}\n`);
    const stopped = await stopDownload(id, client);
    if (readDownload(stopped).state !== 'cancelled') return stopped;
    throw new UserError(
      tr(`Cancelled the download of ${repoId}. ${isKept}`, `已停止下载 ${repoId}。${isKept}`),
      interrupt.exitCode,
    );
  } finally {
    interrupt.release();
  }
}

const isKept = tr(
  'The downloaded part is kept. To resume, run the same command again.',
  '已下载的部分会保留，再次运行同一命令即可继续。',
);

function joined(repoId: string): string {
  return tr(
    `${repoId} is already being downloaded. Showing the progress.`,
    `${repoId} 已经在下载，以下是进度。`,
  );
}

function continuesElsewhere(repoId: string): string {
  return tr(
    `The download of ${repoId} continues, because another client started it. To cancel it: hob model cancel ${repoId}`,
    `${repoId} 由别人发起下载，会在服务中继续。如需停止：hob model cancel ${repoId}`,
  );
}

/** The message for a download that has ended. */
export function describeEnd(download: Download): string {
  const { repoId, state, folder, bytesTotal, filesTotal, startedAt, endedAt, error } = download;
  if (state === 'failed')
    return tr(
      `Failed to download ${repoId}: ${error ?? 'unknown reason'}`,
      `无法下载 ${repoId}：${error ?? '原因不明'}`,
    );
  if (state !== 'done')
    return tr(
      `The download of ${repoId} was cancelled by another client, or stopped together with the service. ${isKept}`,
      `${repoId} 的下载被别人停止，或随服务一起停止了。${isKept}`,
    );
  const seconds = (Date.parse(endedAt ?? '') - Date.parse(startedAt)) / 1000;
  const [size, files, duration] = [formatBytes(bytesTotal ?? 0), filesTotal ?? 0, formatDuration(seconds)];
  return tr(
    `Downloaded ${repoId} to ${folder ?? ''} (${size} in ${formatCount(files, 'file')}, ${duration})`,
    `${repoId} 已下载到 ${folder ?? ''}（${files} 个文件，共 ${size}，用时 ${duration}）`,
  );
}
