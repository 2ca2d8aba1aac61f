import type { Firing, Trigger, TriggerChecked, TriggerList } from '../../contract/types.ts';
import { quoteWord } from '../command-lines.ts';
import { tr } from '../language.ts';
import { paint } from '../terminal/print.ts';
import { problemLines } from '../terminal/problem-lines.ts';
import { type Column, formatMinute, formatSecond, formatTable, printable } from '../terminal/text.ts';
import { slotLines } from './slot-times.ts';

const kinds: Readonly<Record<string, string>> = {
  schedule: tr('schedule', '计划'),
  folder: tr('folder', '文件夹'),
  webhook: tr('webhook', 'Webhook'),
};

const states: Readonly<Record<string, string>> = {
  on: tr('on', '开启'),
  off: tr('paused', '已暂停'),
  broken: tr('broken', '有错误'),
  'script-missing': tr('no script', '脚本不存在'),
};

const outcomes: Readonly<Record<string, string>> = {
  fired: tr('fired', '已触发'),
  skipped: tr('skipped', '已跳过'),
  refused: tr('refused', '未接受'),
};

function stateOf({ state, problems }: Trigger): string {
  if (state === 'on' && problems.length > 0) return tr('problem', '有问题');
  return states[state] ?? printable(state);
}

function paintState(text: string): string {
  const word = text.trimEnd();
  if (word === states.on) return paint('green', text);
  return paint(word === states.off ? 'dim' : 'red', text);
}

function paintOutcome(text: string): string {
  if (text.startsWith(outcomes.fired ?? '')) return paint('green', text);
  return paint(text.startsWith(outcomes.refused ?? '') ? 'red' : 'yellow', text);
}

function nameOf({ script_name, script }: Trigger): string {
  return script_name ?? script ?? '-';
}

const columns: readonly Column<Trigger>[] = [
  ['ID', ({ id }) => (id === '' ? '-' : id)],
  [tr('KIND', '类型'), ({ kind }) => (kind === null ? '-' : (kinds[kind] ?? kind))],
  [tr('SCRIPT', '脚本'), nameOf],
  [tr('STATE', '状态'), stateOf, { paint: paintState }],
  [tr('NEXT', '下次'), ({ next: [first] }) => formatMinute(first ?? null)],
  [
    tr('LAST', '上次'),
    ({ last }) => (last === null ? '-' : `${outcomes[last.outcome]} ${formatMinute(last.due_at)}`),
  ],
  // The last column, because it may be long and lines are cut at the end.
  [tr('WHEN', '触发时机'), ({ words }) => words],
];

/** All triggers, what keeps them from working, and those that scripts suggest. */
export function describeTriggers(list: TriggerList, lineWidth?: number): string {
  const parts = [
    fileProblems(list),
    list.items.length === 0
      ? list.problems.length === 0
        ? [noTriggers]
        : []
      : formatTable(list.items, columns, lineWidth),
    problemsOf(list.items, list.file),
    suggestions(list, lineWidth),
  ];
  const lines = parts
    .filter((part) => part.length > 0)
    .flatMap((part, index) => (index > 0 ? ['', ...part] : part));
  return `${lines.join('\n')}\n`;
}

const noTriggers = tr(
  'There are no triggers yet. To start a script every night: hob triggers add <script> --cron "30 2 * * *"',
  '还没有触发器。例如每天夜里运行一个脚本：hob triggers add <脚本> --cron "30 2 * * *"',
);

function fileProblems({ problems, items }: TriggerList): string[] {
  if (problems.length === 0) return [];
  return [
    ...problemLines(
      problems.map((problem) => ({ ...problem, severity: 'error' })),
      process.stdout,
    ).map(printable),
    items.length === 0
      ? tr('No trigger is in force until the file is corrected.', '在修正该文件之前，没有任何触发器生效。')
      : tr(
          'Until then, the triggers of the last usable file stay in force.',
          '在此之前，最近一次有效的触发器仍然生效。',
        ),
  ];
}

function problemsOf(items: readonly Trigger[], file: string): string[] {
  const found = items.flatMap(({ id, line, problems }) =>
    problems.map(({ message, advice }) => ({
      file: printable(file),
      line,
      severity: 'error' as const,
      message: `${printable(id)}${tr(': ', '：')}${printable(message)}`,
      advice: printable(advice),
    })),
  );
  return found.length === 0 ? [] : problemLines(found, process.stdout);
}

