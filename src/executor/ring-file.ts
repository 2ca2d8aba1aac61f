import { closeSync, constants, openSync, rmSync, writeSync } from 'node:fs';

import { encodeRingState, type RingState } from '../execution/ring-state.ts';

const createFlags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0);

/** The file that tells readers how a ring stands. */
export class RingFile {
  readonly #fd: number;

  /** Throws when there is no room for it, or something in its place; then nothing is left of it. */
  constructor(path: string, state: RingState) {
    this.#fd = openSync(path, createFlags, 0o600);
    try {
      this.write(state);
    } catch (error) {
      this.close();
      rmSync(path, { force: true });
      throw error;
    }
  }

  write(state: RingState): void {
    const bytes = encodeRingState(state);
    if (writeSync(this.#fd, bytes, 0, bytes.length, 0) !== bytes.length) throw new Error('written in part');
  }

  close(): void {
    try {
      closeSync(this.#fd);
    } catch {
      // Its last state may not have reached the disk; whoever reads it checks it.
    }
  }
}
