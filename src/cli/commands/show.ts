import type { Command } from 'commander';

import { isJsonObject, type Json, type JsonObject } from '../../shared/json.ts';
import { numberOf, objectsIn, textOf } from '../answer-fields.ts';
import { curlOf, runLine } from '../command-lines.ts';
import { describeEnd, formatRunDuration, readRun, stateWord } from '../describe-run.ts';
import { pickRun, runById } from '../find-run.ts';
import { findScript, type MainInput, readScript, type ScriptShape, type ShownParam } from '../find-script.ts';
import { tr } from '../language.ts';
import { type CommonOptions, exitCodesText, homeOption, jsonOption, strictUsage } from '../options.ts';
import { ServiceClient } from '../service-client.ts';
import { paint, printJson } from '../terminal/print.ts';
import { formatMinute } from '../terminal/quantities.ts';
import { padToWidth, printable, widthOf, wrapText } from '../terminal/text-width.ts';
import { UserError } from '../user-error.ts';
import { runTable } from './runs.ts';

const longestValue = 300;

const shownRuns = 5;

export function configure(command: Command): void {
  strictUsage(command);
  command
    .argument(
      '<script>',
      tr(
        'script (name, part of the name, id or id prefix) or run (id or last)',
        '名称、名称的一部分、ID 或 ID 的开头；也可以是一次运行：运行 ID 或 last',
      ),
    )
    .option(...homeOption)
    .option(...jsonOption)
    .addHelpText('after', exitCodesText)
    .action(async (wanted: string, { home, json }: CommonOptions) => {
      const client = await ServiceClient.find(home);
      const found = await findScript(client, wanted).catch(async (error: unknown) => {
        const run = error instanceof UserError ? await findRun(client, wanted) : null;
        if (run === null) throw error;
        if (json === true) printJson(run);
        else process.stdout.write(describeRun(run));
        return null;
      });
      if (found === null) return;
      const { script, answer } = found;
      if (json === true) return printJson(answer);
      const runs = await client.get(`/api/runs?limit=${shownRuns}&script=${encodeURIComponent(script.id)}`);
      const curl = curlOf(client, script);
      const { isTTY, columns } = process.stdout;
      process.stdout.write(describeScript({ answer, runs, curl }, isTTY ? columns : undefined));
    });
}

function findRun(client: ServiceClient, wanted: string): Promise<JsonObject | null> {
  return wanted === 'last' ? pickRun(client, wanted) : runById(client, wanted);
}

/** Shows the record of one run and the commands that are useful next. */
function describeRun(record: JsonObject): string {
  const run = readRun(record);
  const facts: [name: string, value: string][] = [
    [tr('Script', '脚本'), `${run.scriptName} (${run.scriptId})`],
    [tr('State', '状态'), stateWord(run)],
    [tr('Queued at', '时间'), formatMinute(run.queuedAt)],
    [tr('Duration', '耗时'), formatRunDuration(run.durationMs)],
    [tr('Origin', '来源'), textOf(record.origin) ?? ''],
    ...valueFacts(tr('Input', '主输入'), record.data),
    ...valueFacts(tr('Params', '参数'), record.params),
    ...countFact(tr('Left-over processes', '残留进程'), record.left_running),
  ];
  const width = Math.max(...facts.map(([name]) => widthOf(name)));
  const lines = facts.map(([name, value]) => `${paint('dim', padToWidth(name, width))}  ${printable(value)}`);
  const isOver = textOf(record.ended_at) !== null;
  const next = isOver
    ? [`hob logs ${run.id}`, `hob rerun ${run.id}`]
    : [`hob logs ${run.id} -f`, `hob cancel ${run.id}`];
  return `${[...lines, '', ...(isOver ? [describeEnd(record)] : []), ...next].join('\n')}\n`;
}

function valueFacts(name: string, value: Json | undefined): [string, string][] {
  if (!isJsonObject(value) || Object.keys(value).length === 0) return [];
  const text = JSON.stringify(value);
  return [[name, text.length <= longestValue ? text : `${text.slice(0, longestValue)}...`]];
}

function countFact(name: string, value: Json | undefined): [string, string][] {
  const count = numberOf(value);
  return count === null || count === 0 ? [] : [[name, String(count)]];
}

interface ShownScript {
  /** The responses of GET /api/scripts/<id> and GET /api/runs. */
  readonly answer: JsonObject;
  readonly runs: JsonObject;
  /** The command that runs it over HTTP. */
  readonly curl: string;
}

const indent = '  ';

/** Shows the details of one script. */
function describeScript({ answer, runs, curl }: ShownScript, lineWidth = Number.POSITIVE_INFINITY): string {
  const script = readScript(answer);
  const version = textOf(answer.version);
  const sections = [
    [
      paint('bold', printable(version === null ? script.name : `${script.name} ${version}`)),
      ...wrapText(printable(textOf(answer.desc) ?? ''), lineWidth).filter((line) => line !== ''),
    ],
    factLines(factsOf(answer), lineWidth),
    ...inputSection(script, lineWidth),
    ...paramSection(script, lineWidth),
    ...runSection(objectsIn(runs.items), lineWidth),
    [heading(tr('Run', '运行方法')), indent + runLine(script), indent + curl],
  ];
  return `${sections.map((lines) => lines.join('\n')).join('\n\n')}\n`;
}

