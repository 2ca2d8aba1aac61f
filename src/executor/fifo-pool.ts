import { closeSync, constants, existsSync, openSync, readSync, unlinkSync } from 'node:fs';
import { mkdir, readdir, rm, unlink } from 'node:fs/promises';
import { join } from 'node:path';

import { runCommand } from '../shared/run-command.ts';

export interface Fifo {
  readonly readFd: number;
  readonly writeFd: number;
}

/** A pipe that other processes can open by its name. */
export interface NamedFifo extends Fifo {
  readonly path: string;
}

/** A pipe of which only the reading end is open: writers open it by its name. It can be used again. */
export interface LentFifo {
  readonly path: string;
  readonly readFd: number;
}

/** The reading end of a stream of a script. */
export interface OutputPipe {
  readonly readFd: number;
  /** Bytes that were read already. */
  readonly head?: Buffer;
  /** Call this if the pipe was read to its end and has no writer. */
  giveBack(): void;
  /** Call this if the pipe may still have a writer. The reader then closes it when the last writer has closed it. */
  giveUp(): void;
}

/** The place of `mkfifo` on every Unix; the user's PATH may be anything. */
const program = ['/usr/bin/mkfifo', '/bin/mkfifo'].find((path) => existsSync(path)) ?? 'mkfifo';

const batchSize = 64;
const refillBelow = 24;
/** The maximum number of idle pipes that are kept for reuse. */
const mostIdle = 32;
const rest = Buffer.allocUnsafe(4096);

/**
 * Real pipes. Node's own pipes are socket pairs, and a script that runs `echo x > /dev/stderr` cannot open those. A
 * named pipe can be reopened like any file. Pipes are made ahead of time, because `mkfifo` is a separate process. The
 * name of a pipe is removed as soon as both ends are open.
 */
export class FifoPool {
  readonly #folder: string;
  readonly #ready: string[] = [];
  #refill: Promise<void> | undefined;
  #made = 0;
  readonly #idle: LentFifo[] = [];
  readonly #nameless = new WeakSet<LentFifo>();

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Removes the pipes of an earlier executor, and makes the first batch. */
  async open(): Promise<void> {
    await rm(this.#folder, { recursive: true, force: true });
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    await this.#makeBatch();
  }

  async take(): Promise<Fifo> {
    const fifo = await this.takeNamed();
    removeName(fifo);
    return fifo;
  }

  /** The caller removes its name when it is not needed any more. */
  async takeNamed(): Promise<NamedFifo> {
    return openBothEnds(await this.#takeName());
  }

  async #takeName(): Promise<string> {
    let path = this.#ready.pop();
    // A refill ahead of time may fail. The next caller that finds the pool empty tries again, and gets the error.
    if (this.#ready.length < refillBelow) this.#startRefill().catch(() => {});
    while (path === undefined) {
      await this.#startRefill();
      path = this.#ready.pop();
    }
    return path;
  }

  /** A pipe that no other process has open. The caller returns it with `giveBack`, or gives it up. */
  async lend(): Promise<LentFifo> {
    return this.#idle.pop() ?? openToRead(await this.#takeName());
  }

  /** Call this if the pipe was read to its end and has no writer. */
  giveBack(fifo: LentFifo): void {
    if (this.#idle.length < mostIdle && !this.#nameless.has(fifo)) this.#idle.push(fifo);
    else giveAway(fifo);
  }

  /** From now on, no process can open the pipe. It is still read, and not used again. */
  retire(fifo: LentFifo): void {
    this.#nameless.add(fifo);
    removeName(fifo);
  }

  /** The same for a pipe whose last writer has just ended. Its remaining content is discarded. */
  reclaim(fifo: LentFifo): void {
    if (isEmptied(fifo.readFd)) this.giveBack(fifo);
    else giveAway(fifo);
  }

  asOutput(fifo: LentFifo): OutputPipe {
    return {
      readFd: fifo.readFd,
      giveBack: () => this.giveBack(fifo),
      giveUp: () => removeName(fifo),
    };
  }

  async close(): Promise<void> {
    for (const { readFd } of this.#idle.splice(0)) closeSync(readFd);
    await this.#refill?.catch(() => {});
    await rm(this.#folder, { recursive: true, force: true });
  }

  #startRefill(): Promise<void> {
    this.#refill ??= this.#makeBatch().finally(() => {
      this.#refill = undefined;
    });
    return this.#refill;
  }

  async #makeBatch(): Promise<void> {
    const names = Array.from({ length: batchSize }, () => join(this.#folder, String(this.#made++)));
    const { ok, stderr } = await runCommand(program, ['-m', '600', ...names]);
    if (ok) {
      this.#ready.push(...names);
      return;
    }
    // On a full disk, some of them may have been created.
    const existing = new Set(await readdir(this.#folder).catch(() => []));
    await Promise.all([...existing].map((name) => unlink(join(this.#folder, name)).catch(() => {})));
    this.#ready.length = 0;
    throw Object.assign(new Error(`mkfifo failed: ${stderr.trim()}`), { code: errnoFrom(stderr) });
  }
}

function errnoFrom(stderr: string): string {
  if (/no space|quota/i.test(stderr)) return 'ENOSPC';
  if (/read-only/i.test(stderr)) return 'EROFS';
  return stderr.trim() === '' ? 'EAGAIN' : 'EIO';
}

/** Synchronous: a thread would take many times as long. */
export function removeName({ path }: Pick<NamedFifo, 'path'>): void {
  try {
    unlinkSync(path);
  } catch {
    // It is removed together with the folder.
  }
}

export function closeBoth(fifo: Fifo): void {
  closeSync(fifo.readFd);
  closeSync(fifo.writeFd);
}

/** Discards a pipe that another process may still have open. */
export function giveAway(fifo: LentFifo): void {
  removeName(fifo);
  closeSync(fifo.readFd);
}

/** Discards the content of a pipe. Returns whether it is at its end, which means that it has no writer. */
function isEmptied(readFd: number): boolean {
  try {
    while (readSync(readFd, rest) > 0) {
      // Discard what a killed process has not read, or what one of its modules has printed.
    }
    return true;
  } catch {
    // EAGAIN: the pipe still has a writer.
    return false;
  }
}

function openToRead(path: string): LentFifo {
  try {
    // Non-blocking; otherwise this would wait for a writer.
    return { path, readFd: openSync(path, constants.O_RDONLY | constants.O_NONBLOCK) };
  } catch (error) {
    removeName({ path });
    throw error;
  }
}

function openBothEnds(path: string): NamedFifo {
  const { readFd } = openToRead(path);
  try {
    // This does not block, because the pipe has a reader.
    return { path, readFd, writeFd: openSync(path, constants.O_WRONLY) };
  } catch (error) {
    closeSync(readFd);
    removeName({ path });
    throw error;
  }
}
