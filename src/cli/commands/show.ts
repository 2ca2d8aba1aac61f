import type { Command } from 'commander';
import { describeDuration } from '../../contract/quantities.ts';
import type { BriefRun, Param, Run, RunPage, ScriptDetail } from '../../contract/types.ts';
import { isJsonObject } from '../../shared/json.ts';
import { curlOf, runLine } from '../command-lines.ts';
import { describeEnd, durationText, runTable, stateWord } from '../describe-run.ts';
import { lastOrById } from '../find-run.ts';
import { findScript } from '../find-script.ts';
import { tr } from '../language.ts';
import { type CommonOptions, exitCodesText, homeOption, jsonOption, withSignature } from '../options.ts';
import { ServiceClient } from '../service-client.ts';
import { paint, printAnswer, printJson, terminalWidth } from '../terminal/print.ts';
import { formatMinute, formatSecond, padToWidth, printable, widthOf, wrapText } from '../terminal/text.ts';
import { UserError } from '../user-error.ts';

const longestValue = 300;

const shownRuns = 5;

export function configure(command: Command): void {
  withSignature(command, {
    '<script>': [
      'script (slug, name, part of the name, id or id prefix) or run (id or last)',
      'slug、名称、名称的一部分、ID 或 ID 的开头；也可以是一次运行：运行 ID 或 last',
    ],
    ...homeOption,
    ...jsonOption,
  })
    .addHelpText('after', exitCodesText)
    .action(async (wanted: string, { home, json }: CommonOptions) => {
      const client = await ServiceClient.find(home);
      const script = await findScript(client, wanted).catch(async (error: unknown) => {
        const run = error instanceof UserError ? await lastOrById(client, wanted) : null;
        if (run === null) throw error;
        printAnswer(run, json, describeRun);
        return null;
      });
      if (script === null) return;
      if (json === true) return printJson(script);
      const { items } = await client.get<RunPage>(
        `/api/runs?limit=${shownRuns}&script=${encodeURIComponent(script.id)}`,
      );
      process.stdout.write(describeScript(script, items, curlOf(client, script), terminalWidth()));
    });
}

function originText({ origin, client }: Run): string {
  return client === null ? origin : tr(`agent: ${client}`, `智能体：${client}`);
}

function describeRun(run: Run): string {
  const facts: [name: string, value: string][] = [
    [tr('Script', '脚本'), `${run.script_name} (${run.script_id})`],
    [tr('State', '状态'), stateWord(run)],
    [tr('Queued at', '时间'), formatMinute(run.queued_at)],
    [tr('Duration', '耗时'), durationText(run)],
    [tr('Origin', '来源'), originText(run)],
    ...(run.trigger_id === null
      ? []
      : [[tr('Trigger', '触发器'), run.trigger_id] satisfies [string, string]]),
    ...attemptFacts(run),
    ...valueFacts(tr('Input', '主输入'), run.data),
    ...valueFacts(tr('Params', '参数'), run.params),
  ];
  if (run.left_running) facts.push([tr('Left-over processes', '残留进程'), String(run.left_running)]);
  const width = Math.max(...facts.map(([name]) => widthOf(name)));
  const lines = facts.map(([name, value]) => `${paint('dim', padToWidth(name, width))}  ${printable(value)}`);
  const isOver = run.ended_at !== null;
  const next = isOver
    ? [`hob logs ${run.run_id}`, `hob rerun ${run.run_id}`]
    : [`hob logs ${run.run_id} -f`, `hob cancel ${run.run_id}`];
  return `${[...lines, '', ...(isOver ? [describeEnd(run)] : []), ...next].join('\n')}\n`;
}

/** Nothing for the only attempt of a run. */
function attemptFacts({ attempt, first_run_id, next_attempt_at }: Run): [string, string][] {
  const facts: [string, string][] = [];
  if (first_run_id !== null)
    facts.push([
      tr('Attempt', '尝试'),
      tr(`${attempt} (first: ${first_run_id})`, `第 ${attempt} 次（首次：${first_run_id}）`),
    ]);
  else if (next_attempt_at !== null) facts.push([tr('Attempt', '尝试'), tr('1', '第 1 次')]);
  if (next_attempt_at !== null) facts.push([tr('Next attempt', '下次尝试'), formatSecond(next_attempt_at)]);
  return facts;
}

function valueFacts(name: string, value: unknown): [string, string][] {
  if (!isJsonObject(value) || Object.keys(value).length === 0) return [];
  const text = JSON.stringify(value);
  return [[name, text.length <= longestValue ? text : `${text.slice(0, longestValue)}...`]];
}

const indent = '  ';

