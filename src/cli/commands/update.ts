import type { Command } from 'commander';

import { tr } from '../language.ts';
import { homeOption, scriptMeaning } from '../options.ts';
import { type UpdateOptions, update } from '../package/update.ts';
import { exitCodesText, strictUsage } from '../strict-usage.ts';

export function configure(command: Command): void {
  strictUsage(command);
  command
    .argument('[script...]', scriptMeaning)
    .option('--all', tr('update everything that is installed', '更新所有已安装的脚本'))
    .option(
      '--from <source>',
      tr(
        'get it from here from now on, and not from where it came (see hob install)',
        '以后改从此处获取，不再使用原来的来源（见 hob install）',
      ),
    )
    .option(
      '--ref <ref>',
      tr('another branch, tag or commit of the git repository', 'git 仓库的另一个分支、标签或提交'),
    )
    .option('--path <path>', tr('another folder in the source', '来源中的另一个文件夹'))
    .option(
      '--no-prepare',
      tr('leave its environment to the first run', '不预先准备运行环境，留到首次运行时'),
    )
    .option(...homeOption)
    .option(
      '--json',
      tr(
        'print the operation as it ended, for programs; several as a list',
        '输出操作结果的 JSON，供程序使用；多个时为列表',
      ),
    )
    .addHelpText('after', examples + exitCodesText)
    .action((scripts: string[], options: UpdateOptions) => update(scripts, options));
}

const examples = tr(
  `
Examples:
  hob update "Resize images"
  hob update 2f0c5c5e --ref v1.1
  hob update 2f0c5c5e --from ./resize-images
  hob update --all

Runs in flight keep the version they began with. A new version that is broken, or whose environment cannot be made, does not take
the place of the one that works. The version before is kept: hob rollback goes back to it.
`,
  `
示例：
  hob update "Resize images"
  hob update 2f0c5c5e --ref v1.1
  hob update 2f0c5c5e --from ./resize-images
  hob update --all

正在进行的运行继续使用开始时的版本。新版本如果有错误，或无法准备运行环境，不会取代可用的旧版本。旧版本会保留，可用 hob rollback 回退。
`,
);