function factsOf(answer: JsonObject): [name: string, value: string][] {
  const wanted = textOf(answer.language_version);
  const timeout = numberOf(answer.timeout);
  const concurrency = numberOf(answer.concurrency);
  const lock = textOf(answer.lock);
  const models = objectsIn(answer.models).map(modelText);
  return [
    ['ID', textOf(answer.id) ?? ''],
    [tr('Folder', '文件夹'), textOf(answer.folder) ?? ''],
    [tr('Language', '语言'), [textOf(answer.language) ?? '', ...(wanted === null ? [] : [wanted])].join(' ')],
    [tr('Entry', '入口'), textOf(answer.entry) ?? ''],
    [
      tr('Node', '节点'),
      answer.node === true ? tr('yes: other scripts can call it', '是：其他脚本可以调用') : tr('no', '否'),
    ],
    ...(timeout === null ? [] : [[tr('Timeout', '时限'), `${timeout} ${tr('s', '秒')}`] as [string, string]]),
    ...(concurrency === null ? [] : [[tr('Concurrency', '并发'), `${concurrency}`] as [string, string]]),
    ...(lock === null ? [] : [[tr('Lock', '锁'), lock] as [string, string]]),
    ...models.map((text, index): [string, string] => [index === 0 ? tr('Models', '模型') : '', text]),
  ];
}

function modelText({ repo_id, state }: JsonObject): string {
  const id = textOf(repo_id) ?? '';
  if (state === 'complete') return tr(`${id} (downloaded)`, `${id}（已下载）`);
  return tr(`${id} (not downloaded: hob model pull ${id})`, `${id}（未下载：hob model pull ${id}）`);
}

function inputSection({ input }: ScriptShape, lineWidth: number): string[][] {
  if (input === null) return [];
  const facts = [kindOf(input), ...(input.exts.length > 0 ? [input.exts.join(' ')] : [])];
  const rows: [string, string][] = [[input.name, sentence(facts.join(tr(', ', '，')), input.description)]];
  return [[heading(tr('Input', '主输入')), ...factLines(rows, lineWidth - indent.length).map(indented)]];
}

function kindOf({ pick, isSingle }: MainInput): string {
  if (pick === null) return isSingle ? tr('a text', '一段文本') : tr('texts', '文本');
  if (pick === 'folders')
    return isSingle ? tr('a folder path', '一个文件夹的路径') : tr('folder paths', '文件夹的路径');
  if (pick === 'files')
    return isSingle ? tr('a file path', '一个文件的路径') : tr('file paths', '文件的路径');
  return isSingle ? tr('a path', '一个路径') : tr('paths', '路径');
}

function paramSection({ params }: ScriptShape, lineWidth: number): string[][] {
  if (params.length === 0) return [];
  const rows = params.map((param): [string, string] => [param.name, describeParam(param)]);
  return [
    [
      heading(tr('Params (-p name=value)', '参数（-p 名称=值）')),
      ...factLines(rows, lineWidth - indent.length).map(indented),
    ],
  ];
}

function runSection(records: readonly JsonObject[], lineWidth: number): string[][] {
  if (records.length === 0) return [];
  const table = runTable(records.map(readRun), { lineWidth: lineWidth - indent.length, isOneScript: true });
  return [[heading(tr('Recent runs', '最近的运行')), ...table.map(indented)]];
}

function describeParam(param: ShownParam): string {
  const { type, choices, isRequired, isSecret, when, label, name, description } = param;
  const facts = [
    type,
    ...(choices.length > 0 ? [choices.join('|')] : []),
    ...(param.default === undefined || isSecret
      ? []
      : [tr(`default ${show(param.default)}`, `默认 ${show(param.default)}`)]),
    ...(isRequired ? [tr('required', '必填')] : []),
    ...(isSecret ? [tr('secret', '机密')] : []),
    ...(when === null
      ? []
      : [tr(`when ${when.field} is ${show(when.eq)}`, `当 ${when.field} 为 ${show(when.eq)} 时`)]),
  ].join(tr(', ', '，'));
  return sentence(facts, description ?? (label === name ? null : label));
}

function sentence(facts: string, description: string | null): string {
  return description === null || description === ''
    ? facts
    : tr(`${facts}. ${description}`, `${facts}。${description}`);
}

/** Two columns: names, and values that wrap. */
function factLines(facts: readonly [name: string, value: string][], lineWidth: number): string[] {
  const nameWidth = Math.max(...facts.map(([name]) => widthOf(printable(name))));
  return facts.flatMap(([name, value]) =>
    wrapText(printable(value), lineWidth - nameWidth - indent.length).map((line, index) => {
      const title = padToWidth(index === 0 ? printable(name) : '', nameWidth);
      return `${paint('dim', title)}${indent}${line}`;
    }),
  );
}

function show(value: Json): string {
  return JSON.stringify(value);
}

function heading(text: string): string {
  return paint('bold', text);
}

function indented(line: string): string {
  return indent + line;
}
