import type { Command } from 'commander';
import type { ScriptList } from '../../contract/types.ts';
import { pickScript } from '../find-script.ts';
import { tr } from '../language.ts';
import {
  type CommonOptions,
  exitCodesText,
  homeOption,
  operationJsonOption,
  scriptMeaning,
  withSignature,
} from '../options.ts';
import { perform, titleOf } from '../package-operation.ts';
import { ServiceClient } from '../service-client.ts';
import { printable } from '../terminal/text.ts';

export function configure(command: Command): void {
  withSignature(command, { '<script>': scriptMeaning, ...homeOption, ...operationJsonOption })
    .addHelpText('after', examples + exitCodesText)
    .action(async (wanted: string, { home, json }: CommonOptions) => {
      const client = await ServiceClient.find(home);
      const { scripts } = await client.get<ScriptList>('/api/scripts');
      const { id, name } = pickScript(scripts, wanted);
      const subject = printable(name);
      const request = {
        path: `/api/scripts/${encodeURIComponent(id)}/prepare`,
        subject,
        onStop: tr(
          `No longer waiting for the environment of ${subject}.`,
          `不再等待 ${subject} 的运行环境。`,
        ),
      };
      await perform(client, request, json, (operation) => {
        const title = titleOf(operation, subject);
        return operation.run_id === null
          ? tr(`${title} is ready. There was nothing to prepare.\n`, `${title} 所需的一切都已就绪。\n`)
          : tr(`The environment of ${title} is ready.\n`, `${title} 的运行环境已准备好。\n`);
      });
    });
}

const examples = tr(
  `
Example: hob prepare "Resize images"

Creates the environment of a script before its first run, and shows the log. Works for installed scripts and for scripts in
your own folders.
`,
  `
示例：hob prepare "Resize images"

预先创建脚本所需的运行环境，首次运行时就不必再等。已安装的脚本和脚本文件夹中的脚本都可以。准备过程中会显示日志。
`,
);
