import { type Area, areas, type Finding } from '../../doctor/finding.ts';
import { language, tr } from '../language.ts';
import { paint } from '../terminal/paint.ts';
import { formatCount } from '../terminal/quantities.ts';
import { cutToWidth, printable, widthOf } from '../terminal/text-width.ts';
import { wrapText } from '../terminal/wrap-text.ts';

interface Style {
  /** Whether all notes are shown. */
  readonly isAll: boolean;
  /** Width of the terminal; undefined without a terminal. */
  readonly columns: number | undefined;
  readonly isUnicode: boolean;
  readonly stream: NodeJS.WriteStream;
}

const marks = { ok: ['✓', '+'], note: ['!', '!'], problem: ['✗', 'x'] } as const;
const colours = { ok: 'green', note: 'yellow', problem: 'red' } as const;
const firstOfAll = { problem: 0, note: 1, ok: 2 } as const;
/** Limit per area, so that many notes do not hide the problems. */
const mostNotes = 5;

const titles: Readonly<Record<Area, string>> = {
  hob: tr('hob', 'Hob'),
  home: tr('home', '数据目录'),
  settings: tr('settings', '设置'),
  service: tr('service', '服务'),
  runtimes: tr('runtimes', '语言'),
  tools: tr('tools', '工具'),
  desktop: tr('desktop', '桌面'),
  scripts: tr('scripts', '脚本'),
  packages: tr('packages', '脚本包'),
  environments: tr('environments', '运行环境'),
};
const nextLabel = tr('next: ', '下一步：');

/** Formats the findings by area, with a summary of the problems at the end. */
export function describeFindings(findings: readonly Finding[], style: Style): string {
  const lines: string[] = [];
  for (const area of areas) {
    const own = findings.filter((finding) => finding.area === area);
    if (own.length === 0) continue;
    lines.push(paint('bold', titles[area], style.stream));
    let notes = 0;
    for (const finding of [...own].sort((a, b) => firstOfAll[a.state] - firstOfAll[b.state])) {
      if (finding.state === 'note' && ++notes > mostNotes && !style.isAll) continue;
      lines.push(...linesOf(finding, style));
    }
    if (notes > mostNotes && !style.isAll) lines.push(moreNotes(notes - mostNotes));
    lines.push('');
  }
  return `${[...lines, ...summary(findings, style)].join('\n')}\n`;
}

function moreNotes(count: number): string {
  return tr(
    `  ... and ${formatCount(count, 'more note')} (use --all to show them)`,
    `  ... 还有 ${count} 条提示（--all 显示全部）`,
  );
}

function linesOf({ state, what, next }: Finding, style: Style): string[] {
  const lines = wrapText(printable(what[language]), widthFor(style, 4)).map((line, index) =>
    index === 0 ? `  ${markOf(state, style)} ${line}` : `    ${line}`,
  );
  if (next === null) return lines;
  const indent = ' '.repeat(widthOf(nextLabel));
  const advice = wrapText(printable(next[language]), widthFor(style, 4 + indent.length));
  return [...lines, ...advice.map((line, index) => `    ${index === 0 ? nextLabel : indent}${line}`)];
}

function summary(findings: readonly Finding[], style: Style): string[] {
  const problems = findings.filter(({ state }) => state === 'problem');
  const notes = findings.filter(({ state }) => state === 'note');
  const counts = [
    ...(problems.length > 0
      ? [tr(formatCount(problems.length, 'problem'), `${problems.length} 个问题`)]
      : []),
    ...(notes.length > 0 ? [tr(formatCount(notes.length, 'note'), `${notes.length} 条提示`)] : []),
  ].join(tr(' and ', '，'));
  if (problems.length === 0)
    return [
      counts === ''
        ? tr('No problems found.', '一切正常。')
        : tr(`No problems found; ${counts}.`, `没有问题；${counts}。`),
    ];
  return [
    `${counts}${tr(':', '：')}`,
    ...problems.map(({ area, state, what }) => {
      const [first = ''] = printable(`${titles[area]}${tr(': ', '：')}${what[language]}`).split('\n');
      return `  ${markOf(state, style)} ${style.columns === undefined ? first : cutToWidth(first, style.columns - 5)}`;
    }),
  ];
}

function markOf(state: Finding['state'], { isUnicode, stream }: Style): string {
  return paint(colours[state], marks[state][isUnicode ? 0 : 1], stream);
}

function widthFor({ columns }: Style, indent: number): number {
  return columns === undefined ? Number.POSITIVE_INFINITY : Math.max(30, columns - indent - 1);
}

/** Whether the environment variables indicate a terminal that shows more than ASCII. */
export function hasUnicode(
  environment: Readonly<Record<string, string>>,
  platform: NodeJS.Platform,
): boolean {
  if (platform === 'win32') return environment.WT_SESSION !== undefined;
  const locale = environment.LC_ALL || environment.LC_CTYPE || environment.LANG || '';
  return /utf-?8/i.test(locale) || (platform === 'darwin' && locale === '');
}
