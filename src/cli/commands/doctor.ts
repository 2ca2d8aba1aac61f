import type { Command } from 'commander';

import { createDoctorContext } from '../../doctor/doctor-context.ts';
import { examine } from '../../doctor/examine.ts';
import { type Area, areas, type Finding } from '../../doctor/finding.ts';
import type { JsonObject } from '../../shared/json.ts';
import { language, tr } from '../language.ts';
import { type CommonOptions, helpText, withSignature } from '../options.ts';
import { paint, printJson } from '../terminal/print.ts';
import { cutToWidth, formatCount, joinCounts, printable, widthOf, wrapText } from '../terminal/text.ts';
import { ReportedError } from '../user-error.ts';

export function configure(command: Command): void {
  withSignature(command, {
    '--home <dir>': [
      "home folder to check (default: HOB_HOME, or the platform's data folder)",
      '要检查的数据目录（默认：HOB_HOME，否则为系统的数据文件夹）',
    ],
    '--all': ['show all notes, even if there are many', '显示所有提示，即使很多'],
    '--json': ['print the findings as JSON', '以 JSON 输出检查结果，供程序使用'],
  })
    .addHelpText('after', examples)
    .action(doctor);
}

const examples = helpText(
  ['hob doctor', 'hob doctor --json'],
  `Checks the machine, the home, the service and the scripts, and suggests what to do next. It changes nothing, and it works even if
the service does not. It starts only programs of the system, never a program from a script or package.
Exit codes: 0 no problems (there may be notes), 1 problems found, 2 usage error.`,
  `检查这台电脑、数据目录、服务和脚本，不做任何更改，并给出下一步。服务无法启动时也能使用。
只会启动系统中的程序，不会启动脚本或脚本包带来的程序。
退出码：0 没有问题（可能有提示），1 有问题，2 命令写法有误。`,
);

async function doctor({ home, json, all }: CommonOptions & { all?: boolean }): Promise<void> {
  const context = await createDoctorContext(home === undefined ? {} : { home });
  const findings = await examine(context);
  const problems = findings.filter(({ state }) => state === 'problem').length;
  if (json === true) {
    const notes = findings.filter(({ state }) => state === 'note').length;
    printJson({ home: context.home, findings: findings.map(asJson), problems, notes });
  } else {
    const { isTTY, columns } = process.stdout;
    const { environment, platform } = context;
    process.stdout.write(
      describeFindings(findings, {
        isAll: all === true,
        columns: isTTY ? columns : undefined,
        isUnicode: hasUnicode(environment, platform),
      }),
    );
  }
  if (problems > 0) throw new ReportedError();
}

/** JSON output is for programs and therefore always in English. */
function asJson({ area, state, what, next }: Finding): JsonObject {
  return { area, state, what: what.en, next: next === null ? null : next.en };
}

interface Style {
  readonly isAll: boolean;
  /** Width of the terminal; undefined without a terminal. */
  readonly columns: number | undefined;
  readonly isUnicode: boolean;
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
  triggers: tr('triggers', '触发器'),
  packages: tr('packages', '脚本包'),
  environments: tr('environments', '运行环境'),
};
const nextLabel = tr('next: ', '下一步：');

/** Formats the findings by area, with a summary of the problems at the end. */
function describeFindings(findings: readonly Finding[], style: Style): string {
  const lines: string[] = [];
  for (const area of areas) {
    const own = findings.filter((finding) => finding.area === area);
    if (own.length === 0) continue;
    lines.push(paint('bold', titles[area]));
    let notes = 0;
    for (const finding of [...own].sort((a, b) => firstOfAll[a.state] - firstOfAll[b.state])) {
      if (finding.state === 'note' && ++notes > mostNotes && !style.isAll) continue;
      lines.push(...linesOf(finding, style));
    }
    const more = notes - mostNotes;
    if (more > 0 && !style.isAll)
      lines.push(
        tr(
          `  ... and ${formatCount(more, 'more note')} (use --all to show them)`,
          `  ... 还有 ${more} 条提示（--all 显示全部）`,
        ),
      );
    lines.push('');
  }
  return `${[...lines, ...summary(findings, style)].join('\n')}\n`;
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
  const counts = joinCounts([problems.length, 'problem', '个问题'], [notes.length, 'note', '条提示']);
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

function markOf(state: Finding['state'], { isUnicode }: Style): string {
  return paint(colours[state], marks[state][isUnicode ? 0 : 1]);
}

function widthFor({ columns }: Style, indent: number): number {
  return columns === undefined ? Number.POSITIVE_INFINITY : Math.max(30, columns - indent - 1);
}

/** Whether the environment variables indicate a terminal that shows more than ASCII. */
function hasUnicode(environment: Readonly<Record<string, string>>, platform: NodeJS.Platform): boolean {
  if (platform === 'win32') return environment.WT_SESSION !== undefined;
  const locale = environment.LC_ALL || environment.LC_CTYPE || environment.LANG || '';
  return /utf-?8/i.test(locale) || (platform === 'darwin' && locale === '');
}