function suggestions({ suggestions: all }: TriggerList, lineWidth: number | undefined): string[] {
  const open = all.filter(({ trigger_id }) => trigger_id === null);
  if (open.length === 0) return [];
  return [
    tr('Suggested by your scripts, and not set up:', '脚本建议、但尚未设置的触发器：'),
    ...formatTable(
      open,
      [
        [tr('SCRIPT', '脚本'), ({ script_name }) => script_name],
        [tr('KIND', '类型'), ({ kind }) => kinds[kind] ?? kind],
        [tr('WHEN', '触发时机'), ({ words }) => (words === '' ? '-' : words)],
        [tr('SET IT UP', '设置命令'), setUpLine],
      ],
      lineWidth,
    ),
  ];
}

export function setUpLine({ slug, kind, name, values }: TriggerList['suggestions'][number]): string {
  const words = ['hob', 'triggers', 'add', slug, '--from', quoteWord(name)];
  if (kind === 'folder' && values.path === undefined) words.push('--folder', tr('<folder>', '<文件夹>'));
  return words.join(' ');
}

const shownAbove: ReadonlySet<string> = new Set(['kind', 'script', 'enabled', 'from']);

/** One trigger with all that is known about it. */
export function describeTrigger(trigger: Trigger, firings: readonly Firing[], file: string): string {
  const { id, kind, script, words, address, values, from } = trigger;
  const rows: readonly (readonly [string, string])[] = [
    [
      tr('script', '脚本'),
      script === null || script === nameOf(trigger) ? nameOf(trigger) : `${nameOf(trigger)} (${script})`,
    ],
    [tr('kind', '类型'), kind === null ? '-' : (kinds[kind] ?? kind)],
    [tr('state', '状态'), paintState(stateOf(trigger))],
    ...(words === '' ? [] : [[tr('when', '触发时机'), words] as const]),
    ...(address === null ? [] : [[tr('address', '地址'), address] as const]),
    ...(from === null ? [] : [[tr('from', '来自建议'), from] as const]),
  ];
  const lines = [
    paint('bold', printable(id)),
    ...rows.map(([title, text]) => `  ${title}${tr(': ', '：')}${text}`),
    ...Object.entries(values)
      .filter(([name]) => !shownAbove.has(name))
      .map(([name, value]) => `  ${printable(name)} = ${printable(JSON.stringify(value))}`),
    ...section(nextTitle(), slotLines(trigger.next)),
    ...section(tr('Problems', '问题'), problemsOf([trigger], file)),
    ...section(
      tr('Last firings', '最近的触发记录'),
      firings.length === 0 ? [tr('none yet', '还没有')] : firingLines(firings, undefined),
    ),
  ];
  return `${lines.join('\n')}\n`;
}

function nextTitle(): string {
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  return tr(`Next (in local time, ${timeZone})`, `接下来（本地时间，${timeZone}）`);
}

function section(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : ['', `${title}${tr(':', '：')}`, ...lines.map((line) => `  ${line}`)];
}

/** The words for a trigger, and its next times. */
export function describeCheck({ words, next }: Pick<TriggerChecked, 'words' | 'next'>): string {
  const lines = [
    ...(words === '' ? [] : [`${tr('When: ', '触发时机：')}${printable(words)}`]),
    ...section(nextTitle(), slotLines(next)).slice(1),
  ];
  return lines.map((line) => `${line}\n`).join('');
}

/** A table of slots, arrivals or deliveries, the newest first. */
export function firingLines(firings: readonly Firing[], lineWidth: number | undefined): string[] {
  return formatTable(
    firings,
    [
      [tr('DUE', '时间'), ({ due_at }) => formatSecond(due_at)],
      [tr('OUTCOME', '结果'), ({ outcome }) => outcomes[outcome] ?? outcome, { paint: paintOutcome }],
      [tr('RUN', '运行'), ({ run_id }) => run_id ?? '-'],
      [tr('REASON', '原因'), ({ message, detail }) => reasonOf(message, detail)],
    ],
    lineWidth,
  );
}

function reasonOf(message: string | null, detail: string | null): string {
  if (message === null) return detail ?? '';
  return detail === null ? message : tr(`${message} (${detail})`, `${message}（${detail}）`);
}
