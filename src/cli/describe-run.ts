import { describeEnding } from '../contract/endings.ts';
import { describeDuration } from '../contract/quantities.ts';
import type { BriefRun, Run } from '../contract/types.ts';
import { shortId } from './find-script.ts';
import { language, tr } from './language.ts';
import { paint } from './terminal/print.ts';
import {
  type Column,
  formatMinute,
  formatTable,
  padToWidth,
  printable,
  widthOf,
  wrapText,
} from './terminal/text.ts';

/** Duration of the run, or the time since its start if it is still running. A dash if it has not started. */
export function durationText(run: Pick<Run, 'duration_ms' | 'started_at' | 'ended_at'>): string {
  const { duration_ms, started_at, ended_at } = run;
  if (duration_ms !== null || started_at === null || ended_at !== null) return formatRunDuration(duration_ms);
  return formatRunDuration(Math.max(0, Date.now() - Date.parse(started_at)));
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
export function stateWord({ state, end_cause }: Pick<Run, 'state' | 'end_cause'>): string {
  const cause = end_cause === 'timeout' ? 'timed out' : end_cause;
  const word = state === 'failed' && cause !== null && cause in states ? cause : state;
  return states[word] ?? printable(word);
}

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
export function messageOf(run: BriefRun): string {
  const said = printable(run.result?.msg ?? '').split('\n')[0] ?? '';
  const isOther = /\p{Script=Han}/u.test(said) !== (language === 'zh');
  return said !== '' && run.envelope !== 'own' && isOther ? (causeText(run) ?? said) : said;
}

/** Describes the end from the record alone; null if the record does not have the reason. */
function causeText({ state, end_cause, exit_code }: BriefRun): string | null {
  if (end_cause === null || end_cause === 'spawn-failed') return null;
  if (state === 'succeeded') return tr('The script wrote no result', '脚本没有写入结果');
  return describeEnding({ cause: end_cause, exitCode: exit_code })[language];
}

/** Fields that are not listed: code and message are shown above, and the script has printed the traceback itself. */
const hiddenFields: ReadonlySet<string> = new Set(['code', 'msg', 'traceback']);
/** Longer results are cut; --json prints all of them. */
const mostItems = 20;
const longestText = 500;
const indent = '  ';

/** Whether the run succeeded: by its state and by the code in its own envelope. */
export function isSuccessful({ state, result, envelope }: Run): boolean {
  return state === 'succeeded' && (envelope !== 'own' || result?.code === 0);
}

export function describeEnd(run: Run): string {
  const lines = [
    ...outcomeLines(run),
    ...valueLines(run.result ?? {}),
    paint('dim', tr(`run ${run.run_id}`, `运行 ID：${run.run_id}`), process.stderr),
  ];
  return lines.map((line) => `${line}\n`).join('');
}

function outcomeLines(run: Run): string[] {
  const duration = durationText(run);
  const time = duration === '-' ? '' : tr(` (${duration})`, `（${duration}）`);
  const [colour, verdict] = verdictOf(run);
  const said = run.envelope === 'own' ? printable(run.result?.msg ?? '') : '';
  const first = `${printable(run.script_name)}${tr(': ', '：')}${paint(colour, verdict, process.stderr)}${time}`;
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
function verdictOf(run: Run): ['green' | 'red', string] {
  const { state, exit_code, envelope } = run;
  const code = run.result?.code;
  if (isSuccessful(run)) return ['green', tr('succeeded', '成功')];
  if (state === 'succeeded') return ['red', tr(`reported code ${code}`, `报告代码 ${code}`)];
  if (envelope !== 'own' && messageOf(run) !== '') return ['red', messageOf(run)];
  return ['red', tr(`failed with exit code ${exit_code}`, `失败，退出码 ${exit_code}`)];
}

/** The other fields of an envelope, with one line per list item. */
function valueLines(result: object): string[] {
  const entries = Object.entries(result).filter(([name]) => !hiddenFields.has(name));
  const nameWidth = Math.max(0, ...entries.map(([name]) => widthOf(printable(name))));
  return entries.flatMap(([name, value]) =>
    linesOfValue(value).map((line, index) => {
      const title = padToWidth(index === 0 ? printable(name) : '', nameWidth);
      return `${indent}${paint('dim', title, process.stderr)}${indent}${line}`;
    }),
  );
}

function linesOfValue(value: unknown): string[] {
  if (!Array.isArray(value)) return lineOf(value).split('\n');
  const shown = value.slice(0, mostItems).map((item) => lineOf(item).replaceAll('\n', ' '));
  const more = value.length - shown.length;
  if (more > 0)
    shown.push(tr(`... and ${more} more (use --json to see all)`, `……还有 ${more} 项（--json 显示全部）`));
  return shown.length === 0 ? ['[]'] : shown;
}

function lineOf(value: unknown): string {
  const text = printable(typeof value === 'string' ? value : JSON.stringify(value));
  return text.length <= longestText ? text : `${text.slice(0, longestText)}...`;
}

/** A table of runs. Without `titleOf`, they are runs of one script, whose name is left out. */
export function runTable(
  runs: readonly BriefRun[],
  { lineWidth, titleOf }: { lineWidth?: number | undefined; titleOf?: (run: BriefRun) => string },
): string[] {
  const ids = runs.map(({ run_id }) => run_id);
  const columns: readonly Column<BriefRun>[] = [
    [tr('RUN', '运行'), ({ run_id }) => shortId(run_id, ids)],
    ...(titleOf === undefined ? [] : [[tr('SCRIPT', '脚本'), titleOf] satisfies Column<BriefRun>]),
    [tr('STATE', '状态'), stateWord, { paint: (text) => paintState(text) }],
    [tr('QUEUED AT', '时间'), ({ queued_at }) => formatWhen(queued_at)],
    [tr('DURATION', '耗时'), durationText, { isNumber: true }],
    // The last column, because it may be long and lines are cut at the end.
    [tr('MESSAGE', '消息'), messageOf],
  ];
  return formatTable(runs, columns, lineWidth);
}

/** Date and time to the minute, without the current year, to leave room for the message. */
function formatWhen(iso: string): string {
  const text = formatMinute(iso);
  const year = `${new Date().getFullYear()}-`;
  return text.startsWith(year) ? text.slice(year.length) : text;
}
