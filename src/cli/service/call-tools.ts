import { runCommand } from '../../shared/run-command.ts';
import { tr } from '../language.ts';
import { quoteWord } from '../quote-word.ts';
import { printable } from '../terminal/text-width.ts';
import { UserError } from '../user-error.ts';
import type { ToolCall } from './login-service.ts';

/** Stopping the service waits for open requests. */
const toolTimeoutMs = 120_000;

/** Runs the commands one after the other. Throws if a command fails that must not fail. */
export async function callTools(calls: readonly ToolCall[]): Promise<void> {
  for (const call of calls) {
    const { ok, failure, stderr } = await runCommand(call.tool, call.args, { timeoutMs: toolTimeoutMs });
    if (ok || call.mayFail === true) continue;
    const why = printable(stderr.trim()) || failure;
    throw new UserError(
      tr(`Command failed: ${commandLine(call)}\n${why}`, `命令执行失败：${commandLine(call)}\n${why}`),
    );
  }
}

export function commandLine({ tool, args }: ToolCall): string {
  return [tool, ...args.map(quoteWord)].join(' ');
}
