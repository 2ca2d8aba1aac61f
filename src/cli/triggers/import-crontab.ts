import { readFile } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

import type { ScriptList, TriggerList } from '../../contract/types.ts';
import { errnoOf } from '../../shared/errors.ts';
import { runCommand } from '../../shared/run-command.ts';
import { quoteWord } from '../command-lines.ts';
import { readCrontab } from '../crontab.ts';
import { getScript } from '../find-script.ts';
import { homeOf } from '../find-service.ts';
import { tr } from '../language.ts';
import type { CommonOptions } from '../options.ts';
import { poll } from '../poll.ts';
import { ServiceClient } from '../service-client.ts';
import { paint, printJson } from '../terminal/print.ts';
import { printable } from '../terminal/text.ts';
import { ReportedError, UserError, userError } from '../user-error.ts';
import { createScriptsFolder, writeScript } from '../write-script.ts';
import { type CrontabPlan, type PlannedLine, planImport } from './crontab-plan.ts';

/** new: not created yet. present: an earlier import created it. */
type LineState = 'new' | 'present' | 'created' | 'failed';

interface Outcome extends PlannedLine {
  readonly state: LineState;
  /** Why it could not be created. */
  readonly failure: string | null;
}

const mostBytes = 4 * 1024 * 1024;

/** `hob triggers import`: shows or creates a script and a trigger for each line of a crontab. The crontab itself is never changed. */
export async function importCrontab(
  file: string | undefined,
  { home, json, write }: CommonOptions & { write?: boolean },
): Promise<void> {
  const client = await ServiceClient.find(home);
  const scriptsFolder = join(homeOf(home), 'scripts');
  const crontab = readCrontab(await readSource(file));
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
  const known = new Set(items.map(({ id }) => id));
  const outcomes: Outcome[] = [];
  if (write === true && plan.lines.length > 0) await createScriptsFolder(scriptsFolder);
  for (const line of plan.lines) {
    if (known.has(line.triggerId)) outcomes.push({ ...line, state: 'present', failure: null });
    else if (write !== true) outcomes.push({ ...line, state: 'new', failure: null });
    else outcomes.push(await create(client, line));
  }
  if (json === true) printJson(asJson(outcomes, plan));
  else process.stdout.write(describe(outcomes, plan, file));
  if (outcomes.some(({ state }) => state === 'failed')) throw new ReportedError();
}

