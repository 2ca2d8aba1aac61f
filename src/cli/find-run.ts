import type { BriefRun, Run, RunPage } from '../contract/types.ts';
import { stateWord } from './describe-run.ts';
import { findKnownScript, UnknownScriptError } from './find-script.ts';
import { RefusedError, type ServiceClient } from './service-client.ts';
import { formatMinute, printable } from './terminal/text.ts';
import { usageError, userError } from './user-error.ts';

const wholeId = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const idPart = /^[0-9a-f-]{4,}$/i;
/** An id prefix is looked up among this many recent runs. */
const recentRuns = 500;

const runMeaning = [
  'run id, id prefix of a recent run, last for the last run, or a script for its last run',
  '运行 ID、近期运行 ID 的开头、last（最近一次运行），或脚本（它的最近一次运行）',
] as const;
const lastScript = {
  '[script]': ['after last: use the last run of this script', '跟在 last 之后：指定脚本的最近一次运行'],
} as const;
export const runArguments = { '<run>': runMeaning, ...lastScript } as const;
/** For read-only commands, where a wrong guess does no harm. */
export const runOrLastArguments = { '[run]': [...runMeaning, { default: 'last' }], ...lastScript } as const;

/** Finds the run that the arguments name and returns its record. */
export async function pickRun(client: ServiceClient, wanted: string, script?: string): Promise<Run> {
  if (wanted === 'last') return lastRun(client, script);
  if (script !== undefined)
    throw usageError('A script is allowed only after "last".', '只有 last 后面才能跟脚本名。');
  const run = await lastOrById(client, wanted);
  if (run !== null) return run;
  return lastRun(client, wanted).catch((error: unknown) => {
    if (!(error instanceof UnknownScriptError)) throw error;
    const shown = printable(wanted);
    throw userError(
      `No run or script found for "${shown}". An id prefix needs at least 4 characters and finds only the last ${recentRuns} runs. To list runs: hob runs`,
      `“${shown}” 既不是最近 ${recentRuns} 次运行的 ID 开头（至少 4 个字符），也不是脚本。hob runs 列出运行记录。`,
    );
  });
}

/** The record of the run with this id or id prefix, or of the last run; null if there is none. */
export async function lastOrById(client: ServiceClient, wanted: string): Promise<Run | null> {
  if (wanted === 'last') return lastRun(client, undefined);
  if (wholeId.test(wanted))
    return getRun(client, wanted).catch((error: unknown) => {
      if (error instanceof RefusedError && error.code === 'run-unknown') return null;
      throw error;
    });
  if (!idPart.test(wanted)) return null;
  const { items } = await client.get<RunPage>(`/api/runs?limit=${recentRuns}`);
  const found = items.filter(({ run_id }) => run_id.startsWith(wanted.toLowerCase()));
  const [only, ...others] = found;
  if (only === undefined) return null;
  if (others.length === 0) return getRun(client, only.run_id);
  const shown = printable(wanted);
  const lines = found
    .map((run) => [run.run_id, formatMinute(run.queued_at), printable(run.script_name), stateWord(run)])
    .map((words) => `\n  ${words.join('  ')}`)
    .join('');
  throw userError(
    `Several run ids begin with ${shown}. Use a longer prefix:${lines}`,
    `有多个运行的 ID 以 ${shown} 开头：${lines}`,
  );
}

export function pathOfRun(runId: string): string {
  return `/api/runs/${encodeURIComponent(runId)}`;
}

export function getRun(
  client: ServiceClient,
  runId: string,
  outage: { readonly hint?: string } = {},
): Promise<Run> {
  return client.get(pathOfRun(runId), outage);
}

/** The last run that a user started: neither a child of another run nor a run of Hob itself. */
async function lastRun(client: ServiceClient, script: string | undefined): Promise<Run> {
  if (script === undefined) {
    const { items } = await client.get<RunPage>(`/api/runs?limit=${recentRuns}`);
    const isUsers = ({ parent_run_id, origin }: BriefRun) => parent_run_id === null && origin !== 'hob';
    const last = items.find(isUsers) ?? items[0];
    if (last !== undefined) return getRun(client, last.run_id);
    throw userError(
      'There are no runs yet. To start one: hob run <script>',
      '还没有运行记录。用 hob run 运行脚本。',
    );
  }
  const { id } = await findKnownScript(client, script);
  const { items } = await client.get<RunPage>(`/api/runs?limit=1&script=${encodeURIComponent(id)}`);
  const [last] = items;
  if (last !== undefined) return getRun(client, last.run_id);
  throw userError(
    'This script has not run yet. To run it: hob run <script>',
    '该脚本还没有运行过。用 hob run 运行它。',
  );
}
