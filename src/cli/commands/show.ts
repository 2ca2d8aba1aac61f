import type { Command } from 'commander';

import { isJsonObject, type Json, type JsonObject } from '../../shared/json.ts';
import { numberOf, textOf } from '../answer-fields.ts';
import { pickRun, runById } from '../history/pick-run.ts';
import { formatRunDuration, readRun, stateWord } from '../history/run-record.ts';
import { tr } from '../language.ts';
import { type CommonOptions, homeOption, jsonOption } from '../options.ts';
import { curlOf } from '../run/curl-of.ts';
import { describeEnd } from '../run/describe-end.ts';
import { describeScript } from '../run/describe-script.ts';
import { findScript } from '../run/script-shape.ts';
import { ServiceClient } from '../service-client.ts';
import { exitCodesText, strictUsage } from '../strict-usage.ts';
import { paint } from '../terminal/paint.ts';
import { printJson } from '../terminal/print-json.ts';
import { formatMinute } from '../terminal/quantities.ts';
import { padToWidth, printable, widthOf } from '../terminal/text-width.ts';
import { UserError } from '../user-error.ts';

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
