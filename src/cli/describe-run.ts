import { describeDuration } from '../contract/quantities.ts';
import { isJsonObject, type Json, type JsonObject } from '../shared/json.ts';
import { numberOf, textOf } from './answer-fields.ts';
import { language, tr } from './language.ts';
import { paint } from './terminal/print.ts';
import { padToWidth, printable, widthOf, wrapText } from './terminal/text-width.ts';

/** The part of a run record that commands show. */
export interface ShownRun {
  readonly id: string;
  readonly scriptId: string;
  readonly scriptName: string;
  readonly state: string;
  readonly endCause: string | null;
  readonly exitCode: number | null;
  /** The envelope, and whether the script wrote it itself. */
  readonly result: JsonObject;
  readonly isOwnResult: boolean;
  readonly queuedAt: string | null;
  readonly durationMs: number | null;
}

export function readRun(record: JsonObject): ShownRun {
  return {
    id: textOf(record.run_id) ?? '',
    scriptId: textOf(record.script_id) ?? '',
    scriptName: printable(textOf(record.script_name) ?? ''),
    state: textOf(record.state) ?? '',
    endCause: textOf(record.end_cause),
    exitCode: numberOf(record.exit_code),
    result: isJsonObject(record.result) ? record.result : {},
    isOwnResult: record.envelope === 'own',
    queuedAt: textOf(record.queued_at),
    durationMs: durationOf(record),
  };
}

/** Duration of the run, or the time since its start if it is still running. */
function durationOf({ duration_ms, started_at, ended_at }: JsonObject): number | null {
  const known = numberOf(duration_ms);
  const startedAt = textOf(started_at);
  if (known !== null || startedAt === null || textOf(ended_at) !== null) return known;
  return Math.max(0, Date.now() - Date.parse(startedAt));
}

const states: Readonly<Record<string, string>> = {
  queued: tr('queued', '排队中'),
  running: tr('running', '运行中'),
  succeeded: tr('succeeded', '成功'),
  failed: tr('failed', '失败'),
  cancelled: tr('cancelled', '已取消'),
  'timed out': tr('timed out', '超时'),
  unknown: tr('unknown', '未知'),
};

/** The state in one word. A failed run that was cancelled or timed out shows that cause instead. */
export function stateWord({ state, endCause }: Pick<ShownRun, 'state' | 'endCause'>): string {
  const cause = endCause === 'timeout' ? 'timed out' : endCause;
  const word = state === 'failed' && cause !== null && cause in states ? cause : state;
  return states[word] ?? printable(word);
}

/** Colours the word of a state. */
export function paintState(text: string, stream: NodeJS.WriteStream = process.stdout): string {
  const word = text.trimEnd();
  if (word === states.succeeded) return paint('green', text, stream);
  if (word === states.queued || word === states.running) return paint('yellow', text, stream);
  return paint('red', text, stream);
}

export function formatRunDuration(ms: number | null): string {
  return ms === null ? '-' : describeDuration(ms)[language];
}

/** First line of the envelope's message. A message that Hob wrote in the other language is replaced. */
export function messageOf(run: ShownRun): string {
  const said = printable(textOf(run.result.msg) ?? '').split('\n')[0] ?? '';
  const isOther = /\p{Script=Han}/u.test(said) !== (language === 'zh');
  return said !== '' && !run.isOwnResult && isOther ? (causeText(run) ?? said) : said;
}

/** Describes the end cause from the record alone. */
function causeText({ state, endCause, exitCode }: ShownRun): string | null {
  switch (endCause) {
    case 'cancelled':
      return tr('The run was cancelled', '运行已取消');
    case 'timeout':
      return tr('The script exceeded its time limit', '脚本运行超时');
    case 'shutdown':
      return tr('Hob was stopped', 'Hob 已停止');
    case 'signal':
      return tr('The script was terminated by a signal', '脚本被信号终止');
    case 'lost':
      return tr('The result of the run is unknown', '运行的结果未知');
    case 'exit':
      return state === 'succeeded'
        ? tr('The script wrote no result', '脚本没有写入结果')
        : tr(`The script failed with exit code ${exitCode}`, `脚本执行失败，退出码 ${exitCode}`);
    default:
      return null;
  }
}

