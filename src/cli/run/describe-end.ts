import type { Json, JsonObject } from '../../shared/json.ts';
import { textOf } from '../answer-fields.ts';
import { formatRunDuration, messageOf, readRun, type ShownRun } from '../history/run-record.ts';
import { tr } from '../language.ts';
import { paint } from '../terminal/paint.ts';
import { padToWidth, printable, widthOf } from '../terminal/text-width.ts';
import { wrapText } from '../terminal/wrap-text.ts';

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
