import type { JsonObject } from '../../shared/json.ts';
import { RefusedError, ServiceClient } from '../service-client.ts';
import { printJson } from '../terminal/print-json.ts';
import { formatCount } from '../terminal/quantities.ts';
import { printable } from '../terminal/text-width.ts';
import { exitCodes, UserError } from '../user-error.ts';
import { readDownload } from './download.ts';
import { findModel } from './find-model.ts';
import { modelsOfScript } from './models-of-script.ts';
import { describeEnd, pullModel } from './pull-model.ts';

export interface PullOptions {
  home?: string;
  json?: boolean;
  source?: string;
  files?: string[];
  revision?: string;
  for?: string;
}

/** `hob model pull`: the progress goes to stderr, the outcome to stdout. */
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
      'Say which model to get before --files, which takes all that follows it: hob model pull <owner>/<name> --files "*.onnx"',
    );
  if (repo !== undefined || script === undefined)
    throw usage('Say which model to get: either <owner>/<name> or --for <script>.');
  if (Object.keys(details).length > 0)
    throw usage(
      '--source, --files and --revision are for one model: with --for, the script says what it needs.',
    );
  await pullFor(await ServiceClient.find(home), script, isJson);
}

/** Whoever asks for some files may not have all that a model is taken for. */
async function notePart(client: ServiceClient, repoId: string): Promise<void> {
  try {
    await findModel(client, repoId);
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    process.stderr.write(
      `Note that these are some files of ${repoId} only: as long as no script declares that it needs no others, scripts that ask for the model do not get it.\n`,
    );
  }
}

/** One after the other, since each takes several connections; one that fails does not keep the others away. */
async function pullFor(client: ServiceClient, script: string, isJson: boolean): Promise<void> {
  const { name, here, missing } = await modelsOfScript(client, script);
  process.stderr.write(`${describeNeeds(name, here.length, missing.length)}\n`);
  const answers: JsonObject[] = [];
  for (const repoId of missing) {
    const answer = await pullModel(client, { repoId }).catch((error: unknown) => tellRefusal(repoId, error));
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
      `${missing.length - done} of ${formatCount(missing.length, 'model')} could not be downloaded.`,
    );
}

/** What a manifest names may be no model at all. */
function tellRefusal(repoId: string, error: unknown): null {
  if (!(error instanceof RefusedError)) throw error;
  process.stderr.write(`${printable(repoId)} could not be downloaded: ${error.message}\n`);
  return null;
}

function describeNeeds(name: string, here: number, missing: number): string {
  if (here + missing === 0) return `${name} declares no models.`;
  if (missing === 0) return `All models of ${name} are here.`;
  return `${name} needs ${formatCount(here + missing, 'model')}: ${here} here, ${missing} missing.`;
}

function usage(message: string): UserError {
  return new UserError(message, exitCodes.usage);
}
