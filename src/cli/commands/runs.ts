import { type Command, InvalidArgumentError } from 'commander';

import type { RunPage } from '../../contract/types.ts';
import { runTable } from '../describe-run.ts';
import { findKnownScript } from '../find-script.ts';
import { tr } from '../language.ts';
import { type CommonOptions, countArgument, homeOption, jsonOption, withSignature } from '../options.ts';
import { scriptTitles } from '../script-titles.ts';
import { ServiceClient } from '../service-client.ts';
import { printJson, terminalWidth } from '../terminal/print.ts';

const minuteMs = 60_000;

const unitsMs: Readonly<Record<string, number>> = {
  m: minuteMs,
  h: 60 * minuteMs,
  d: 24 * 60 * minuteMs,
  w: 7 * 24 * 60 * minuteMs,
};

interface RunsOptions extends CommonOptions {
  script?: string;
  state?: string;
  failed?: boolean;
  since?: string;
  query?: string;
  limit: number;
}

const mostRuns = 500;

export function configure(command: Command): void {
  withSignature(command, {
    '--script <script>': [
      'only runs of this script (slug, name or id)',
      '只列出该脚本的运行（slug、名称或 ID）',
    ],
    '--state <states>': [
      'only runs in these states: queued, running, succeeded, failed, unknown (comma-separated); or cancelled or timeout',
      'queued、running、succeeded、failed 或 unknown，多个用逗号分隔；或 cancelled、timeout',
    ],
    '--failed': ['only runs that did not succeed', '只列出没有成功的', { conflicts: 'state' }],
    '--since <time>': [
      'only runs queued since then: 30m, 2h, 7d, 1w or 2026-01-31',
      '此后的运行：30m、2h、7d、1w 或 2026-01-31',
      { parse: (text) => sinceArgument(text) },
    ],
    '-q, --query <text>': ['text to find in the script name or the message', '脚本名称或消息中包含的文字'],
    '--limit <count>': [
      'maximum number of runs',
      '最多列出多少个',
      { parse: countArgument(1, mostRuns), default: 20 },
    ],
    ...homeOption,
    ...jsonOption,
  })
    .addHelpText('after', help)
    .action(async (options: RunsOptions) => {
      const client = await ServiceClient.find(options.home);
      const answer = await client.get<RunPage>(`/api/runs?${await queryOf(client, options)}`);
      if (options.json === true) return printJson(answer);
      const titleOf = await scriptTitles(client, answer.items);
      process.stdout.write(describeRuns(answer, { titleOf, lineWidth: terminalWidth() }));
    });
}

async function queryOf(client: ServiceClient, options: RunsOptions): Promise<URLSearchParams> {
  const query = new URLSearchParams({ limit: String(options.limit) });
  if (options.script !== undefined) {
    query.set('script', (await findKnownScript(client, options.script)).id);
  }
  const state = options.failed === true ? 'failed,unknown' : options.state;
  // Both have the state failed and differ in their end cause.
  if (state === 'cancelled' || state === 'timeout') query.set('end_cause', state);
  else if (state !== undefined) query.set('state', state);
  if (options.since !== undefined) query.set('since', options.since);
  if (options.query !== undefined) query.set('q', options.query);
  return query;
}

const help = tr(
  `
Examples:
  hob runs --failed --since 1d
  hob runs --script "Resize images" -q photo

The newest runs come first. To see the output of a run: hob logs <run>`,
  `
示例：
  hob runs --failed --since 1d
  hob runs --script 图片缩放 -q 照片

最新的排在最前。hob logs <运行> 查看它的输出。`,
);

/** Converts `30m`, `2h`, `7d`, `1w`, a date or a local time to an ISO timestamp. */
export function sinceArgument(text: string, now: Date = new Date()): string {
  const [, count, unit = ''] = /^(\d+)\s*([mhdw])$/.exec(text.trim().toLowerCase()) ?? [];
  if (count !== undefined)
    return new Date(now.getTime() - Number(count) * (unitsMs[unit] ?? 0)).toISOString();
  // JavaScript reads a date without a time as UTC, but the user means the local day.
  const isDay = /^\d{4}-\d\d-\d\d$/.test(text.trim());
  const date = new Date(isDay ? `${text.trim()}T00:00` : text);
  if (!/^\d{4}-/.test(text.trim()) || Number.isNaN(date.getTime()))
    throw new InvalidArgumentError(
      tr(
        'Expected 30m, 2h, 7d, 1w or a date such as 2026-01-31.',
        '应为 30m、2h、7d、1w，或日期如 2026-01-31。',
      ),
    );
  return date.toISOString();
}

function describeRuns({ items, next }: RunPage, options: Parameters<typeof runTable>[1]): string {
  if (items.length === 0) return `${tr('No matching runs.', '没有符合条件的运行。')}\n`;
  const more =
    next === null
      ? []
      : ['', tr('There are more runs. Use --limit to show them.', '还有更多：用 --limit 显示。')];
  return `${[...runTable(items, options), ...more].join('\n')}\n`;
}
