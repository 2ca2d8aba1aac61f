import { errnoOf } from '../../shared/errors.ts';
import { tr } from '../language.ts';
import { exitCodes } from '../user-error.ts';

/** Output that is still buffered. A slow pipe takes it piece by piece, and exiting early would lose the rest. */
export class UnwrittenOutput {
  #fault: string | null = null;

  constructor() {
    process.stdout.on('error', (error) => {
      const errno = errnoOf(error) ?? error.message;
      // A reader that closes the pipe has read what it wanted.
      if (errno !== 'EPIPE') this.#fault ??= errno;
    });
    // Errors of stderr cannot be reported and do not affect the result of the command.
    process.stderr.on('error', () => {});
  }

  /** Waits until all output is written. Returns the exit code, which is a failure if stdout could not be written. */
  async flush(code: number): Promise<number> {
    await Promise.all([drained(process.stdout), drained(process.stderr)]);
    if (this.#fault === null) return code;
    const fault = this.#fault;
    process.stderr.write(
      tr(`hob: Cannot write the output (${fault}).\n`, `hob: 无法写入输出（${fault}）。\n`),
    );
    await drained(process.stderr);
    return code === 0 ? exitCodes.failed : code;
  }
}

function drained(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => {
    if (stream.destroyed || !stream.writable) resolve();
    // The callback runs after all earlier writes, even if they failed.
    else stream.write('', () => setImmediate(resolve));
  });
}
