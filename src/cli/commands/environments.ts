import type { Command } from 'commander';
import type { JsonObject } from '../../shared/json.ts';
import { numberOf, objectsIn, textOf } from '../answer-fields.ts';
import { tr } from '../language.ts';
import { type CommonOptions, exitCodesText, homeOption, jsonOption, strictUsage } from '../options.ts';
import { ServiceClient } from '../service-client.ts';
import { printJson } from '../terminal/print.ts';
import { formatBytes, formatCount, formatMinute } from '../terminal/quantities.ts';
import { formatTable } from '../terminal/table.ts';
import { printable } from '../terminal/text-width.ts';
import { UserError } from '../user-error.ts';

export function configure(command: Command): void {
  strictUsage(command);
  command.helpCommand(false).addHelpText('after', exitCodesText);

  command
    .command('list', { isDefault: true })
    .description(
      tr(
        'list environments with their kind, size, last use and scripts',
        '列出脚本的运行环境：种类、大小、最近使用时间，以及哪些脚本需要它',
      ),
    )
    .option(...homeOption)
    .option(...jsonOption)
    .action(async ({ home, json }: CommonOptions) => {
      const answer = await (await ServiceClient.find(home)).get('/api/environments');
      const { isTTY, columns } = process.stdout;
      if (json === true) printJson(answer);
      else process.stdout.write(describeEnvironments(answer, isTTY ? columns : undefined));
    });

  command
    .command('rm')
    .description(
      tr(
        'remove an environment; the next run of a script that needs it creates a new one',
        '删除一个运行环境；需要它的脚本在下次运行时会重新创建',
      ),
    )
    .argument(
      '<key>',
      tr(
        'key of the environment, or a prefix of it (at least 4 characters)',
        '环境的标识，或其开头（至少 4 个字符）',
      ),
    )
    .option(...homeOption)
    .option(...jsonOption)
    .action(async (wanted: string, { home, json }: CommonOptions) => {
      const client = await ServiceClient.find(home);
      const key = pickKey(await client.get('/api/environments'), wanted);
      const answer = await client.delete(`/api/environments/${encodeURIComponent(key)}`);
      const freed = formatBytes(numberOf(answer.freed_bytes) ?? 0);
      if (json === true) printJson(answer);
      else
        process.stdout.write(
          tr(
            `Removed the environment ${key} and freed ${freed}.\n`,
            `已删除运行环境 ${key}，释放了 ${freed}。\n`,
          ),
        );
    });
}

const columns = [
  { title: tr('KEY', '标识') },
  { title: tr('KIND', '种类') },
  { title: tr('SIZE', '大小'), isNumber: true },
  { title: tr('LAST USED', '最近使用') },
  { title: tr('STATE', '状态') },
  { title: tr('SCRIPTS', '脚本') },
];
const states: Readonly<Record<string, string>> = {
  ready: tr('ready', '就绪'),
  building: tr('building', '准备中'),
  damaged: tr('damaged', '已损坏'),
};
const shownKey = 12;
const shortestPrefix = 4;

/** Formats the response of GET /api/environments. */
function describeEnvironments({ items }: JsonObject, lineWidth?: number): string {
  const environments = objectsIn(items);
  if (environments.length === 0)
    return tr(
      'There are no environments yet. Hob creates one when it installs or runs a script that needs it.\n',
      '还没有运行环境：安装或运行需要环境的脚本时会自动创建。\n',
    );
  const lines = formatTable(columns, environments.map(rowOf), lineWidth);
  const bytes = environments.reduce((sum, { bytes: own }) => sum + (numberOf(own) ?? 0), 0);
  const unused = environments.filter(({ scripts }) => objectsIn(scripts).length === 0).length;
  const [count, size] = [environments.length, formatBytes(bytes)];
  const sum = tr(`${formatCount(count, 'environment')}, ${size}`, `${count} 个运行环境，共 ${size}`);
  const idle =
    unused === 0 ? '' : tr(`; ${unused} not needed by any script`, `；其中 ${unused} 个没有脚本需要`);
  return `${[...lines, '', sum + idle].join('\n')}\n`;
}

function rowOf(environment: JsonObject): string[] {
  const state = textOf(environment.state) ?? '';
  const scripts = objectsIn(environment.scripts).map(({ name }) => textOf(name) ?? '');
  return [
    (textOf(environment.key) ?? '').slice(0, shownKey),
    textOf(environment.kind) ?? '',
    formatBytes(numberOf(environment.bytes) ?? 0),
    formatMinute(textOf(environment.used_at)),
    states[state] ?? state,
    scripts.join(', ') || '-',
  ];
}

/** Finds the only key with this prefix. */
function pickKey({ items }: JsonObject, wanted: string): string {
  const keys = objectsIn(items).map(({ key }) => textOf(key) ?? '');
  const lower = wanted.toLowerCase();
  const found = keys.filter(
    (key) => key === wanted || (lower.length >= shortestPrefix && key.startsWith(lower)),
  );
  const [only, ...others] = found;
  const shown = printable(wanted);
  if (only === undefined)
    throw new UserError(
      tr(
        `No environment has a key that begins with "${shown}". To list environments: hob environments`,
        `没有标识以 “${shown}” 开头的运行环境。用 hob environments 可列出所有环境。`,
      ),
    );
  if (others.length > 0)
    throw new UserError(
      tr(
        `Several keys begin with "${shown}". Use a longer prefix: ${found.join(', ')}`,
        `有多个标识以 “${shown}” 开头：${found.join('、')}`,
      ),
    );
  return only;
}
