import type { Command } from 'commander';
import { formatBytes } from '../../contract/quantities.ts';
import type { Environment, EnvironmentList, EnvironmentRemoved } from '../../contract/types.ts';
import { tr } from '../language.ts';
import { type CommonOptions, exitCodesText, homeOption, jsonOption, withSignature } from '../options.ts';
import { ServiceClient } from '../service-client.ts';
import { printAnswer } from '../terminal/print.ts';
import { type Column, formatCount, formatMinute, formatTable, printable } from '../terminal/text.ts';
import { userError } from '../user-error.ts';

export function configure(command: Command): void {
  command.helpCommand(false).addHelpText('after', exitCodesText);

  withSignature(command.command('list', { isDefault: true }), { ...homeOption, ...jsonOption })
    .description(
      tr(
        'list environments with their kind, size, last use and scripts',
        '列出脚本的运行环境：种类、大小、最近使用时间，以及哪些脚本需要它',
      ),
    )
    .action(async ({ home, json }: CommonOptions) => {
      const client = await ServiceClient.find(home);
      printAnswer(await client.get<EnvironmentList>('/api/environments'), json, describeEnvironments);
    });

  withSignature(command.command('rm'), {
    '<key>': [
      'key of the environment, or a prefix of it (at least 4 characters)',
      '环境的标识，或其开头（至少 4 个字符）',
    ],
    ...homeOption,
    ...jsonOption,
  })
    .description(
      tr(
        'remove an environment; the next run of a script that needs it creates a new one',
        '删除一个运行环境；需要它的脚本在下次运行时会重新创建',
      ),
    )
    .action(async (wanted: string, { home, json }: CommonOptions) => {
      const client = await ServiceClient.find(home);
      const key = pickKey(await client.get<EnvironmentList>('/api/environments'), wanted);
      const path = `/api/environments/${encodeURIComponent(key)}`;
      printAnswer(await client.delete<EnvironmentRemoved>(path), json, ({ freed_bytes }) => {
        const freed = formatBytes(freed_bytes);
        return tr(
          `Removed the environment ${key} and freed ${freed}.\n`,
          `已删除运行环境 ${key}，释放了 ${freed}。\n`,
        );
      });
    });
}

const states = {
  ready: tr('ready', '就绪'),
  building: tr('building', '准备中'),
  damaged: tr('damaged', '已损坏'),
};
const shownKey = 12;
const shortestPrefix = 4;

const columns: readonly Column<Environment>[] = [
  [tr('KEY', '标识'), ({ key }) => key.slice(0, shownKey)],
  [tr('KIND', '种类'), ({ kind }) => kind],
  [tr('SIZE', '大小'), ({ bytes }) => formatBytes(bytes), { isNumber: true }],
  [tr('LAST USED', '最近使用'), ({ used_at }) => formatMinute(used_at)],
  [tr('STATE', '状态'), ({ state }) => states[state]],
  [tr('SCRIPTS', '脚本'), ({ scripts }) => scripts.map(({ name }) => name).join(', ') || '-'],
];

function describeEnvironments({ items: environments }: EnvironmentList, lineWidth?: number): string {
  if (environments.length === 0)
    return tr(
      'There are no environments yet. Hob creates one when it installs or runs a script that needs it.\n',
      '还没有运行环境：安装或运行需要环境的脚本时会自动创建。\n',
    );
  const lines = formatTable(environments, columns, lineWidth);
  const bytes = environments.reduce((sum, { bytes: own }) => sum + own, 0);
  const unused = environments.filter(({ scripts }) => scripts.length === 0).length;
  const [count, size] = [environments.length, formatBytes(bytes)];
  const sum = tr(`${formatCount(count, 'environment')}, ${size}`, `${count} 个运行环境，共 ${size}`);
  const idle =
    unused === 0 ? '' : tr(`; ${unused} not needed by any script`, `；其中 ${unused} 个没有脚本需要`);
  return `${[...lines, '', sum + idle].join('\n')}\n`;
}

function pickKey({ items }: EnvironmentList, wanted: string): string {
  const keys = items.map(({ key }) => key);
  const lower = wanted.toLowerCase();
  const found = keys.filter(
    (key) => key === wanted || (lower.length >= shortestPrefix && key.startsWith(lower)),
  );
  const [only, ...others] = found;
  const shown = printable(wanted);
  if (only === undefined)
    throw userError(
      `No environment has a key that begins with "${shown}". To list environments: hob environments`,
      `没有标识以 “${shown}” 开头的运行环境。用 hob environments 可列出所有环境。`,
    );
  if (others.length > 0)
    throw userError(
      `Several keys begin with "${shown}". Use a longer prefix: ${found.join(', ')}`,
      `有多个标识以 “${shown}” 开头：${found.join('、')}`,
    );
  return only;
}
