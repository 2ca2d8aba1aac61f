import type { Command } from 'commander';

import { openPage } from '../history/open-page.ts';
import { tr } from '../language.ts';
import { type CommonOptions, homeOption, plainJsonOption } from '../options.ts';
import { exitCodesText, strictUsage } from '../strict-usage.ts';

export function configure(command: Command): void {
  strictUsage(command);
  command
    .argument('[what]', tr('run (id, id prefix or last) or script', '运行（ID、ID 的开头或 last）或脚本'))
    .option('--print', tr('print the URL without opening a browser', '只输出地址，不打开浏览器'))
    .option(...homeOption)
    .option(...plainJsonOption)
    .addHelpText('after', exitCodesText)
    .action((what: string | undefined, { print, home, json }: CommonOptions & { print?: boolean }) =>
      openPage(what, { isOpened: print !== true, isJson: json === true, home }),
    );
}
