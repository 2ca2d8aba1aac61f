import type { JsonObject } from '../../shared/json.ts';
import { objectsIn, textOf } from '../answer-fields.ts';
import { tr } from '../language.ts';
import { pickScript, scriptsIn } from '../pick-script.ts';
import { RefusedError, ServiceClient } from '../service-client.ts';
import { printJson } from '../terminal/print-json.ts';
import { formatCount } from '../terminal/quantities.ts';
import { printable } from '../terminal/text-width.ts';
import { exitCodes, UserError } from '../user-error.ts';
import { readDownload } from './download.ts';
import { findModel } from './find-model.ts';
import { describeEnd, pullModel } from './pull-model.ts';

interface ScriptModels {
  readonly name: string;
  /** Without duplicates, in the order of the manifest. */
  readonly here: readonly string[];
  readonly missing: readonly string[];
}

export interface PullOptions {
  home?: string;
  json?: boolean;
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
    const answer = await pullModel(client, { repoId: repo, ...details });
    const download = readDownload(answer);
    if (isJson) printJson(answer);
    if (download.state !== 'done') throw new UserError(describeEnd(download));
    if (!isJson) process.stdout.write(`${describeEnd(download)}\n`);
    if (Array.isArray(answer.files) && answer.files.length > 0) await notePart(client, repo);
    return;
  }
  if (repo === undefined && script === undefined && files !== undefined)
    throw usage(
      tr(
        'Name the model before --files, because --files takes all arguments after it: hob model pull <owner>/<name> --files "*.onnx"',
        '请在 --files 之前写明模型，因为 --files 会包含其后的所有内容：hob model pull <owner>/<name> --files "*.onnx"',
      ),
    );
  if (repo !== undefined || script === undefined)
    throw usage(
      tr(
        'Specify what to download: either <owner>/<name> or --for <script>.',
        '请指明要下载的模型：<owner>/<name> 或 --for <脚本>。',
      ),
    );
  if (Object.keys(details).length > 0)
    throw usage(
      tr(
        '--source, --files and --revision apply to a single model. With --for, the manifest of the script decides.',
        '--source、--files 和 --revision 只用于单个模型：使用 --for 时，由脚本声明需要什么。',
      ),
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
  const answers: JsonObject[] = [];
  for (const repoId of missing) {
    const answer = await pullModel(client, { repoId }).catch((error: unknown) => printRefusal(repoId, error));
    if (answer === null) continue;
    answers.push(answer);
    const download = readDownload(answer);
    if (download.state !== 'done') process.stderr.write(`${describeEnd(download)}\n`);
    else if (!isJson) process.stdout.write(`${describeEnd(download)}\n`);
  }
  if (isJson) printJson({ items: answers, next: null });
  const done = answers.filter(({ state }) => state === 'done').length;
  if (done < missing.length)
    throw new UserError(
      tr(
        `${missing.length - done} of ${formatCount(missing.length, 'model')} could not be downloaded.`,
        `${missing.length} 个模型中有 ${missing.length - done} 个无法下载。`,
      ),
    );
}

/** Prints a refusal. A manifest may declare a model that does not exist. */
function printRefusal(repoId: string, error: unknown): null {
  if (!(error instanceof RefusedError)) throw error;
  const shown = printable(repoId);
  process.stderr.write(
    tr(`Failed to download ${shown}: ${error.message}\n`, `无法下载 ${shown}：${error.message}\n`),
  );
  return null;
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

function usage(message: string): UserError {
  return new UserError(message, exitCodes.usage);
}

/** The models that a script declares, by its id or its exact name. */
async function modelsOfScript(client: ServiceClient, wanted: string): Promise<ScriptModels> {
  const { scripts } = await client.get('/api/scripts');
  const { id } = pickScript(scriptsIn(scripts), wanted);
  const script = await client.get(`/api/scripts/${encodeURIComponent(id)}`);
  const models = objectsIn(script.models).map(({ repo_id, state }) => ({
    repoId: textOf(repo_id) ?? '',
    isHere: state === 'complete',
  }));
  const reposOf = (isHere: boolean) => [
    ...new Set(models.filter((model) => model.isHere === isHere).map(({ repoId }) => repoId)),
  ];
  const missing = reposOf(false);
  return {
    name: printable(textOf(script.name) ?? wanted),
    here: reposOf(true).filter((repoId) => !missing.includes(repoId)),
    missing,
  };
}
