import type { Command } from 'commander';

import type { Problem, Script, ScriptList } from '../../contract/types.ts';
import { folderOf, shortId } from '../find-script.ts';
import { tr } from '../language.ts';
import { type CommonOptions, exitCodesText, homeOption, jsonOption, withSignature } from '../options.ts';
import { ServiceClient } from '../service-client.ts';
import { paint, printAnswer } from '../terminal/print.ts';
import { type Column, cutToWidth, formatCount, formatTable, printable, wrapText } from '../terminal/text.ts';

export function configure(command: Command): void {
  withSignature(command, {
    '[query]': ['text to find in the name, slug, description or id', '名称、slug、说明或 ID 中包含的文字'],
    ...homeOption,
    ...jsonOption,
  })
    .addHelpText('after', exitCodesText)
    .action(async (query: string | undefined, { home, json }: CommonOptions) => {
      const client = await ServiceClient.find(home);
      const all = await client.get<ScriptList>('/api/scripts');
      const answer = query === undefined ? all : filterScripts(all, query);
      printAnswer(answer, json, (found, lineWidth) => describeScripts(found, query !== undefined, lineWidth));
    });
}

const widestName = 32;
const indent = '    ';

/** Filters the response of GET /api/scripts: scripts by name, slug, description or id, problems by file. */
function filterScripts({ scripts, problems }: ScriptList, query: string): ScriptList {
  const lower = query.toLowerCase();
  const has = (...texts: readonly (string | null)[]) =>
    texts.some((text) => text?.toLowerCase().includes(lower) === true);
  return {
    scripts: scripts.filter(({ id, slug, name, desc }) => has(id, slug, name, desc)),
    problems: problems.filter(({ file }) => has(file)),
  };
}

function describeScripts({ scripts, problems }: ScriptList, isSearch: boolean, lineWidth?: number): string {
  const broken = brokenLines(problems, lineWidth);
  const nothing = isSearch
    ? tr('No matching scripts. To list all scripts: hob list', '没有符合条件的脚本。hob list 列出全部。')
    : tr(
        'There are no scripts yet. Create one with hob new, or install one with hob install.',
        '还没有脚本。hob new 新建一个，hob install 安装一个。',
      );
  const table = scripts.length === 0 ? [nothing] : scriptTable(scripts, lineWidth);
  return `${[...table, ...(broken.length === 0 ? [] : ['', ...broken])].join('\n')}\n`;
}

function scriptTable(known: readonly Script[], lineWidth: number | undefined): string[] {
  const ids = known.map(({ id }) => id);
  const nameOf = ({ name }: Script) => cutToWidth(name, widestName);
  const columns: readonly Column<Script>[] = [
    [tr('NAME', '名称'), nameOf, { paint: (text) => paint('bold', text) }],
    ['SLUG', ({ slug }) => slug],
    [tr('LANGUAGE', '语言'), ({ language }) => language],
    [tr('NODE', '节点'), ({ node }) => (node ? tr('yes', '是') : '')],
    ['ID', ({ id }) => shortId(id, ids)],
    // The last column, because it may be long and lines are cut at the end.
    [tr('DESCRIPTION', '说明'), ({ desc }) => desc ?? ''],
  ];
  const sorted = known.toSorted((one, other) => nameOf(one).localeCompare(nameOf(other)));
  return formatTable(sorted, columns, lineWidth);
}

/** Scripts that cannot run, each with its first problem and advice, and with the command that lists the others. */
function brokenLines(problems: readonly Problem[], lineWidth = Number.POSITIVE_INFINITY): string[] {
  const folders = new Map<string, Problem[]>();
  for (const problem of problems) {
    if (problem.severity !== 'error') continue;
    const folder = folderOf(problem);
    folders.set(folder, [...(folders.get(folder) ?? []), problem]);
  }
  const lines = [...folders].flatMap(([folder, own]) => {
    const [first, ...others] = own;
    const texts = [first?.message ?? '', first?.advice ?? ''].map(printable);
    const shown = texts.flatMap((text) => wrapText(text.replaceAll('\n', ' '), lineWidth - indent.length));
    const more = tr(
      `and ${formatCount(others.length, 'more problem')}: hob check ${quoted(folder)}`,
      `还有 ${others.length} 个问题：hob check ${quoted(folder)}`,
    );
    return [
      `  ${printable(folder)}`,
      ...[...shown, ...(others.length === 0 ? [] : [more])].map((line) => indent + line),
    ];
  });
  if (lines.length === 0) return [];
  const title = tr('These scripts cannot run:', '以下脚本无法运行。查看原因和解决办法：');
  return [paint('red', title), ...lines];
}

function quoted(path: string): string {
  const shown = printable(path);
  return /^[\w./+@:-]+$/.test(shown) ? shown : `"${shown}"`;
}
