import { areas, type Finding } from '../../doctor/finding.ts';
import { paint } from '../terminal/paint.ts';
import { formatCount } from '../terminal/quantities.ts';
import { cutToWidth, printable } from '../terminal/text-width.ts';
import { wrapText } from '../terminal/wrap-text.ts';

interface Style {
  /** Whether notes are shown however many there are. */
  readonly isAll: boolean;
  /** Of the terminal; undefined where there is none. */
  readonly columns: number | undefined;
  readonly isUnicode: boolean;
  readonly stream: NodeJS.WriteStream;
}

const marks = { ok: ['✓', '+'], note: ['!', '!'], problem: ['✗', 'x'] } as const;
const colours = { ok: 'green', note: 'yellow', problem: 'red' } as const;
const firstOfAll = { problem: 0, note: 1, ok: 2 } as const;
/** A folder full of manifests with odd keys would hide what matters. */
const mostNotes = 5;

/** What a doctor found, by area, and at the end what is wrong. */
export function describeFindings(findings: readonly Finding[], style: Style): string {
  const lines: string[] = [];
  for (const area of areas) {
    const own = findings.filter((finding) => finding.area === area);
    if (own.length === 0) continue;
    lines.push(paint('bold', area, style.stream));
    let notes = 0;
    for (const finding of [...own].sort((a, b) => firstOfAll[a.state] - firstOfAll[b.state])) {
      if (finding.state === 'note' && ++notes > mostNotes && !style.isAll) continue;
      lines.push(...linesOf(finding, style));
    }
    if (notes > mostNotes && !style.isAll)
      lines.push(`  ... and ${formatCount(notes - mostNotes, 'more note')} (--all shows them)`);
    lines.push('');
  }
  return `${[...lines, ...summary(findings, style)].join('\n')}\n`;
}

function linesOf({ state, what, next }: Finding, style: Style): string[] {
  const lines = wrapText(printable(what), widthFor(style, 4)).map((line, index) =>
    index === 0 ? `  ${markOf(state, style)} ${line}` : `    ${line}`,
  );
  if (next === null) return lines;
  const advice = wrapText(printable(next), widthFor(style, 10));
  return [
    ...lines,
    ...advice.map((line, index) => (index === 0 ? `    next: ${line}` : `          ${line}`)),
  ];
}

function summary(findings: readonly Finding[], style: Style): string[] {
  const problems = findings.filter(({ state }) => state === 'problem');
  const notes = findings.filter(({ state }) => state === 'note');
  const counts = [
    ...(problems.length > 0 ? [formatCount(problems.length, 'problem')] : []),
    ...(notes.length > 0 ? [formatCount(notes.length, 'note')] : []),
  ].join(' and ');
  if (problems.length === 0) return [counts === '' ? 'All is well.' : `No problems; ${counts}.`];
  return [
    `${counts}:`,
    ...problems.map(({ area, state, what }) => {
      const [first = ''] = printable(`${area}: ${what}`).split('\n');
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

/** Whether the terminal shows more than ASCII, by the variables that say so. */
export function hasUnicode(
  environment: Readonly<Record<string, string>>,
  platform: NodeJS.Platform,
): boolean {
  if (platform === 'win32') return environment.WT_SESSION !== undefined;
  const locale = environment.LC_ALL || environment.LC_CTYPE || environment.LANG || '';
  return /utf-?8/i.test(locale) || (platform === 'darwin' && locale === '');
}
