import { formatBytes, formatClock } from '../../../contract/quantities.ts';
import type { Download, DownloadStarted, ModelPath, ScriptList } from '../../../contract/types.ts';
import { followWork, stopWork } from '../../background-work.ts';
import { getScript, pickScript } from '../../find-script.ts';
import { catchInterrupt } from '../../interrupt.ts';
import { tr } from '../../language.ts';
import type { CommonOptions } from '../../options.ts';
import { errorText, RefusedError, ServiceClient } from '../../service-client.ts';
import { printJson } from '../../terminal/print.ts';
import { formatCount, printable } from '../../terminal/text.ts';
import { UserError, usageError, userError } from '../../user-error.ts';
import { displayOn } from './progress.ts';

interface PullOptions extends CommonOptions {
  source?: string;
  files?: string[];
  revision?: string;
  for?: string;
}

/** `hob model pull`: prints the progress to stderr and the result to stdout. */
export async function pull(repo: string | undefined, options: PullOptions): Promise<void> {
  const { home, source, files, revision, for: script, json: isJson = false } = options;
  const details = {
    ...(source !== undefined && { source }),
    ...(files !== undefined && { files }),
    ...(revision !== undefined && { revision }),
  };
  if (repo !== undefined && script === undefined) {
    const client = await ServiceClient.find(home);
    const download = await pullModel(client, repo, details);
    if (isJson) printJson(download);
    if (download.state !== 'done') throw new UserError(describeEnd(download));
    if (!isJson) process.stdout.write(`${describeEnd(download)}\n`);
    if (download.files.length > 0) await notePart(client, repo);
    return;
  }
  if (repo === undefined && script === undefined && files !== undefined)
    throw usageError(
      'Name the model before --files, because --files takes all arguments after it: hob model pull <owner>/<name> --files "*.onnx"',
      '请在 --files 之前写明模型，因为 --files 会包含其后的所有内容：hob model pull <owner>/<name> --files "*.onnx"',
    );
  if (repo !== undefined || script === undefined)
    throw usageError(
      'Specify what to download: either <owner>/<name> or --for <script>.',
      '请指明要下载的模型：<owner>/<name> 或 --for <脚本>。',
    );
  if (Object.keys(details).length > 0)
    throw usageError(
      '--source, --files and --revision apply to a single model. With --for, the manifest of the script decides.',
      '--source、--files 和 --revision 只用于单个模型：使用 --for 时，由脚本声明需要什么。',
    );
  await pullFor(await ServiceClient.find(home), script, isJson);
}

/** Warns if the downloaded files are only a part of the model. */
async function notePart(client: ServiceClient, repoId: string): Promise<void> {
  try {
    await findModel(client, repoId);
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    process.stderr.write(
      tr(
        `Note: these are only some files of ${repoId}. Scripts that look up the model get "not downloaded", unless a script declares that it needs only these files.\n`,
        `提示：这只是 ${repoId} 的部分文件。除非有脚本声明只需要这些文件，否则脚本查询该模型时会得到“未下载”。\n`,
      ),
    );
  }
}

/** Downloads the missing models one after the other, because each uses several connections. A failure does not stop the rest. */
async function pullFor(client: ServiceClient, script: string, isJson: boolean): Promise<void> {
  const { name, here, missing } = await modelsOfScript(client, script);
  process.stderr.write(`${describeNeeds(name, here.length, missing.length)}\n`);
  const downloads: Download[] = [];
  for (const repoId of missing) {
    const download = await pullModel(client, repoId).catch((error: unknown) => {
      // A manifest may declare a model that does not exist.
      if (!(error instanceof RefusedError)) throw error;
      const [shown, reason] = [printable(repoId), error.message];
      process.stderr.write(tr(`Failed to download ${shown}: ${reason}\n`, `无法下载 ${shown}：${reason}\n`));
      return null;
    });
    if (download === null) continue;
    downloads.push(download);
    if (download.state !== 'done') process.stderr.write(`${describeEnd(download)}\n`);
    else if (!isJson) process.stdout.write(`${describeEnd(download)}\n`);
  }
  if (isJson) printJson({ items: downloads, next: null });
  const done = downloads.filter(({ state }) => state === 'done').length;
  if (done < missing.length)
    throw userError(
      `${missing.length - done} of ${formatCount(missing.length, 'model')} could not be downloaded.`,
      `${missing.length} 个模型中有 ${missing.length - done} 个无法下载。`,
    );
}

