import { isJsonObject, type Json, type JsonObject } from '../../shared/json.ts';
import { numberOf, textOf } from '../answer-fields.ts';
import { tr } from '../language.ts';
import { describeEnd } from '../run/describe-end.ts';
import { paint } from '../terminal/paint.ts';
import { formatMinute } from '../terminal/quantities.ts';
import { padToWidth, printable, widthOf } from '../terminal/text-width.ts';
import { formatRunDuration, readRun, stateWord } from './run-record.ts';

const longestValue = 300;

/** Shows the record of one run and the commands that are useful next. */
export function describeRun(record: JsonObject): string {
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
