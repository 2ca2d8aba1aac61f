import type { Command } from 'commander';

import type { Operation } from '../../contract/types.ts';
import { curlOf, runLine } from '../command-lines.ts';
import { getScript } from '../find-script.ts';
import { sourceArgument } from '../installed-packages.ts';
import { tr } from '../language.ts';
import {
  type CommonOptions,
  exitCodesText,
  helpText,
  homeOption,
  noPrepareOption,
  operationJsonOption,
  withSignature,
} from '../options.ts';
import { perform, titleOf } from '../package-operation.ts';
import { ServiceClient } from '../service-client.ts';
import { printable } from '../terminal/text.ts';
import { UserError } from '../user-error.ts';

interface InstallOptions extends CommonOptions {
  ref?: string;
  path?: string;
  prepare: boolean;
}

export function configure(command: Command): void {
  withSignature(command, {
    '<source>': [
      'folder, .zip or .tar.gz file, or URL of a git repository',
      '文件夹、.zip 或 .tar.gz 文件，或 git 仓库的地址',
    ],
    '--ref <ref>': [
      'branch, tag or commit of the git repository (also: <url>#<ref>)',
      'git 仓库的分支、标签或提交（也可写成 <地址>#<ref>）',
    ],
    '--path <path>': [
      'folder of the script in the source, if the source contains several scripts',
      '来源中有多个脚本时，脚本所在的文件夹',
    ],
    ...noPrepareOption,
    ...homeOption,
    ...operationJsonOption,
  })
    .addHelpText('after', examples + exitCodesText)
    .action(async (text: string, { home, json, ref, path, prepare }: InstallOptions) => {
      const source = await sourceArgument(text);
      const client = await ServiceClient.find(home);
      const subject = printable(text);
      const request = {
        path: '/api/packages/install',
        body: { source, ...(ref !== undefined && { ref }), ...(path !== undefined && { path }), prepare },
        subject,
        onStop: tr(
          `Cancelled the installation of ${subject}. Nothing was installed.`,
          `已停止安装 ${subject}，没有留下任何内容。`,
        ),
      };
      await perform(client, request, json, (operation) => describeInstalled(client, operation));
    });
}

const examples = helpText(
  [
    'hob install ./resize-images',
    'hob install ~/Downloads/resize-images-1.0.0.zip',
    'hob install https://git.example.org/ada/scripts.git --ref v1.0 --path resize-images',
  ],
  `An installed script is not replaced; use hob update for that. The environment of the script is prepared before the script
becomes available, and the log is shown. If a step fails, nothing is installed.
`,
  `已安装的脚本不会被替换，请用 hob update 更新。安装前会先准备好脚本的运行环境，并显示准备过程的日志。
无论哪里出错，都不会留下只安装了一半的脚本。
`,
);

async function describeInstalled(client: ServiceClient, operation: Operation): Promise<string> {
  const id = operation.script_id ?? '';
  const title = titleOf(operation, id);
  const installed = tr(`Installed ${title} (id ${id})\n`, `已安装 ${title}，ID 为 ${id}\n`);
  try {
    const script = await getScript(client, id);
    const run = `${tr('Run it: ', '运行：')}${runLine(script)}\n`;
    return `${installed}${run}${tr('Over HTTP: ', '或者：')}${curlOf(client, script)}\n`;
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    // The commands are optional: the script is installed.
    return installed;
  }
}
