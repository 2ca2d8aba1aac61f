import type { Command } from 'commander';

import type { InstalledPackage, PackageList } from '../../contract/types.ts';
import { shortId } from '../find-script.ts';
import { tr } from '../language.ts';
import { type CommonOptions, homeOption, jsonOption, withSignature } from '../options.ts';
import { ServiceClient } from '../service-client.ts';
import { printAnswer } from '../terminal/print.ts';
import { type Column, formatCount, formatMinute, formatTable } from '../terminal/text.ts';

export function configure(command: Command): void {
  withSignature(command, { ...homeOption, ...jsonOption }).action(async ({ home, json }: CommonOptions) => {
    const client = await ServiceClient.find(home);
    printAnswer(await client.get<PackageList>('/api/packages'), json, describePackages);
  });
}

function describePackages({ items: packages }: PackageList, lineWidth?: number): string {
  if (packages.length === 0)
    return tr(
      'No scripts are installed yet. To install one: hob install <folder, archive or git URL>\n',
      '还没有安装任何脚本。安装一个：hob install <文件夹、压缩包或 git 地址>\n',
    );
  const ids = packages.map(({ script_id }) => script_id);
  const columns: readonly Column<InstalledPackage>[] = [
    [tr('NAME', '名称'), ({ name }) => name],
    [tr('VERSION', '版本'), describeVersion],
    ['ID', ({ script_id }) => shortId(script_id, ids)],
    [tr('INSTALLED', '安装时间'), ({ installed_at }) => formatMinute(installed_at)],
    // The last column, because it may be long and lines are cut at the end.
    [tr('SOURCE', '来源'), ({ source }) => (source === null ? '' : describeSource(source))],
  ];
  const lines = formatTable(packages, columns, lineWidth);
  const broken = packages.filter(({ state }) => state === 'broken').length;
  const count = tr(formatCount(packages.length, 'package'), `${packages.length} 个脚本包`);
  const faults =
    broken === 0
      ? ''
      : tr(`; ${broken} broken (see hob doctor)`, `；${broken} 个已损坏：用 hob doctor 查看原因`);
  return `${[...lines, '', count + faults].join('\n')}\n`;
}

function describeVersion({ version, state }: InstalledPackage): string {
  const shown = version ?? '-';
  return state === 'broken' ? tr(`${shown} (broken)`, `${shown}（已损坏）`) : shown;
}

/** The source on one line: `https://host/repo#v1.0 scripts/one (1a2b3c4)`. */
function describeSource({ location, ref, path, commit }: NonNullable<InstalledPackage['source']>): string {
  return [
    `${location}${ref === null ? '' : `#${ref}`}`,
    ...(path === null ? [] : [path]),
    ...(commit === null ? [] : [`(${commit.slice(0, 7)})`]),
  ].join(' ');
}
