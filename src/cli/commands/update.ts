import type { Command } from 'commander';

import { tr } from '../language.ts';
import { homeOption, scriptMeaning } from '../options.ts';
import { type UpdateOptions, update } from '../package/update.ts';
import { exitCodesText, strictUsage } from '../strict-usage.ts';

export function configure(command: Command): void {
  strictUsage(command);
  command
    .argument('[script...]', scriptMeaning)
    .option('--all', tr('update all installed scripts', '更新所有已安装的脚本'))
    .option(
      '--from <source>',
      tr(
        'get this and all later updates from another source (see hob install)',
        '以后改从此处获取，不再使用原来的来源（见 hob install）',
      ),
    )
    .option(
      '--ref <ref>',
      tr('switch to another branch, tag or commit of the git repository', 'git 仓库的另一个分支、标签或提交'),
    )
    .option('--path <path>', tr('switch to another folder in the source', '来源中的另一个文件夹'))
    .option(
      '--no-prepare',
      tr('do not create the environment now; the first run creates it', '不预先准备运行环境，留到首次运行时'),
    )
    .option(...homeOption)
    .option(
      '--json',
      tr(
        'print the finished operation as JSON (a list if there are several)',
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

Active runs keep the version they started with. If the new version has errors or its environment cannot be created, the current
version stays in place. The previous version is kept; hob rollback restores it.
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
