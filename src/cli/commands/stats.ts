import type { Command } from 'commander';
import { countsOf, judgedOf } from '../../contract/outcome-counts.ts';
import { formatBytes, formatRate } from '../../contract/quantities.ts';
import type { Stats } from '../../contract/types.ts';
import { formatRunDuration } from '../describe-run.ts';
import { tr } from '../language.ts';
import {
  type CommonOptions,
  countArgument,
  exitCodesText,
  homeOption,
  jsonOption,
  withSignature,
} from '../options.ts';
import { scriptTitles } from '../script-titles.ts';
import { ServiceClient } from '../service-client.ts';
import { paint, printJson, terminalWidth } from '../terminal/print.ts';
import { type Column, formatTable } from '../terminal/text.ts';

type Counts = Stats['all'];

const mostDays = 400;

export function configure(command: Command): void {
  withSignature(command, {
    '--days <count>': [
      'number of days up to today',
      '截至今天的天数',
      { parse: countArgument(1, mostDays), default: 30 },
    ],
    ...homeOption,
    ...jsonOption,
  })
    .addHelpText('after', exitCodesText)
    .action(async ({ days, home, json }: CommonOptions & { days: number }) => {
      const client = await ServiceClient.find(home);
      const answer = await client.get<Stats>(`/api/stats?days=${days}`);
      if (json === true) return printJson(answer);
      const titleOf = await scriptTitles(client, answer.scripts);
      process.stdout.write(describeStats(answer, titleOf, terminalWidth()));
    });
}

const barColumns = 16;
const mostScripts = 20;
const shownDays = 14;
const marks = { succeeded: '=', stopped: '-', bad: 'x' } as const;

type TitleOf = (script: Stats['scripts'][number]) => string;

function describeStats(stats: Stats, titleOf: TitleOf, lineWidth: number | undefined): string {
  const { from, to, all, scripts, days } = stats;
  const title = paint('bold', tr(`${from} to ${to}`, `${from} 至 ${to}`));
  const sections = [[title, summaryLine(all), nowLine(stats)]];
  if (all.runs > 0) sections.push(scriptTable(scripts, titleOf, lineWidth), dayTable(days, lineWidth));
  return `${sections.map((lines) => lines.join('\n')).join('\n\n')}\n`;
}

function summaryLine(all: Counts): string {
  const { runs } = all;
  const { failed, stopped, unknown } = countsOf(all);
  if (runs === 0) return tr('No runs ended in this period.', '这段时间内没有结束的运行。');
  return tr(
    `${runs} runs ended: ${rateOf(all)} succeeded, ${failed} failed, ${stopped} stopped, ${unknown} unknown`,
    `结束 ${runs} 次：成功率 ${rateOf(all)}，失败 ${failed} 次，被停止 ${stopped} 次，未知 ${unknown} 次`,
  );
}

function nowLine({ running, queued, history }: Stats): string {
  const bytes = formatBytes(history.bytes);
  return tr(
    `now: ${running} running, ${queued} queued; history: ${history.runs} runs, ${bytes}`,
    `当前：运行中 ${running}，排队 ${queued}；记录：${history.runs} 次运行，${bytes}`,
  );
}

function scriptTable(scripts: Stats['scripts'], titleOf: TitleOf, lineWidth: number | undefined): string[] {
  const most = Math.max(1, ...scripts.map(({ runs }) => runs));
  const columns: readonly Column<Stats['scripts'][number]>[] = [
    [tr('SCRIPT', '脚本'), titleOf],
    [tr('RUNS', '次数'), ({ runs }) => String(runs), { isNumber: true }],
    [tr('SUCCESS', '成功率'), rateOf, { isNumber: true }],
    ['P50', ({ duration_ms }) => formatRunDuration(duration_ms?.median ?? null), { isNumber: true }],
    ['P95', ({ duration_ms }) => formatRunDuration(duration_ms?.p95 ?? null), { isNumber: true }],
    ['', (script) => barOf(script, most), { paint: paintBar }],
  ];
  return formatTable(scripts.slice(0, mostScripts), columns, lineWidth);
}

/** The last days, beginning with the first day that has runs. */
function dayTable(days: Stats['days'], lineWidth: number | undefined): string[] {
  const last = days.slice(-shownDays);
  const shown = last.slice(
    Math.max(
      0,
      last.findIndex((day) => day.runs > 0),
    ),
  );
  const most = Math.max(1, ...shown.map(({ runs }) => runs));
  const columns: readonly Column<Stats['days'][number]>[] = [
    [tr('DAY', '日期'), ({ day }) => day],
    [tr('RUNS', '次数'), ({ runs }) => String(runs), { isNumber: true }],
    [tr('SUCCESS', '成功率'), rateOf, { isNumber: true }],
    ['', (day) => barOf(day, most), { paint: paintBar }],
  ];
  return formatTable(shown, columns, lineWidth);
}

/** The success rate. Like the console, it does not count stopped runs. */
function rateOf(counts: Counts): string {
  const ended = countsOf(counts);
  return formatRate(ended.succeeded, judgedOf(ended)) ?? '-';
}

/**
 * A bar whose length is the number of runs, with the stopped runs and then the failures at its end: `=====-x`. One stopped run and one
 * failure always show.
 */
export function barOf(counts: Counts, most: number): string {
  const { succeeded, failed, stopped, unknown } = countsOf(counts);
  const parts = [
    { mark: marks.succeeded, runs: succeeded },
    { mark: marks.stopped, runs: stopped },
    { mark: marks.bad, runs: failed + unknown },
  ].filter(({ runs }) => runs > 0);
  const length = Math.max(parts.length, Math.ceil((counts.runs / most) * barColumns));
  const [first, ...others] = parts.map(({ mark, runs }) => ({
    mark,
    columns: Math.max(1, Math.round((runs / counts.runs) * length)),
  }));
  if (first === undefined) return '';
  // The first part takes what the rounding of the others leaves.
  const rest = others.reduce((sum, { columns }) => sum + columns, 0);
  return [{ ...first, columns: Math.max(1, length - rest) }, ...others]
    .map(({ mark, columns }) => mark.repeat(columns))
    .join('');
}

function paintBar(text: string): string {
  const [, goodPart = '', stoppedPart = '', badPart = ''] = /^(=*)(-*)(.*)$/.exec(text) ?? [];
  return [
    goodPart === '' ? '' : paint('green', goodPart),
    stoppedPart === '' ? '' : paint('dim', stoppedPart),
    badPart === '' ? '' : paint('red', badPart),
  ].join('');
}