/** Fields that are not listed: code and message are shown above, and the script has printed the traceback itself. */
const hiddenFields: ReadonlySet<string> = new Set(['code', 'msg', 'traceback']);
/** Longer results are cut; --json prints all of them. */
const mostItems = 20;
const longestText = 500;
const indent = '  ';

/** Whether the run succeeded: by its state and by the code in its own envelope. */
export function isSuccessful({ state, result, isOwnResult }: ShownRun): boolean {
  return state === 'succeeded' && (!isOwnResult || result.code === 0);
}

/** Describes the end of a run, for stderr: outcome, envelope and run id. */
export function describeEnd(record: JsonObject): string {
  const run = readRun(record);
  const lines = [
    ...outcomeLines(run),
    ...valueLines(run.result),
    paint('dim', tr(`run ${run.id}`, `运行 ID：${run.id}`), process.stderr),
  ];
  return lines.map((line) => `${line}\n`).join('');
}

function outcomeLines(run: ShownRun): string[] {
  const { scriptName, durationMs, isOwnResult } = run;
  const time =
    durationMs === null
      ? ''
      : tr(` (${formatRunDuration(durationMs)})`, `（${formatRunDuration(durationMs)}）`);
  const [colour, verdict] = verdictOf(run);
  const said = isOwnResult ? printable(textOf(run.result.msg) ?? '') : '';
  const first = `${scriptName}${tr(': ', '：')}${paint(colour, verdict, process.stderr)}${time}`;
  if (said !== '') return [first, ...said.split('\n').map((line) => indent + line)];
  return isSuccessful(run) ? [first, ...remark(messageOf(run))] : [first];
}

/** A remark of Hob about a missing or invalid envelope. */
function remark(text: string): string[] {
  const { isTTY, columns } = process.stderr;
  const width = isTTY ? columns - indent.length : Number.POSITIVE_INFINITY;
  return wrapText(text, width).map((line) => indent + paint('dim', line, process.stderr));
}

/** The outcome in a few words. If the script wrote no message, the message of Hob is used. */
function verdictOf(run: ShownRun): ['green' | 'red', string] {
  const { state, exitCode, result, isOwnResult } = run;
  if (isSuccessful(run)) return ['green', tr('succeeded', '成功')];
  if (state === 'succeeded') return ['red', tr(`reported code ${result.code}`, `报告代码 ${result.code}`)];
  if (!isOwnResult && messageOf(run) !== '') return ['red', messageOf(run)];
  return ['red', tr(`failed with exit code ${exitCode}`, `失败，退出码 ${exitCode}`)];
}

/** The other fields of an envelope, with one line per list item. */
function valueLines(result: JsonObject): string[] {
  const entries = Object.entries(result).filter(([name]) => !hiddenFields.has(name));
  const nameWidth = Math.max(0, ...entries.map(([name]) => widthOf(printable(name))));
  return entries.flatMap(([name, value]) =>
    linesOfValue(value).map((line, index) => {
      const title = padToWidth(index === 0 ? printable(name) : '', nameWidth);
      return `${indent}${paint('dim', title, process.stderr)}${indent}${line}`;
    }),
  );
}

function linesOfValue(value: Json): string[] {
  if (!Array.isArray(value)) return lineOf(value).split('\n');
  const shown = value.slice(0, mostItems).map((item) => lineOf(item).replaceAll('\n', ' '));
  const more = value.length - shown.length;
  if (more > 0)
    shown.push(tr(`... and ${more} more (use --json to see all)`, `……还有 ${more} 项（--json 显示全部）`));
  return shown.length === 0 ? ['[]'] : shown;
}

function lineOf(value: Json): string {
  const text = printable(typeof value === 'string' ? value : JSON.stringify(value));
  return text.length <= longestText ? text : `${text.slice(0, longestText)}...`;
}
