import type { Command } from 'commander';
import type { Operation } from '../../contract/types.ts';
import { pickInstalled } from '../installed-packages.ts';
import { tr } from '../language.ts';
import {
  type CommonOptions,
  exitCodesText,
  homeOption,
  operationJsonOption,
  scriptMeaning,
  withSignature,
} from '../options.ts';
import { perform } from '../package-operation.ts';
import { ServiceClient } from '../service-client.ts';
import { printable } from '../terminal/text.ts';

export function configure(command: Command): void {
  withSignature(command, { '<script>': scriptMeaning, ...homeOption, ...operationJsonOption })
    .addHelpText('after', examples + exitCodesText)
    .action(async (wanted: string, { home, json }: CommonOptions) => {
      const client = await ServiceClient.find(home);
      const { id, name } = await pickInstalled(client, wanted);
      const subject = printable(name);
      const request = {
        path: `/api/packages/${encodeURIComponent(id)}/rollback`,
        subject,
        onStop: tr(`Cancelled the rollback. ${subject} is unchanged.`, `已停止回退，${subject} 保持不变。`),
      };
      await perform(client, request, json, describeRolledBack);
    });
}

const examples = tr(
  `
Example: hob rollback "Resize images"

Only one previous version is kept. A second rollback returns to the newer version.
`,
  `
示例：hob rollback "Resize images"

只保留当前版本之前的一个版本。连续回退两次会回到原来的版本。
`,
);

function describeRolledBack({ script_name, script_id, version }: Operation): string {
  const name = printable(script_name ?? script_id ?? '');
  const shown = version === null ? null : printable(version);
  return tr(
    `Rolled back ${name} to ${shown ?? 'the previous version'}. Another rollback returns to the newer version.\n`,
    `${name} 已回退到 ${shown ?? '之前的版本'}。再次回退会回到较新的版本。\n`,
  );
}