async function readSource(file: string | undefined): Promise<string> {
  if (file === '-') return text(process.stdin);
  if (file !== undefined) {
    const bytes = await readFile(file).catch((error: unknown) => {
      throw userError(
        `Cannot read ${printable(file)} (${errnoOf(error)}).`,
        `无法读取 ${printable(file)}（${errnoOf(error)}）。`,
      );
    });
    if (bytes.length > mostBytes || bytes.includes(0))
      throw userError(`${printable(file)} is not a crontab.`, `${printable(file)} 不是 crontab。`);
    return bytes.toString('utf8');
  }
  const { ok, stdout, stderr, failure } = await runCommand('crontab', ['-l']);
  if (ok) return stdout;
  if (/no crontab/i.test(stderr)) return '';
  throw failure === 'ENOENT'
    ? userError(
        'The command crontab was not found. Name a file: hob triggers import <file>',
        '找不到 crontab 命令。请指定文件：hob triggers import <文件>',
      )
    : userError(
        `crontab -l failed (${failure}). ${printable(stderr.trim())}`,
        `crontab -l 失败（${failure}）。${printable(stderr.trim())}`,
      );
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

async function create(client: ServiceClient, line: PlannedLine): Promise<Outcome> {
  try {
    // An import that was interrupted has created the script alone.
    if (!(await isKnown(client, line.scriptId))) {
      await writeScript(line.folder, line.files);
      const isRead = await poll(
        async () => ((await isKnown(client, line.scriptId)) ? true : null),
        pollTimes,
      );
      if (isRead === null) throw notRead(line.folder);
    }
    await client.put(`/api/triggers/${line.triggerId}`, {
      script: line.scriptId,
      kind: 'schedule',
      ...line.fields,
    });
    return { ...line, state: 'created', failure: null };
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return { ...line, state: 'failed', failure: error.message };
  }
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

function asJson(outcomes: readonly Outcome[], { refused }: CrontabPlan) {
  return {
    lines: outcomes.map(
      ({
        line,
        cron,
        timezone,
        command,
        scriptId,
        name,
        folder,
        triggerId,
        words,
        next,
        notes,
        state,
        failure,
      }) => ({
        line,
        cron,
        timezone,
        command,
        script_id: scriptId,
        script_name: name,
        folder,
        trigger_id: triggerId,
        words,
        next,
        notes,
        state,
        failure,
      }),
    ),
    refused: refused.map(({ line, text: content, reason }) => ({ line, text: content, reason })),
  };
}

const states = {
  new: '',
  present: tr(' (already imported)', '（已导入）'),
  created: tr(' (created)', '（已创建）'),
  failed: tr(' (not created)', '（未创建）'),
} as const;

function describe(outcomes: readonly Outcome[], { refused }: CrontabPlan, file: string | undefined): string {
  if (outcomes.length === 0 && refused.length === 0)
    return tr('The crontab has no commands.\n', 'crontab 中没有命令。\n');
  const blocks = [
    ...outcomes.map((outcome) => ({ line: outcome.line, rows: rowsOf(outcome) })),
    ...refused.map(({ line, text: content, reason }) => ({
      line,
      rows: [
        paint(
          'yellow',
          tr(`Line ${line} cannot be taken over: ${reason}`, `第 ${line} 行无法接管：${reason}`),
        ),
        `  ${printable(content)}`,
      ],
    })),
  ].sort((one, other) => one.line - other.line);
  return `${[...blocks.flatMap(({ rows }) => [...rows, '']), ...conclusion(outcomes, refused, file)].join('\n')}\n`;
}

function rowsOf({ line, words, command, name, triggerId, notes, state, failure }: Outcome): string[] {
  const rows = [
    [tr('command', '命令'), command],
    [tr('script', '脚本'), name],
    [tr('trigger', '触发器'), triggerId],
    ...notes.map((note) => [tr('note', '提示'), note]),
    ...(failure === null ? [] : [[tr('failed', '失败'), failure]]),
  ];
  return [
    `${paint('bold', tr(`Line ${line}: ${words}`, `第 ${line} 行：${words}`))}${states[state]}`,
    ...rows.map(([title, content]) => `  ${title}${tr(': ', '：')}${printable(content ?? '')}`),
  ];
}

function conclusion(
  outcomes: readonly Outcome[],
  refused: CrontabPlan['refused'],
  file: string | undefined,
): string[] {
  const count = (wanted: LineState) => outcomes.filter(({ state }) => state === wanted).length;
  const [fresh, created] = [count('new'), count('created')];
  if (fresh > 0) {
    const command = [
      'hob triggers import',
      ...(file === undefined ? [] : [printable(quoteWord(file))]),
      '--write',
    ].join(' ');
    return [
      tr(
        `Nothing was created yet. To create ${fresh} of them with their triggers: ${command}`,
        `尚未创建任何内容。创建其中 ${fresh} 项及其触发器：${command}`,
      ),
    ];
  }
  const active = outcomes.filter(({ state }) => state === 'created' || state === 'present');
  if (active.length === 0) return [tr('No trigger was created.', '没有创建任何触发器。')];
  const replaced = active.map(({ line }) => line);
  const duplicates = refused.filter(({ sameAs }) => sameAs !== null && replaced.includes(sameAs));
  const lines = [...replaced, ...duplicates.map(({ line }) => line)]
    .sort((one, other) => one - other)
    .join(', ');
  return [
    created > 0
      ? tr(`Created: ${created}.`, `已创建 ${created} 项。`)
      : tr('Nothing new was created.', '没有新内容可创建。'),
    tr(
      `The crontab was not changed. Remove these lines from it (crontab -e), otherwise cron runs them as well: ${lines}`,
      `crontab 未被修改。请用 crontab -e 删除这些行，否则 cron 也会运行它们：${lines}`,
    ),
  ];
}
