import { Command, CommanderError } from 'commander';

import { errnoOf, isExhaustion } from '../shared/errors.ts';
import { readVersion } from '../shared/version.ts';
import { speakChinese } from './chinese-usage.ts';
import { subcommands } from './commands.ts';
import { language, tr } from './language.ts';
import { exitCodes, ToldError, UserError } from './user-error.ts';

/** The `hob` command. */
async function main(argv: readonly string[]): Promise<number> {
  const program = new Command('hob')
    .description(
      tr(
        'Runs the scripts on this machine, for any program that asks over HTTP.',
        '管理并运行这台电脑上的脚本，任何程序都可以通过 HTTP 调用。',
      ),
    )
    .version(readVersion(), '-V, --version', tr('print the version', '显示版本'))
    .helpOption('-h, --help', tr('show help', '显示帮助'))
    .helpCommand(false)
    .showHelpAfterError(tr('(hob --help shows what there is)', '（hob --help 列出所有命令）'))
    .exitOverride();
  if (language === 'zh') speakChinese(program);

  try {
    const called = argv.find((argument) => !argument.startsWith('-'));
    for (const subcommand of subcommands) {
      const command = program
        .command(subcommand.name)
        .description(subcommand.summary)
        .helpGroup(subcommand.group)
        .exitOverride();
      if (subcommand.name === called) (await subcommand.load()).configure(command);
    }
    if (argv.length === 0) {
      program.outputHelp();
      return 0;
    }
    await program.parseAsync([...argv], { from: 'user' });
    return 0;
  } catch (error) {
    if (error instanceof CommanderError || error instanceof ToldError) return error.exitCode;
    const message = error instanceof UserError ? error.message : explainLack(error);
    if (message === null) throw error;
    process.stderr.write(`hob: ${message}\n`);
    return error instanceof UserError ? error.exitCode : exitCodes.failed;
  }
}

/** What the user can do when the machine lacks what it takes to start; null for a defect. */
function explainLack(error: unknown): string | null {
  const errno = errnoOf(error);
  // Loading modules without handles fails in many ways, and not all of them say why.
  if (errno === 'EMFILE' || handleLimit() < fewestHandles) {
    const what = error instanceof Error ? error.message.split('\n')[0] : String(error);
    return tr(
      `there are too few file handles to start with. Raise the limit, for example: ulimit -n 1024 (${what})`,
      `可用的文件句柄太少，无法启动。请提高上限，例如：ulimit -n 1024（${what}）`,
    );
  }
  return isExhaustion(errno)
    ? tr(`the machine lacks what it takes to start (${errno}).`, `系统资源不足，无法启动（${errno}）。`)
    : null;
}

const fewestHandles = 256;

function handleLimit(): number {
  const report: unknown = process.report?.getReport();
  const limits: unknown = Reflect.get(Object(report), 'userLimits');
  const soft: unknown = Reflect.get(Object(Reflect.get(Object(limits), 'open_files')), 'soft');
  return typeof soft === 'number' ? soft : Number.POSITIVE_INFINITY;
}

main(process.argv.slice(2)).then(
  (code) => process.exit(code),
  (error: unknown) => {
    process.stderr.write(`hob: ${error instanceof Error ? error.stack : String(error)}\n`);
    process.exit(70);
  },
);
