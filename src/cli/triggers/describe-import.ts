import { quoteWord } from '../command-lines.ts';
import { tr } from '../language.ts';
import { paint } from '../terminal/print.ts';
import { printable } from '../terminal/text.ts';
import type { CrontabPlan, PlannedLine } from './crontab-plan.ts';

/**
 * new: not created yet. present: an earlier import created it. lost: as present, but its script was deleted. restored: the script was
 * created again. broken: the trigger is present, but cannot start runs.
 */
type LineState = 'new' | 'present' | 'lost' | 'broken' | 'created' | 'restored' | 'failed';

export interface Outcome extends PlannedLine {
  readonly state: LineState;
  /** Why it could not be created, or cannot start runs. */
  readonly failure: string | null;
}

/** The output of `--json`. */
export function importJson(outcomes: readonly Outcome[], { refused }: CrontabPlan) {
  return {
    lines: outcomes.map(
      ({
        line,
        cron,
        timezone,
        command,
        input,
        scriptId,
        name,
        folder,
        triggerId,
        words,
        next,
        notes,
        state,
        failure,
      }) => ({
        line,
        cron,
        timezone,
        command,
        input,
        script_id: scriptId,
        script_name: name,
        folder,
        trigger_id: triggerId,
        words,
        next,
        notes,
        state,
        failure,
      }),
    ),
    refused: refused.map(({ line, text: content, reason }) => ({ line, text: content, reason })),
  };
}

const states = {
  new: '',
  present: tr(' (already imported)', '（已导入）'),
  lost: tr(' (already imported, but its script was deleted)', '（已导入，但其脚本已被删除）'),
  broken: tr(' (already imported, but it does not work)', '（已导入，但无法工作）'),
  created: tr(' (created)', '（已创建）'),
  restored: tr(' (script created again)', '（已重新创建脚本）'),
  failed: tr(' (not created)', '（未创建）'),
} as const;

/** The text output: the lines, and the next step. `file`: the argument of the command. */
export function describeImport(
  outcomes: readonly Outcome[],
  { refused }: CrontabPlan,
  file: string | undefined,
): string {
  if (outcomes.length === 0 && refused.length === 0)
    return tr('The crontab has no commands.\n', 'crontab 中没有命令。\n');
  const blocks = [
    ...outcomes.map((outcome) => ({ line: outcome.line, rows: rowsOf(outcome) })),
    ...refused.map(({ line, text: content, reason }) => ({
      line,
      rows: [
        paint(
          'yellow',
          tr(`Line ${line} cannot be taken over: ${reason}`, `第 ${line} 行无法接管：${reason}`),
        ),
        `  ${printable(content)}`,
      ],
    })),
  ].sort((one, other) => one.line - other.line);
  return `${[...blocks.flatMap(({ rows }) => [...rows, '']), ...conclusion(outcomes, refused, file)].join('\n')}\n`;
}

function rowsOf({ line, words, command, input, name, triggerId, notes, state, failure }: Outcome): string[] {
  const rows = [
    [tr('command', '命令'), command],
    // Each line of the input after the first one was written as a %.
    ...(input === null ? [] : [[tr('input', '输入'), input.slice(0, -1).replaceAll('\n', '%')]]),
    [tr('script', '脚本'), name],
    [tr('trigger', '触发器'), triggerId],
    ...notes.map((note) => [tr('note', '提示'), note]),
    ...(failure === null
      ? []
      : [[state === 'broken' ? tr('problem', '问题') : tr('failed', '失败'), failure]]),
  ];
  return [
    `${paint('bold', tr(`Line ${line}: ${words}`, `第 ${line} 行：${words}`))}${states[state]}`,
    ...rows.map(([title, content]) => `  ${title}${tr(': ', '：')}${printable(content ?? '')}`),
  ];
}

function conclusion(
  outcomes: readonly Outcome[],
  refused: CrontabPlan['refused'],
  file: string | undefined,
): string[] {
  const count = (wanted: LineState) => outcomes.filter(({ state }) => state === wanted).length;
  const [created, restored] = [count('created'), count('restored')];
  if (count('new') + count('lost') > 0) return proposal(count('new'), count('lost'), file);
  const active = outcomes.filter(({ state }) => working.has(state));
  if (active.length === 0) return [tr('No trigger was created.', '没有创建任何触发器。')];
  const replaced = new Set(active.map(({ line }) => line));
  const duplicates = refused.filter(({ sameAs }) => sameAs !== null && replaced.has(sameAs));
  const lines = [...replaced, ...duplicates.map(({ line }) => line)]
    .sort((one, other) => one - other)
    .join(', ');
  return [
    ...(created > 0 ? [tr(`Created: ${created}.`, `已创建 ${created} 项。`)] : []),
    ...(restored > 0 ? [tr(`Scripts created again: ${restored}.`, `已重新创建脚本 ${restored} 个。`)] : []),
    ...(created + restored === 0 ? [tr('Nothing new was created.', '没有新内容可创建。')] : []),
    tr(
      `The crontab was not changed. Remove these lines from it (crontab -e), otherwise cron runs them as well: ${lines}`,
      `crontab 未被修改。请用 crontab -e 删除这些行，否则 cron 也会运行它们：${lines}`,
    ),
  ];
}

/** States in which the trigger replaces the line of the crontab. */
const working: ReadonlySet<LineState> = new Set(['created', 'restored', 'present']);

/** Says how to write what the import has shown. */
function proposal(fresh: number, lost: number, file: string | undefined): string[] {
  const command = [
    'hob triggers import',
    ...(file === undefined ? [] : [printable(quoteWord(file))]),
    '--write',
  ].join(' ');
  const again = tr(`the deleted scripts (${lost}) again`, `重新创建已删除的脚本（${lost} 个）`);
  if (fresh === 0)
    return [
      tr(`Nothing was created yet. To create ${again}: ${command}`, `尚未创建任何内容。${again}：${command}`),
    ];
  return [
    tr(
      `Nothing was created yet. To create ${fresh} of them with their triggers${lost === 0 ? '' : `, and ${again}`}: ${command}`,
      `尚未创建任何内容。创建其中 ${fresh} 项及其触发器${lost === 0 ? '' : `，并${again}`}：${command}`,
    ),
  ];
}
