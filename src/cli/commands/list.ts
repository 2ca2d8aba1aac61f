import type { Command } from 'commander';
import type { Json, JsonObject } from '../../shared/json.ts';
import { objectsIn, textOf } from '../answer-fields.ts';
import { folderOf, shortId } from '../find-script.ts';
import { tr } from '../language.ts';
import { type CommonOptions, exitCodesText, homeOption, jsonOption, strictUsage } from '../options.ts';
import { ServiceClient } from '../service-client.ts';
import { paint, printJson } from '../terminal/print.ts';
import { formatCount } from '../terminal/quantities.ts';
import { formatTable } from '../terminal/table.ts';
import { cutToWidth, printable, wrapText } from '../terminal/text-width.ts';

export function configure(command: Command): void {
  strictUsage(command);
  command
    .argument('[query]', tr('text to find in the name, description or id', '名称、说明或 ID 中包含的文字'))
    .option(...homeOption)
    .option(...jsonOption)
    .addHelpText('after', exitCodesText)
    .action(async (query: string | undefined, { home, json }: CommonOptions) => {
      const all = await (await ServiceClient.find(home)).get('/api/scripts');
      const answer = query === undefined ? all : filterScripts(all, query);
      const { isTTY, columns } = process.stdout;
      const shown = { isSearch: query !== undefined, lineWidth: isTTY ? columns : undefined };
      if (json === true) printJson(answer);
      else process.stdout.write(describeScripts(answer, shown));
    });
}

const widestName = 32;
const indent = '    ';

/** Filters the response of GET /api/scripts: scripts by name, description or id, problems by file. */
function filterScripts({ scripts, problems }: JsonObject, query: string): JsonObject {
  const lower = query.toLowerCase();
  const has = (...values: readonly (Json | undefined)[]) =>
    values.some((value) => textOf(value)?.toLowerCase().includes(lower) === true);
  return {
    scripts: objectsIn(scripts).filter(({ id, name, desc }) => has(id, name, desc)),
    problems: objectsIn(problems).filter(({ file }) => has(file)),
  };
}

/** Formats the response of GET /api/scripts. */
function describeScripts(
  { scripts, problems }: JsonObject,
  { isSearch, lineWidth }: { isSearch: boolean; lineWidth?: number | undefined },
): string {
  const known = objectsIn(scripts);
  const broken = brokenLines(objectsIn(problems), lineWidth);
  const table = known.length === 0 ? [nothingText(isSearch)] : scriptTable(known, lineWidth);
  return `${[...table, ...(broken.length === 0 ? [] : ['', ...broken])].join('\n')}\n`;
}

function scriptTable(known: readonly JsonObject[], lineWidth: number | undefined): string[] {
  const ids = known.map(({ id }) => textOf(id) ?? '');
  const columns = [
    { title: tr('NAME', '名称'), paint: (text: string) => paint('bold', text) },
    { title: tr('LANGUAGE', '语言') },
    { title: tr('NODE', '节点') },
    { title: 'ID' },
    // The last column, because it may be long and lines are cut at the end.
    { title: tr('DESCRIPTION', '说明') },
  ];
  const rows = known
    .map((script) => [
      cutToWidth(textOf(script.name) ?? '', widestName),
      textOf(script.language) ?? '',
      script.node === true ? tr('yes', '是') : '',
      shortId(textOf(script.id) ?? '', ids),
      textOf(script.desc) ?? '',
    ])
    .sort(([one = ''], [other = '']) => one.localeCompare(other));
  return formatTable(columns, rows, lineWidth);
}

/** Scripts that cannot run, each with its first problem and advice, and with the command that lists the others. */
function brokenLines(problems: readonly JsonObject[], lineWidth = Number.POSITIVE_INFINITY): string[] {
  const folders = new Map<string, JsonObject[]>();
  for (const problem of problems) {
    if (problem.severity !== 'error') continue;
    const folder = folderOf(problem);
    folders.set(folder, [...(folders.get(folder) ?? []), problem]);
  }
  const lines = [...folders].flatMap(([folder, own]) => {
    const [first, ...others] = own;
    const texts = [first?.message, first?.advice].map((text) => printable(textOf(text) ?? ''));
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

function nothingText(isSearch: boolean): string {
  if (isSearch)
    return tr(
      'No matching scripts. To list all scripts: hob list',
      '没有符合条件的脚本。hob list 列出全部。',
    );
  return tr(
    'There are no scripts yet. Create one with hob new, or install one with hob install.',
    '还没有脚本。hob new 新建一个，hob install 安装一个。',
  );
}