function describeNeeds(name: string, here: number, missing: number): string {
  const all = here + missing;
  if (all === 0) return tr(`${name} declares no models.`, `${name} 没有声明任何模型。`);
  if (missing === 0) return tr(`All models of ${name} are downloaded.`, `${name} 的所有模型都已下载。`);
  return tr(
    `${name} needs ${formatCount(all, 'model')}: ${here} downloaded, ${missing} missing.`,
    `${name} 需要 ${all} 个模型：已有 ${here} 个，缺少 ${missing} 个。`,
  );
}

/** The models that a script declares, by its id or its exact name. */
async function modelsOfScript(client: ServiceClient, wanted: string) {
  const { scripts } = await client.get<ScriptList>('/api/scripts');
  const { name, models } = await getScript(client, pickScript(scripts, wanted).id);
  // Without duplicates, in the order of the manifest.
  const reposOf = (isHere: boolean) => [
    ...new Set(models.filter(({ state }) => (state === 'complete') === isHere).map(({ repo_id }) => repo_id)),
  ];
  const missing = reposOf(false);
  return { name: printable(name), here: reposOf(true).filter((id) => !missing.includes(id)), missing };
}

/** Cancels a download and waits until it has ended. */
export function stopDownload(id: string, client: ServiceClient): Promise<Download> {
  return stopWork(client, pathOf(id), 'download-ended');
}

function pathOf(id: string): string {
  return `/api/models/downloads/${encodeURIComponent(id)}`;
}

/**
 * Downloads one model and shows the progress on stderr. Returns the download, whether it succeeded or not. Ctrl-C cancels a
 * download that this command started; a download of another client continues.
 */
async function pullModel(client: ServiceClient, repoId: string, details: object = {}): Promise<Download> {
  const interrupt = catchInterrupt();
  const display = displayOn(process.stderr, () => performance.now());
  try {
    const body = { repo_id: repoId, ...details };
    const { download_id: id, is_joined } = await client.post<DownloadStarted>('/api/models/download', body);
    if (is_joined)
      process.stderr.write(
        tr(
          `${repoId} is already being downloaded. Showing the progress.\n`,
          `${repoId} 已经在下载，以下是进度。\n`,
        ),
      );
    const { signal } = interrupt;
    const onProgress = (download: Download) => {
      if (download.state === 'running' && !signal.aborted) display.show(download);
    };
    const seen = await followWork(client, pathOf(id), { signal, onProgress })
      .catch((error: unknown) => {
        if (!(error instanceof UserError)) throw error;
        // The service was stopped or restarted during the download.
        const advice = tr(
          'The downloaded part is kept. To resume, start Hob and run the same command again.',
          '已下载的部分会保留：Hob 运行后，再次运行同一命令即可继续。',
        );
        throw new UserError(`${error.message}\n${advice}`, error.exitCode);
      })
      .finally(() => display.clear());
    if (seen.state !== 'running') return seen;
    if (is_joined)
      throw new UserError(
        tr(
          `The download of ${repoId} continues, because another client started it. To cancel it: hob model cancel ${repoId}`,
          `${repoId} 由别人发起下载，会在服务中继续。如需停止：hob model cancel ${repoId}`,
        ),
        interrupt.exitCode,
      );
    process.stderr.write(`${tr('Stopping ...', '正在停止 ...')}\n`);
    const stopped = await stopDownload(id, client);
    if (stopped.state !== 'cancelled') return stopped;
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

function describeEnd(download: Download): string {
  const { repo_id: repoId, state, bytes_total, files_total, started_at, ended_at } = download;
  const error = errorText(download.error);
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
  const seconds = (Date.parse(ended_at ?? '') - Date.parse(started_at)) / 1000;
  const [size, files, duration] = [formatBytes(bytes_total ?? 0), files_total ?? 0, formatClock(seconds)];
  const folder = download.folder ?? '';
  return tr(
    `Downloaded ${repoId} to ${folder} (${size} in ${formatCount(files, 'file')}, ${duration})`,
    `${repoId} 已下载到 ${folder}（${files} 个文件，共 ${size}，用时 ${duration}）`,
  );
}

/** Finds the folder of a model. The error for a missing model names the download command. */
export async function findModel(client: ServiceClient, repoId: string): Promise<ModelPath['data']> {
  const query = new URLSearchParams({ repo_id: repoId });
  const { data } = await client.get<ModelPath>(`/api/model/path?${query}`).catch((error: unknown) => {
    const isMissing = error instanceof RefusedError && error.code === 'model-not-downloaded';
    if (!isMissing) throw error;
    const advice = tr(`To download it: hob model pull ${repoId}`, `下载它：hob model pull ${repoId}`);
    throw new UserError(`${error.message}\n${advice}`);
  });
  return data;
}
