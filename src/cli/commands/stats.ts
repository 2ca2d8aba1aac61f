import type { Command } from 'commander';
import { isJsonObject, type JsonObject } from '../../shared/json.ts';
import { numberOf, objectsIn, textOf } from '../answer-fields.ts';
import { formatRunDuration } from '../describe-run.ts';
import { tr } from '../language.ts';
import {
  type CommonOptions,
  countArgument,
  exitCodesText,
  homeOption,
  jsonOption,
  strictUsage,
} from '../options.ts';
import { ServiceClient } from '../service-client.ts';
import { paint, printJson } from '../terminal/print.ts';
import { formatBytes } from '../terminal/quantities.ts';
import { formatTable } from '../terminal/table.ts';
import { cutToWidth } from '../terminal/text-width.ts';

const usualDays = 30;
const mostDays = 400;

export function configure(command: Command): void {
  strictUsage(command);
  command
    .option(
      '--days <count>',
      tr('number of days up to today', '截至今天的天数'),
      countArgument(1, mostDays),
      usualDays,
    )
    .option(...homeOption)
    .option(...jsonOption)
    .addHelpText('after', exitCodesText)
    .action(async ({ days, home, json }: CommonOptions & { days: number }) => {
      const answer = await (await ServiceClient.find(home)).get(`/api/stats?days=${days}`);
      const { isTTY, columns } = process.stdout;
      if (json === true) printJson(answer);
      else process.stdout.write(describeStats(answer, isTTY ? columns : undefined));
    });
}

const widestName = 28;
const barColumns = 16;
const mostScripts = 20;
/** How many of the last days are shown. */
const shownDays = 14;
const good = '=';
const bad = 'x';

/** Formats the response of GET /api/stats. */
function describeStats(stats: JsonObject, lineWidth?: number): string {
  const all = isJsonObject(stats.all) ? stats.all : {};
  const [from, to] = [textOf(stats.from) ?? '', textOf(stats.to) ?? ''];
  const title = paint('bold', tr(`${from} to ${to}`, `${from} 至 ${to}`));
  const sections = [[title, summaryLine(all), nowLine(stats)]];
  if (countOf(all) > 0)
    sections.push(
      scriptTable(objectsIn(stats.scripts), lineWidth),
      dayTable(objectsIn(stats.days), lineWidth),
    );
  return `${sections.map((lines) => lines.join('\n')).join('\n\n')}\n`;
}

function summaryLine(all: JsonObject): string {
  const [runs, failed, unknown] = [countOf(all), numberOf(all.failed) ?? 0, numberOf(all.unknown) ?? 0];
  if (runs === 0) return tr('No runs ended in this period.', '这段时间内没有结束的运行。');
  return tr(
    `${runs} runs ended: ${rateOf(all)} succeeded, ${failed} failed, ${unknown} unknown`,
    `结束 ${runs} 次：成功率 ${rateOf(all)}，失败 ${failed} 次，未知 ${unknown} 次`,
  );
}

function nowLine({ running, queued, history }: JsonObject): string {
  const kept = isJsonObject(history) ? history : {};
  const [runs, bytes] = [numberOf(kept.runs) ?? 0, formatBytes(numberOf(kept.bytes) ?? 0)];
  return tr(
    `now: ${numberOf(running) ?? 0} running, ${numberOf(queued) ?? 0} queued; history: ${runs} runs, ${bytes}`,
    `当前：运行中 ${numberOf(running) ?? 0}，排队 ${numberOf(queued) ?? 0}；记录：${runs} 次运行，${bytes}`,
  );
}

function scriptTable(scripts: readonly JsonObject[], lineWidth: number | undefined): string[] {
  const most = Math.max(1, ...scripts.map(countOf));
  const columns = [
    { title: tr('SCRIPT', '脚本') },
    { title: tr('RUNS', '次数'), isNumber: true },
    { title: tr('SUCCESS', '成功率'), isNumber: true },
    { title: 'P50', isNumber: true },
    { title: 'P95', isNumber: true },
    { title: '', paint: paintBar },
  ];
  const rows = scripts.slice(0, mostScripts).map((script) => {
    const durations = isJsonObject(script.duration_ms) ? script.duration_ms : {};
    return [
      cutToWidth(textOf(script.script_name) ?? '', widestName),
      String(countOf(script)),
      rateOf(script),
      formatRunDuration(numberOf(durations.median)),
      formatRunDuration(numberOf(durations.p95)),
      barOf(script, most),
    ];
  });
  return formatTable(columns, rows, lineWidth);
}

/** The last days, beginning with the first day that has runs. */
function dayTable(days: readonly JsonObject[], lineWidth: number | undefined): string[] {
  const last = days.slice(-shownDays);
  const shown = last.slice(
    Math.max(
      0,
      last.findIndex((day) => countOf(day) > 0),
    ),
  );
  const most = Math.max(1, ...shown.map(countOf));
  const columns = [
    { title: tr('DAY', '日期') },
    { title: tr('RUNS', '次数'), isNumber: true },
    { title: tr('SUCCESS', '成功率'), isNumber: true },
    { title: '', paint: paintBar },
  ];
  const rows = shown.map((day) => [
    textOf(day.day) ?? '',
    String(countOf(day)),
    rateOf(day),
    barOf(day, most),
  ]);
  return formatTable(columns, rows, lineWidth);
}

function countOf({ runs }: JsonObject): number {
  return numberOf(runs) ?? 0;
}

/** Rounded down: one failure in a thousand must not show as 100%. */
function rateOf(counts: JsonObject): string {
  const runs = countOf(counts);
  return runs === 0 ? '-' : `${Math.floor(((numberOf(counts.succeeded) ?? 0) / runs) * 100)}%`;
}

/** A bar whose length is the number of runs, with the failures at its end: `=====x`. One failure always shows. */
function barOf(counts: JsonObject, most: number): string {
  const runs = countOf(counts);
  const others = runs - (numberOf(counts.succeeded) ?? 0);
  const length = Math.ceil((runs / most) * barColumns);
  const badLength = others === 0 ? 0 : Math.max(1, Math.round((others / Math.max(1, runs)) * length));
  return good.repeat(length - badLength) + bad.repeat(badLength);
}

function paintBar(text: string): string {
  const goodPart = text.replace(/x+\.*$/, '');
  const badPart = text.slice(goodPart.length);
  return (goodPart === '' ? '' : paint('green', goodPart)) + (badPart === '' ? '' : paint('red', badPart));
}