function describeScript(
  script: ScriptDetail,
  runs: readonly BriefRun[],
  curl: string,
  lineWidth = Number.POSITIVE_INFINITY,
): string {
  const { name, version, desc } = script;
  const params = script.params.map((param): [string, string] => [param.name, describeParam(param)]);
  const table = runTable(runs, { lineWidth: lineWidth - indent.length });
  const sections = [
    [
      paint('bold', printable(version === null ? name : `${name} ${version}`)),
      ...wrapText(printable(desc ?? ''), lineWidth).filter((line) => line !== ''),
    ],
    factLines(factsOf(script), lineWidth),
    section(tr('Input', '主输入'), factLines(inputFacts(script), lineWidth - indent.length)),
    section(tr('Params (-p name=value)', '参数（-p 名称=值）'), factLines(params, lineWidth - indent.length)),
    section(tr('Recent runs', '最近的运行'), runs.length === 0 ? [] : table),
    section(tr('Run', '运行方法'), [runLine(script), curl]),
  ].filter((lines) => lines.length > 0);
  return `${sections.map((lines) => lines.join('\n')).join('\n\n')}\n`;
}

function section(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : [paint('bold', title), ...lines.map((line) => indent + line)];
}

function factsOf(script: ScriptDetail): [name: string, value: string][] {
  const { id, slug, folder, language, language_version, entry, node, models } = script;
  const { timeout, concurrency, lock, retries } = script;
  const facts: [name: string, value: string][] = [
    ['ID', id],
    ['Slug', slug],
    [tr('Folder', '文件夹'), folder],
    [tr('Language', '语言'), language_version === null ? language : `${language} ${language_version}`],
    [tr('Entry', '入口'), entry],
    [
      tr('Node', '节点'),
      node ? tr('yes: other scripts can call it', '是：其他脚本可以调用') : tr('no', '否'),
    ],
  ];
  if (timeout !== null) facts.push([tr('Timeout', '时限'), `${timeout} ${tr('s', '秒')}`]);
  if (concurrency !== null) facts.push([tr('Concurrency', '并发'), `${concurrency}`]);
  if (lock !== null) facts.push([tr('Lock', '锁'), lock]);
  if (retries !== null) facts.push([tr('Retries', '重试'), describeRetries(retries)]);
  for (const [index, model] of models.entries())
    facts.push([index === 0 ? tr('Models', '模型') : '', modelText(model)]);
  return facts;
}

function describeRetries({ attempts, backoff_s, factor, on }: NonNullable<ScriptDetail['retries']>): string {
  const first = describeDuration(backoff_s * 1000);
  return tr(
    `up to ${attempts} attempts after ${on.join(', ')}; ${first.en} before the second, then ${factor} times as long each`,
    `最多 ${attempts} 次（${on.join('、')}），首次间隔 ${first.zh}，之后每次 ${factor} 倍`,
  );
}

function modelText({ repo_id: id, state }: ScriptDetail['models'][number]): string {
  if (state === 'complete') return tr(`${id} (downloaded)`, `${id}（已下载）`);
  return tr(`${id} (not downloaded: hob model pull ${id})`, `${id}（未下载：hob model pull ${id}）`);
}

function inputFacts({ input }: ScriptDetail): [name: string, value: string][] {
  if (input === null) return [];
  const facts = [kindOf(input), ...(input.exts.length > 0 ? [input.exts.join(' ')] : [])];
  return [[input.name, sentence(facts.join(tr(', ', '，')), input.description)]];
}

function kindOf({ pick, type }: NonNullable<ScriptDetail['input']>): string {
  const isSingle = type === 'str';
  if (pick === null) return isSingle ? tr('a text', '一段文本') : tr('texts', '文本');
  if (pick === 'folders')
    return isSingle ? tr('a folder path', '一个文件夹的路径') : tr('folder paths', '文件夹的路径');
  if (pick === 'files')
    return isSingle ? tr('a file path', '一个文件的路径') : tr('file paths', '文件的路径');
  return isSingle ? tr('a path', '一个路径') : tr('paths', '路径');
}

function describeParam(param: Param): string {
  const { type, choices, required, secret, when, label, name, description } = param;
  const facts = [
    type,
    ...(choices.length > 0 ? [choices.join('|')] : []),
    ...(param.default === undefined || secret
      ? []
      : [tr(`default ${JSON.stringify(param.default)}`, `默认 ${JSON.stringify(param.default)}`)]),
    ...(required ? [tr('required', '必填')] : []),
    ...(secret ? [tr('secret', '机密')] : []),
    ...(when === null
      ? []
      : [
          tr(
            `when ${when.field} is ${JSON.stringify(when.eq)}`,
            `当 ${when.field} 为 ${JSON.stringify(when.eq)} 时`,
          ),
        ]),
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
