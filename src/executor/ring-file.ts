import { closeSync, constants, openSync, rmSync, writeSync } from 'node:fs';

import { encodeRingState, type RingState } from '../execution/ring-state.ts';

const createFlags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0);

/** The file that describes the state of a ring to readers. */
export class RingFile {
  readonly #fd: number;

  /** Throws if the disk is full or the path is in use. After a failed write, the file is removed. */
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
      // The last state may not have reached the disk; readers verify its checksum.
    }
  }
}
