import { userInfo } from 'node:os';
import { join } from 'node:path';

import type { ScriptList, Trigger, TriggerList } from '../../contract/types.ts';
import { readCrontab } from '../crontab.ts';
import { getScript } from '../find-script.ts';
import { homeOf } from '../find-service.ts';
import { tr } from '../language.ts';
import type { CommonOptions } from '../options.ts';
import { poll } from '../poll.ts';
import { ServiceClient } from '../service-client.ts';
import { printJson } from '../terminal/print.ts';
import { printable } from '../terminal/text.ts';
import { ReportedError, UserError, userError } from '../user-error.ts';
import { createScriptsFolder, faultOfPlace, writeScript } from '../write-script.ts';
import { type PlannedLine, planImport } from './crontab-plan.ts';
import { readCrontabText } from './crontab-source.ts';
import { describeImport, importJson, type Outcome } from './describe-import.ts';

/** `hob triggers import`: shows or creates a script and a trigger for each line of a crontab. The crontab itself is never changed. */
export async function importCrontab(
  file: string | undefined,
  { home, json, write }: CommonOptions & { write?: boolean },
): Promise<void> {
  const client = await ServiceClient.find(home);
  const scriptsFolder = join(homeOf(home), 'scripts');
  const crontab = readCrontab(await readCrontabText(file));
  const { scripts } = await client.get<ScriptList>('/api/scripts');
  const plan = planImport(crontab, {
    scriptsFolder,
    user: userInfo().username,
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

/** What an earlier import has left of a line. */
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
  const outcomes: Outcome[] = [];
  for (const outcome of found) outcomes.push(await create(client, outcome));
  return outcomes;
}

async function create(client: ServiceClient, outcome: Outcome): Promise<Outcome> {
  if (outcome.state !== 'new' && outcome.state !== 'lost') return outcome;
  try {
    await createScript(client, outcome);
    // The user may have changed a trigger that is present.
    if (outcome.state === 'lost') return { ...outcome, state: 'restored' };
    await client.put(`/api/triggers/${outcome.triggerId}`, {
      script: outcome.scriptId,
      kind: 'schedule',
      ...outcome.fields,
    });
    return { ...outcome, state: 'created' };
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return { ...outcome, state: 'failed', failure: error.message };
  }
}

/** Writes the script, unless another line or an import that was interrupted has written it. */
async function createScript(client: ServiceClient, { scriptId, folder, files }: PlannedLine): Promise<void> {
  if (await isKnown(client, scriptId)) return;
  await writeScript(folder, files);
  const isRead = await poll(async () => ((await isKnown(client, scriptId)) ? true : null), pollTimes);
  if (isRead === null) throw notRead(folder);
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
