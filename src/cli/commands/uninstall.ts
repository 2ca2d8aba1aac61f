import type { Command } from 'commander';
import type { Uninstalled } from '../../contract/types.ts';
import { type Installed, pickInstalled } from '../installed-packages.ts';
import { tr } from '../language.ts';
import {
  type CommonOptions,
  exitCodesText,
  helpText,
  homeOption,
  jsonOption,
  scriptMeaning,
  withSignature,
} from '../options.ts';
import { withVersion } from '../package-operation.ts';
import { ServiceClient } from '../service-client.ts';
import { confirm } from '../terminal/ask.ts';
import { printAnswer } from '../terminal/print.ts';
import { printable } from '../terminal/text.ts';

export function configure(command: Command): void {
  withSignature(command, {
    '<script>': scriptMeaning,
    '--yes': ['do not ask for confirmation', '不询问，直接执行'],
    ...homeOption,
    ...jsonOption,
  })
    .addHelpText('after', examples + exitCodesText)
    .action(async (wanted: string, { home, json, yes }: CommonOptions & { yes?: boolean }) => {
      const client = await ServiceClient.find(home);
      const target = await pickInstalled(client, wanted);
      const answer = await uninstall(client, target, yes === true);
      printAnswer(answer, json, () => describeUninstalled(target, answer));
    });
}

const examples = helpText(
  ['hob uninstall "Resize images"', 'hob uninstall 2f0c5c5e --yes'],
  `Active runs keep their files until they end. The environment is removed later, when no other script needs it.
`,
  `正在进行的运行会保留所需的文件，直到结束。运行环境在没有其他脚本需要时，稍后会自动删除。
`,
);

async function uninstall(
  client: ServiceClient,
  target: Installed,
  isConfirmed: boolean,
): Promise<Uninstalled> {
  if (!isConfirmed)
    await confirm({
      text: `${describeLoss(target)}\n${tr('Uninstall it? [y/N] ', '要卸载吗？[y/N] ')}`,
      withoutTerminal: tr(
        'Nothing was uninstalled, because there is no terminal to ask for confirmation. Use --yes to uninstall.',
        '没有卸载任何脚本：没有可供询问的终端。加上 --yes 直接卸载。',
      ),
      onNo: tr('Nothing was uninstalled.', '没有卸载任何脚本。'),
    });
  return client.delete(`/api/packages/${encodeURIComponent(target.id)}`);
}

function describeUninstalled({ name, version }: Installed, { kept_for_runs }: Uninstalled): string {
  const kept = kept_for_runs
    ? tr(' Its files are kept until the runs that use them end.', '其文件会保留到使用它们的运行结束。')
    : '';
  const title = withVersion(name, version);
  return `${tr(`Uninstalled ${title}.`, `已卸载 ${title}。`)}${kept}\n`;
}

function describeLoss({ id, name, version, previous }: Installed): string {
  const title = withVersion(name, version);
  const other = previous?.version ?? null;
  const others =
    other === null ? '' : tr(` and its previous version (${other})`, `，连同之前的版本（${other}）`);
  return printable(
    tr(
      `This removes ${title} (${id})${others}. Active runs keep their files until they end. The run history is kept.`,
      `将删除 ${title}（${id}）${others}。正在进行的运行会保留所需的文件，直到结束；运行记录会保留。`,
    ),
  );
}
