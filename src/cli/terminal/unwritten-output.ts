import { errnoOf } from '../../shared/errors.ts';
import { tr } from '../language.ts';
import { exitCodes } from '../user-error.ts';

/** What a command has printed and nobody has taken yet: a pipe takes it bit by bit, and the rest would go with the process. */
export class UnwrittenOutput {
  #fault: string | null = null;

  constructor() {
    process.stdout.on('error', (error) => {
      const errno = errnoOf(error) ?? error.message;
      // Who stops reading has read what it wanted.
      if (errno !== 'EPIPE') this.#fault ??= errno;
    });
    // What could not be said there cannot be complained of there either; and it is not what the command was asked for.
    process.stderr.on('error', () => {});
  }

  /** Waits until all of it is written. Returns the exit code, which is none of success when something could not be. */
  async settle(code: number): Promise<number> {
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
    // Comes after all that was written before, and also when that failed.
    else stream.write('', () => setImmediate(resolve));
  });
}
