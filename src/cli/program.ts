import { Command } from 'commander';

import { readVersion } from '../shared/version.ts';
import { type Subcommand, subcommands } from './commands.ts';
import { language, tr } from './language.ts';
import { widthOf, wrapText } from './terminal/text.ts';

/** The `hob` command with the listed subcommands. Only the needed ones are loaded with their options. */
export async function buildProgram(
  isNeeded: (subcommand: Subcommand) => boolean,
  listed: readonly Subcommand[] = subcommands,
): Promise<Command> {
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
  for (const subcommand of listed) {
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

const titles: Readonly<Record<string, string>> = {
  'Usage:': '用法:',
  'Arguments:': '参数：',
  'Options:': '选项：',
  'Commands:': '命令：',
};

/** Words that commander adds to a help page. */
const words: readonly [pattern: RegExp, chinese: string][] = [
  [/\[options\]/g, '[选项]'],
  [/\[command\]/g, '[命令]'],
  [/ ?\(default: (.+)\)$/, '（默认：$1）'],
  [/ ?\(choices: (.+)\)$/, '（可选：$1）'],
];

/** Usage errors of commander, which cannot be translated in any other way. */
const complaints: readonly [pattern: RegExp, chinese: string][] = [
  [/^error: missing required argument '(.+)'/, '错误：缺少参数 $1'],
  [/^error: option '(.+?)' argument missing/, '错误：选项 $1 缺少值'],
  [/^error: required option '(.+?)' not specified/, '错误：必须给出选项 $1'],
  [/^error: option '(.+?)' cannot be used with option '(.+?)'/, '错误：选项 $1 不能与 $2 同时使用'],
  [
    /^error: option '(.+?)' argument '(.*)' is invalid\.(?: Allowed choices are (.+)\.)?/,
    '错误：选项 $1 的值 “$2” 无效。$3',
  ],
  [
    /^error: command-argument value '(.*)' is invalid for argument '(.+?)'\.(?: Allowed choices are (.+)\.)?/,
    '错误：参数 $2 的值 “$1” 无效。$3',
  ],
  [/^error: unknown option '(.+?)'/, '错误：未知选项 $1'],
  [/^error: unknown command '(.+?)'/, '错误：未知命令 $1'],
  [
    /^error: too many arguments.*Expected (\d+) arguments? but got (\d+)\./,
    '错误：参数太多：需要 $1 个，给了 $2 个。',
  ],
  [/\(Did you mean (?:one of )?(.+)\?\)/, '（是不是 $1？）'],
];

/** Makes commander speak Chinese. Call it before subcommands are added: they inherit the configuration of their parent. */
export function speakChinese(program: Command): void {
  program
    .configureHelp({
      styleTitle: (title) => titles[title] ?? title,
      styleUsage: (text) => translate(text, words),
      styleSubcommandTerm: (text) => translate(text, words),
      styleDescriptionText: (text) => translate(text, words),
      displayWidth: widthOf,
      boxWrap: (text, columns) => wrapText(text, columns).join('\n'),
    })
    .configureOutput({ outputError: (text, write) => write(translate(text, complaints)) });
}

function translate(text: string, table: readonly [pattern: RegExp, chinese: string][]): string {
  let translated = text;
  for (const [pattern, chinese] of table) translated = translated.replace(pattern, chinese);
  return translated;
}
