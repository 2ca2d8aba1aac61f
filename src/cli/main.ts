import { CommanderError } from 'commander';
import { errnoOf, isExhaustion } from '../shared/errors.ts';
import { subcommands } from './commands.ts';
import { tr } from './language.ts';
import { buildProgram } from './program.ts';
import { exitCodes, ReportedError, UserError, usageError } from './user-error.ts';

/** Command names of other tools, and the matching commands of Hob. */
const commandsOfOtherTools: ReadonlyMap<string, string> = new Map([
  ['status', 'hob service status, hob doctor'],
  ['restart', 'hob stop && hob start'],
  ['ps', 'hob runs --state running'],
  ['history', 'hob runs'],
  ['log', 'hob logs'],
  ['exec', 'hob run'],
  ['execute', 'hob run'],
  ['kill', 'hob cancel'],
  ['retry', 'hob rerun'],
  ['ls', 'hob list'],
  ['info', 'hob show'],
  ['add', 'hob install'],
  ['get', 'hob install'],
  ['remove', 'hob uninstall'],
  ['rm', 'hob uninstall'],
  ['delete', 'hob uninstall'],
  ['upgrade', 'hob update'],
  ['create', 'hob new'],
  ['init', 'hob new'],
  ['validate', 'hob check'],
  ['lint', 'hob check'],
  ['models', 'hob model list'],
  ['backup', 'hob export'],
  ['restore', 'hob import'],
]);

async function main(argv: readonly string[]): Promise<number> {
  try {
    const [called, completed] = argv.filter((argument) => !argument.startsWith('-'));
    // Help, completion and suggestions need all commands. A command that is called by its name needs no other.
    const named = subcommands.filter(({ name }) => name === argv[0] && name !== 'complete');
    // Completion also needs the options of the command that it completes.
    const program = await buildProgram(
      ({ name }) => name === called || (called === 'complete' && name === completed),
      named.length > 0 ? named : subcommands,
    );
    if (argv.length === 0) {
      program.outputHelp();
      return 0;
    }
    const suggestions = commandsOfOtherTools.get(called ?? '');
    if (suggestions !== undefined)
      throw usageError(
        `Unknown command '${called}'. Try: ${suggestions}`,
        `没有命令 ${called}。也许是：${suggestions.replaceAll(', ', '、')}`,
      );
    await program.parseAsync([...argv], { from: 'user' });
    return 0;
  } catch (error) {
    if (error instanceof ReportedError) return error.exitCode;
    // Commander reports only usage errors.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : exitCodes.usage;
    const message = error instanceof UserError ? error.message : explainShortage(error);
    if (message === null) throw error;
    process.stderr.write(`hob: ${message}\n`);
    return error instanceof UserError ? error.exitCode : exitCodes.failed;
  }
}

/** A message for the user if the machine lacks a resource; null if the error is a bug. */
function explainShortage(error: unknown): string | null {
  const errno = errnoOf(error);
  if (errno === 'ENOENT' && Reflect.get(Object(error), 'syscall') === 'uv_cwd')
    return tr(
      'The current folder no longer exists. Change to another folder: cd',
      '当前文件夹已不存在。请换到别的文件夹：cd',
    );
  // Without file handles, loading modules fails in many ways, and not every error names the cause.
  if (errno === 'EMFILE' || handleLimit() < minHandles) {
    const what = error instanceof Error ? error.message.split('\n')[0] : String(error);
    return tr(
      `Not enough file handles to start. Raise the limit, for example: ulimit -n 1024 (${what})`,
      `可用的文件句柄太少，无法启动。请提高上限，例如：ulimit -n 1024（${what}）`,
    );
  }
  return isExhaustion(errno)
    ? tr(
        `Not enough system resources to start (${errno}). Free some memory or disk space, then try again.`,
        `系统资源不足，无法启动（${errno}）。请释放一些内存或磁盘空间后重试。`,
      )
    : null;
}

const minHandles = 256;

function handleLimit(): number {
  const report: unknown = process.report?.getReport();
  const limits: unknown = Reflect.get(Object(report), 'userLimits');
  const soft: unknown = Reflect.get(Object(Reflect.get(Object(limits), 'open_files')), 'soft');
  return typeof soft === 'number' ? soft : Number.POSITIVE_INFINITY;
}

let outputFault: string | null = null;
process.stdout.on('error', (error) => {
  const errno = errnoOf(error) ?? error.message;
  // A reader that closes the pipe has read what it wanted.
  if (errno !== 'EPIPE') outputFault ??= errno;
});
// Errors of stderr cannot be reported and do not affect the result of the command.
process.stderr.on('error', () => {});
main(process.argv.slice(2)).then(
  async (code) => process.exit(await flushOutput(code)),
  (error: unknown) => {
    process.stderr.write(`hob: ${error instanceof Error ? error.stack : String(error)}\n`);
    process.exit(70);
  },
);

/**
 * Waits until all output is written: a slow pipe takes it piece by piece, and exiting early would lose the rest. Returns the exit
 * code, which is a failure if stdout could not be written.
 */
async function flushOutput(code: number): Promise<number> {
  await Promise.all([drained(process.stdout), drained(process.stderr)]);
  if (outputFault === null) return code;
  process.stderr.write(
    tr(`hob: Cannot write the output (${outputFault}).\n`, `hob: 无法写入输出（${outputFault}）。\n`),
  );
  await drained(process.stderr);
  return code === 0 ? exitCodes.failed : code;
}

function drained(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => {
    if (stream.destroyed || !stream.writable) resolve();
    // The callback runs after all earlier writes, even if they failed.
    else stream.write('', () => setImmediate(resolve));
  });
}
