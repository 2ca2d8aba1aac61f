import { isJsonObject, type JsonObject } from '../shared/json.ts';
import { objectsIn, textOf } from './answer-fields.ts';
import { readRun, stateWord } from './describe-run.ts';
import { findKnownScript, UnknownScriptError } from './find-script.ts';
import { tr } from './language.ts';
import { RefusedError, type ServiceClient } from './service-client.ts';
import { formatMinute } from './terminal/quantities.ts';
import { printable } from './terminal/text-width.ts';
import { exitCodes, UserError } from './user-error.ts';

const wholeId = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const idPart = /^[0-9a-f-]{4,}$/i;
/** An id prefix is looked up among this many recent runs. */
const recentRuns = 500;

/** Help text of a `<run>` argument. */
const runMeaning = tr(
  'run id, id prefix of a recent run, last for the last run, or a script for its last run',
  '运行 ID、近期运行 ID 的开头、last（最近一次运行），或脚本（它的最近一次运行）',
);
export const runArgument = ['<run>', runMeaning] as const;
/** For read-only commands, where a wrong guess does no harm. */
export const runOrLastArgument = ['[run]', runMeaning, 'last'] as const;
export const lastScriptArgument = [
  '[script]',
  tr('after last: use the last run of this script', '跟在 last 之后：指定脚本的最近一次运行'),
] as const;

/** Finds the run that the arguments name and returns its record. */
export async function pickRun(client: ServiceClient, wanted: string, script?: string): Promise<JsonObject> {
  if (wanted === 'last') return lastRun(client, script);
  if (script !== undefined)
    throw new UserError(
      tr('A script is allowed only after "last".', '只有 last 后面才能跟脚本名。'),
      exitCodes.usage,
    );
  const run = await runById(client, wanted);
  if (run !== null) return run;
  return lastRun(client, wanted).catch((error: unknown) => {
    throw error instanceof UnknownScriptError ? unknownRun(wanted) : error;
  });
}

/** The record of the run with this id or id prefix; null if there is none. */
export async function runById(client: ServiceClient, wanted: string): Promise<JsonObject | null> {
  if (wholeId.test(wanted))
    return client.get(pathOfRun(wanted)).catch((error: unknown) => {
      if (error instanceof RefusedError && error.code === 'run-unknown') return null;
      throw error;
    });
  if (!idPart.test(wanted)) return null;
  const { items } = await client.get(`/api/runs?limit=${recentRuns}`);
  const found = objectsIn(items).filter(({ run_id }) => textOf(run_id)?.startsWith(wanted.toLowerCase()));
  const [only, ...others] = found;
  if (only === undefined) return null;
  if (others.length === 0) return client.get(pathOfRun(textOf(only.run_id) ?? ''));
  const shown = printable(wanted);
  throw new UserError(
    `${tr(`Several run ids begin with ${shown}. Use a longer prefix:`, `有多个运行的 ID 以 ${shown} 开头：`)}\n${found.map(candidateLine).join('\n')}`,
  );
}

function unknownRun(wanted: string): UserError {
  const shown = printable(wanted);
  return new UserError(
    tr(
      `No run or script found for "${shown}". An id prefix needs at least 4 characters and finds only the last ${recentRuns} runs. To list runs: hob runs`,
      `“${shown}” 既不是最近 ${recentRuns} 次运行的 ID 开头（至少 4 个字符），也不是脚本。hob runs 列出运行记录。`,
    ),
  );
}

export function pathOfRun(runId: string): string {
  return `/api/runs/${encodeURIComponent(runId)}`;
}

/** The last run that a user started: neither a child of another run nor a run of Hob itself. */
async function lastRun(client: ServiceClient, script: string | undefined): Promise<JsonObject> {
  const last = script === undefined ? await lastOfAll(client) : await lastOf(client, script);
  const runId = isJsonObject(last) ? textOf(last.run_id) : null;
  if (runId === null)
    throw new UserError(
      script === undefined
        ? tr('There are no runs yet. To start one: hob run <script>', '还没有运行记录。用 hob run 运行脚本。')
        : tr(
            'This script has not run yet. To run it: hob run <script>',
            '该脚本还没有运行过。用 hob run 运行它。',
          ),
    );
  return client.get(pathOfRun(runId));
}

async function lastOfAll(client: ServiceClient): Promise<JsonObject | undefined> {
  const { items } = await client.get(`/api/runs?limit=${recentRuns}`);
  const runs = objectsIn(items);
  return runs.find(({ parent_run_id, origin }) => parent_run_id === null && origin !== 'hob') ?? runs[0];
}

async function lastOf(client: ServiceClient, script: string): Promise<JsonObject | undefined> {
  const { id } = await findKnownScript(client, script);
  const { items } = await client.get(`/api/runs?limit=1&script=${encodeURIComponent(id)}`);
  return objectsIn(items)[0];
}

function candidateLine(record: JsonObject): string {
  const run = readRun(record);
  return `  ${run.id}  ${formatMinute(run.queuedAt)}  ${run.scriptName}  ${stateWord(run)}`;
}
