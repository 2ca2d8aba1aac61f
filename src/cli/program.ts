import { Command } from 'commander';

import { readVersion } from '../shared/version.ts';
import { speakChinese } from './chinese-usage.ts';
import { type Subcommand, subcommands } from './commands.ts';
import { language, tr } from './language.ts';

/** The `hob` command with all its subcommands. Only the needed ones are loaded with their options. */
export async function buildProgram(isNeeded: (subcommand: Subcommand) => boolean): Promise<Command> {
  const program = new Command('hob')
    .description(
      tr(
        'Manages and runs the scripts on this machine. Any program can call them over HTTP.',
        '管理并运行这台电脑上的脚本，任何程序都可以通过 HTTP 调用。',
      ),
    )
    .version(readVersion(), '-V, --version', tr('print the version', '显示版本'))
    .helpOption('-h, --help', tr('show help', '显示帮助'))
    .helpCommand(false)
    .showHelpAfterError(tr("Run 'hob --help' for a list of commands.", '（hob --help 列出所有命令）'))
    .exitOverride();
  if (language === 'zh') speakChinese(program);
  for (const subcommand of subcommands) {
    const command = program
      .command(subcommand.name, { hidden: subcommand.isHidden === true })
      .description(subcommand.summary)
      .helpGroup(subcommand.group)
      .showHelpAfterError(
        tr(`Run 'hob ${subcommand.name} --help' for usage.`, `（用法见 hob ${subcommand.name} --help）`),
      )
      .exitOverride();
    if (isNeeded(subcommand)) (await subcommand.load()).configure(command);
  }
  return program;
}
