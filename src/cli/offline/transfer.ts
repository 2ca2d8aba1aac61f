import { stat } from 'node:fs/promises';

import { AppError, ExplainedError, errnoOf } from '../../shared/errors.ts';
import type { Skipped } from '../../transfer/export-format.ts';
import { catchInterrupt } from '../interrupt.ts';
import { language, tr } from '../language.ts';
import { DrawnLine } from '../terminal/drawn-line.ts';
import { printable } from '../terminal/text.ts';
import { UserError, userError } from '../user-error.ts';

const mostListed = 20;

/**
 * Runs an export or import until Ctrl-C, and explains its errors. `nothing` says that it had no effect. `show` draws the progress on a
 * terminal.
 */
export async function transferring<Result>(
  nothing: string,
  work: (signal: AbortSignal, show: (progress: string) => void) => Promise<Result>,
): Promise<Result> {
  const interrupt = catchInterrupt();
  const line = new DrawnLine(process.stderr);
  const show = (progress: string) => {
    if (process.stderr.isTTY) line.draw(() => progress);
  };
  try {
    return await work(interrupt.signal, show).finally(() => line.clear());
  } catch (error) {
    if (interrupt.signal.aborted) throw new UserError(nothing, interrupt.exitCode);
    if (error instanceof ExplainedError) throw new UserError(error.text[language]);
    if (error instanceof AppError) throw new UserError(`${explain(error)}\n${nothing}`);
    const errno = errnoOf(error);
    if (errno === undefined) throw error;
    const path = error instanceof Error && 'path' in error ? ` ${String(error.path)}` : '';
    throw userError(
      `Cannot read or write${path} (${errno}). ${nothing} Check the permissions and the free space on the disk, then try again.`,
      `无法读取或写入${path}（${errno}）。${nothing}请检查权限和磁盘剩余空间，然后重试。`,
    );
  } finally {
    interrupt.release();
  }
}

/** The text of an error and its hint, if it has one. */
export function explain({ text, hint }: AppError): string {
  return printable([text[language], hint?.[language] ?? ''].filter((line) => line !== '').join('\n'));
}

export async function isFolder(path: string): Promise<boolean> {
  return (await stat(path).catch(() => null))?.isDirectory() === true;
}

export function describeSkipped(skipped: readonly Skipped[]): string[] {
  if (skipped.length === 0) return [];
  const lines = skipped
    .slice(0, mostListed)
    .map(({ what, why }) => `  ${printable(`${what}: ${why[language]}`)}`);
  const more = skipped.length - mostListed;
  return [
    tr('Skipped:', '已跳过：'),
    ...lines,
    ...(more > 0
      ? [tr(`  ... and ${more} more (use --json to list them)`, `  ... 还有 ${more} 项（--json 列出全部）`)]
      : []),
  ];
}
