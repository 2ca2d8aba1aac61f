import { isJsonObject, type JsonObject } from '../../shared/json.ts';
import { objectsIn, textOf } from '../answer-fields.ts';
import { tr } from '../language.ts';
import { scriptsIn } from '../pick-script.ts';
import { guessScript } from '../run/guess-script.ts';
import type { ServiceClient } from '../service-client.ts';
import { formatMinute } from '../terminal/quantities.ts';
import { printable } from '../terminal/text-width.ts';
import { exitCodes, UserError } from '../user-error.ts';
import { readRun, stateWord } from './run-record.ts';

const wholeId = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const idPart = /^[0-9a-f-]{4,}$/i;
/** So many runs back a beginning of an id is looked for: what a person has on the screen is younger. */
const recentRuns = 500;

/** What names a run on the command line, for the help. */
export const runArgument = [
  '<run>',
  tr(
    'its id, the beginning of the id of a recent run, or last: the last run, or with a script behind it that of the script',
    '运行 ID、近期运行 ID 的开头，或 last：最近一次运行，后面可跟脚本名',
  ),
] as const;
export const lastScriptArgument = [
  '[script]',
  tr('the script whose last run is meant', '指定脚本的最近一次运行'),
] as const;

/** The record of the run that is meant. */
export async function pickRun(client: ServiceClient, wanted: string, script?: string): Promise<JsonObject> {
  if (wanted === 'last') return lastRun(client, script);
  if (script !== undefined)
    throw new UserError(
      tr('A script is named only behind "last".', '只有 last 后面才能跟脚本名。'),
      exitCodes.usage,
    );
  if (wholeId.test(wanted)) return client.get(pathOfRun(wanted));
  const shown = printable(wanted);
  if (!idPart.test(wanted))
    throw new UserError(
      tr(
        `"${shown}" is no id of a run, nor the beginning of one (4 characters or more). hob runs lists them.`,
        `“${shown}” 不是运行 ID，也不是它的开头（至少 4 个字符）。hob runs 列出所有运行。`,
      ),
      exitCodes.usage,
    );
  const { items } = await client.get(`/api/runs?limit=${recentRuns}`);
  const found = objectsIn(items).filter(({ run_id }) => textOf(run_id)?.startsWith(wanted.toLowerCase()));
  const [only, ...others] = found;
  if (only === undefined)
    throw new UserError(
      tr(
        `None of the last ${recentRuns} runs has an id that begins with ${shown}. hob runs lists them.`,
        `最近 ${recentRuns} 次运行中，没有 ID 以 ${shown} 开头的。hob runs 列出所有运行。`,
      ),
    );
  if (others.length > 0)
    throw new UserError(
      `${tr(`Several runs have an id that begins with ${shown}:`, `有多个运行的 ID 以 ${shown} 开头：`)}\n${found.map(candidateLine).join('\n')}`,
    );
  return client.get(pathOfRun(textOf(only.run_id) ?? ''));
}

export function pathOfRun(runId: string): string {
  return `/api/runs/${encodeURIComponent(runId)}`;
}

/** The last that somebody asked for: not one that was started by another, nor one of Hob itself. */
async function lastRun(client: ServiceClient, script: string | undefined): Promise<JsonObject> {
  const last = script === undefined ? await lastOfAll(client) : await lastOf(client, script);
  const runId = isJsonObject(last) ? textOf(last.run_id) : null;
  if (runId === null)
    throw new UserError(
      tr('There is no run yet. hob run starts one.', '还没有运行记录。用 hob run 运行脚本。'),
    );
  return client.get(pathOfRun(runId));
}

async function lastOfAll(client: ServiceClient): Promise<JsonObject | undefined> {
  const { items } = await client.get(`/api/runs?limit=${recentRuns}`);
  const runs = objectsIn(items);
  return runs.find(({ parent_run_id, origin }) => parent_run_id === null && origin !== 'hob') ?? runs[0];
}

async function lastOf(client: ServiceClient, script: string): Promise<JsonObject | undefined> {
  const { scripts } = await client.get('/api/scripts');
  const { id } = guessScript(scriptsIn(scripts), script);
  const { items } = await client.get(`/api/runs?limit=1&script=${encodeURIComponent(id)}`);
  return objectsIn(items)[0];
}

function candidateLine(record: JsonObject): string {
  const run = readRun(record);
  return `  ${run.id}  ${formatMinute(run.queuedAt)}  ${run.scriptName}  ${stateWord(run)}`;
}
