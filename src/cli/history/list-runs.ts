import type { JsonObject } from '../../shared/json.ts';
import { objectsIn, textOf } from '../answer-fields.ts';
import { tr } from '../language.ts';
import { shortId } from '../pick-script.ts';
import { formatMinute } from '../terminal/quantities.ts';
import { formatTable } from '../terminal/table.ts';
import { cutToWidth } from '../terminal/text-width.ts';
import { formatRunDuration, messageOf, paintState, readRun, type ShownRun, stateWord } from './run-record.ts';

const widestName = 28;

/** Formats the response of GET /api/runs. */
export function describeRuns({ items, next }: JsonObject, lineWidth?: number): string {
  const runs = objectsIn(items).map(readRun);
  if (runs.length === 0) return `${tr('No matching runs.', '没有符合条件的运行。')}\n`;
  const lines = runTable(runs, { lineWidth });
  const more =
    textOf(next) === null
      ? []
      : ['', tr('There are more runs. Use --limit to show them.', '还有更多：用 --limit 显示。')];
  return `${[...lines, ...more].join('\n')}\n`;
}

/** A table of runs. The script column is left out for the runs of one script. */
export function runTable(
  runs: readonly ShownRun[],
  { lineWidth, isOneScript = false }: { lineWidth?: number | undefined; isOneScript?: boolean },
): string[] {
  const ids = runs.map(({ id }) => id);
  const columns = [
    { title: tr('RUN', '运行') },
    ...(isOneScript ? [] : [{ title: tr('SCRIPT', '脚本') }]),
    { title: tr('STATE', '状态'), paint: (text: string) => paintState(text) },
    { title: tr('QUEUED AT', '时间') },
    { title: tr('DURATION', '耗时'), isNumber: true },
    // The last column, because it may be long and lines are cut at the end.
    { title: tr('MESSAGE', '消息') },
  ];
  const rows = runs.map((run) => [
    shortId(run.id, ids),
    ...(isOneScript ? [] : [cutToWidth(run.scriptName, widestName)]),
    stateWord(run),
    formatWhen(run.queuedAt),
    formatRunDuration(run.durationMs),
    messageOf(run),
  ]);
  return formatTable(columns, rows, lineWidth);
}

/** Date and time to the minute, without the current year, to leave room for the message. */
function formatWhen(iso: string | null): string {
  const text = formatMinute(iso);
  const year = `${new Date().getFullYear()}-`;
  return text.startsWith(year) ? text.slice(year.length) : text;
}
