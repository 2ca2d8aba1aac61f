import { homedir, userInfo } from 'node:os';
import { join } from 'node:path';

import type { ScriptList, Trigger, TriggerList } from '../../contract/types.ts';
import { readCrontab } from '../crontab.ts';
import { getScript } from '../find-script.ts';
import { homeOf } from '../find-service.ts';
import { tr } from '../language.ts';
import type { CommonOptions } from '../options.ts';
import { poll } from '../poll.ts';
import { ServiceClient } from '../service-client.ts';
import { DrawnLine } from '../terminal/drawn-line.ts';
import { printJson } from '../terminal/print.ts';
import { printable } from '../terminal/text.ts';
import { ReportedError, UserError, userError } from '../user-error.ts';
import { createScriptsFolder, faultOfPlace, writeScript } from '../write-script.ts';
import { type PlannedLine, planImport } from './crontab-plan.ts';
import { readCrontabText } from './crontab-source.ts';
import { describeImport, importJson, type Outcome } from './describe-import.ts';

/** As many triggers as triggers.toml is made for. */
const mostEntries = 10_000;

/** `hob triggers import`: shows or creates a script and a trigger for each line of a crontab. The crontab itself is never changed. */
export async function importCrontab(
  file: string | undefined,
  { home, json, write }: CommonOptions & { write?: boolean },
): Promise<void> {
  const client = await ServiceClient.find(home);
  const scriptsFolder = join(homeOf(home), 'scripts');
  const crontab = readCrontab(await readCrontabText(file));
  if (crontab.entries.length > mostEntries) throw tooMany(crontab.entries.length);
  const { scripts } = await client.get<ScriptList>('/api/scripts');
  const plan = planImport(crontab, {
    scriptsFolder,
    user: { name: userInfo().username, home: homedir() },
    now: new Date(),
    names: new Map(scripts.map(({ name, id }) => [name, id])),
  });
  const { items, problems } = await client.get<TriggerList>('/api/triggers');
  const [problem] = problems;
  if (write === true && problem !== undefined) throw brokenFile(problem);
  const triggers = new Map(items.map((trigger) => [trigger.id, trigger]));
  // Before the first write: lines that share a script all need it.
  const found = await Promise.all(plan.lines.map((line) => examine(line, triggers.get(line.triggerId))));
  const outcomes = write === true ? await createAll(client, found, scriptsFolder) : found;
  if (json === true) printJson(importJson(outcomes, plan));
  else process.stdout.write(describeImport(outcomes, plan, file));
  if (outcomes.some(({ state }) => state === 'failed')) throw new ReportedError();
}

function tooMany(count: number): UserError {
  return userError(
    `The crontab has ${count} commands. At most ${mostEntries} can be imported. Nothing was created. Import a file with those that you need: hob triggers import <file>`,
    `crontab 中有 ${count} 个命令，最多可导入 ${mostEntries} 个。没有创建任何内容。请只导入需要的命令：hob triggers import <文件>`,
  );
}

/** The state in which an earlier import left a line. */
async function examine(line: PlannedLine, trigger: Trigger | undefined): Promise<Outcome> {
  if (trigger === undefined) return { ...line, state: 'new', failure: null };
  if (await isScriptLost(line, trigger)) return { ...line, state: 'lost', failure: null };
  const isBroken = trigger.state === 'broken' || trigger.state === 'script-missing';
  const failure = isBroken ? (trigger.problems[0]?.message ?? '') : null;
  return { ...line, state: isBroken ? 'broken' : 'present', failure };
}

/** Whether the script of the line was deleted, and the trigger still names it. A script with a mistake keeps its folder. */
async function isScriptLost({ scriptId, folder }: PlannedLine, trigger: Trigger): Promise<boolean> {
  const isNamed = trigger.script?.toLowerCase() === scriptId || trigger.script_id === scriptId;
  return isNamed && trigger.script_name === null && (await faultOfPlace(folder)) === null;
}

function brokenFile({ file, line, message, advice }: TriggerList['problems'][number]): UserError {
  const place = line === null ? file : `${file}:${line}`;
  return new UserError(
    printable(
      `${place}${tr(': ', '：')}${message}${tr('. Nothing was created.', '。没有创建任何内容。')}\n${advice}`,
    ),
  );
}

const pollTimes = { everyMs: 50, withinMs: 5000 };

async function createAll(
  client: ServiceClient,
  found: readonly Outcome[],
  scriptsFolder: string,
): Promise<Outcome[]> {
  if (found.length > 0) await createScriptsFolder(scriptsFolder);
  const line = new DrawnLine(process.stderr);
  const show = (text: string) => {
    if (process.stderr.isTTY) line.draw(() => text);
  };
  const inTurn = async (outcomes: readonly Outcome[], what: string, work: Work): Promise<Outcome[]> => {
    const done: Outcome[] = [];
    for (const outcome of outcomes) {
      show(`${what} ${done.length + 1}/${outcomes.length}`);
      done.push(isOpen(outcome) ? await orFailed(outcome, work) : outcome);
    }
    return done;
  };
  try {
    // All scripts first: the service takes a moment to notice new folders, but notices many at once.
    const ids = new Set<string>();
    const written = await inTurn(found, tr('Scripts', '脚本'), (outcome) => writeOnce(client, outcome, ids));
    return await inTurn(written, tr('Triggers', '触发器'), (outcome) => finish(client, outcome));
  } finally {
    line.clear();
  }
}

type Work = (outcome: Outcome) => Promise<Outcome>;

function isOpen({ state }: Outcome): boolean {
  return state === 'new' || state === 'lost';
}

async function orFailed(outcome: Outcome, work: Work): Promise<Outcome> {
  try {
    return await work(outcome);
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return { ...outcome, state: 'failed', failure: error.message };
  }
}

/** Writes the script, unless another line or an import that was interrupted has written it. `written`: the ids of those of other lines. */
async function writeOnce(client: ServiceClient, outcome: Outcome, written: Set<string>): Promise<Outcome> {
  const { scriptId, folder, files } = outcome;
  if (!written.has(scriptId) && !(await isKnown(client, scriptId))) await writeScript(folder, files);
  written.add(scriptId);
  return outcome;
}

/** Waits until the service has read the script, and creates the trigger. */
async function finish(client: ServiceClient, outcome: Outcome): Promise<Outcome> {
  const { scriptId, folder, triggerId, fields, state } = outcome;
  const isRead = await poll(async () => ((await isKnown(client, scriptId)) ? true : null), pollTimes);
  if (isRead === null) throw notRead(folder);
  // The user may have changed a trigger that is present.
  if (state === 'lost') return { ...outcome, state: 'restored' };
  await client.put(`/api/triggers/${triggerId}`, { script: scriptId, kind: 'schedule', ...fields });
  return { ...outcome, state: 'created' };
}

async function isKnown(client: ServiceClient, scriptId: string): Promise<boolean> {
  return getScript(client, scriptId).then(
    () => true,
    (error: unknown) => {
      if (error instanceof UserError) return false;
      throw error;
    },
  );
}

function notRead(folder: string): UserError {
  return userError(
    `Hob does not read the script in ${folder}. To find the cause: hob check ${folder}`,
    `Hob 没有读取 ${folder} 中的脚本。查找原因：hob check ${folder}`,
  );
}
