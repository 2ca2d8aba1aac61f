import { closeSync, constants, existsSync, openSync, readSync, unlinkSync } from 'node:fs';
import { mkdir, readdir, rm, unlink } from 'node:fs/promises';
import { join } from 'node:path';

import { runCommand } from '../shared/run-command.ts';

export interface Fifo {
  readonly readFd: number;
  readonly writeFd: number;
}

/** One that another process can still open. */
export interface NamedFifo extends Fifo {
  readonly path: string;
}

/** One of which only the reading end is open: whoever writes to it opens it by its name. It can be used again. */
export interface LentFifo {
  readonly path: string;
  readonly readFd: number;
}

/** The reading end of a stream of a script. */
export interface OutputPipe {
  readonly readFd: number;
  /** It was read to its end, and nobody has it open for writing. */
  giveBack(): void;
  /** Somebody may write to it until who knows when: whoever reads it closes it then. */
  giveUp(): void;
}

/** Where it is on every Unix: the user's PATH may be anything. */
const program = ['/usr/bin/mkfifo', '/bin/mkfifo'].find((path) => existsSync(path)) ?? 'mkfifo';

const batchSize = 64;
const refillBelow = 24;
/** So many are kept to be lent again. */
const mostIdle = 32;
const rest = Buffer.allocUnsafe(4096);

/**
 * Real pipes. Node's own are socket pairs, and a script that does `echo x > /dev/stderr` cannot open one of those. A named
 * pipe can be reopened like any file; it is made ahead of time, for `mkfifo` is a process of its own, and loses its name
 * as soon as both ends are open.
 */
export class FifoPool {
  readonly #folder: string;
  readonly #ready: string[] = [];
  #refill: Promise<void> | undefined;
  #made = 0;
  readonly #idle: LentFifo[] = [];

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Removes what an earlier executor left, and makes the first batch. */
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

  /** Whoever takes it removes its name when it is not needed any more. */
  async takeNamed(): Promise<NamedFifo> {
    return openBothEnds(await this.#takeName());
  }

  async #takeName(): Promise<string> {
    let path = this.#ready.pop();
    // A refill ahead of time may fail; whoever finds the pool empty tries again, and is told.
    if (this.#ready.length < refillBelow) this.#startRefill().catch(() => {});
    while (path === undefined) {
      await this.#startRefill();
      path = this.#ready.pop();
    }
    return path;
  }

  /** One that nobody else has open. It is given back, or given up. */
  async lend(): Promise<LentFifo> {
    return this.#idle.pop() ?? openToRead(await this.#takeName());
  }

  /** It was read to its end, and nobody has it open for writing. */
  giveBack(fifo: LentFifo): void {
    if (this.#idle.length < mostIdle) this.#idle.push(fifo);
    else giveAway(fifo);
  }

  /** The same for one whose last writer has just ended. What it left in there is for nobody. */
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
    // A full disk may have let some of them through.
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

/** At once: in a thread it would take many times as long as it does. */
export function removeName({ path }: Pick<NamedFifo, 'path'>): void {
  try {
    unlinkSync(path);
  } catch {
    // It goes with the folder.
  }
}

export function closeBoth(fifo: Fifo): void {
  closeSync(fifo.readFd);
  closeSync(fifo.writeFd);
}

/** Of one that somebody may still have open, for whatever. */
export function giveAway(fifo: LentFifo): void {
  removeName(fifo);
  closeSync(fifo.readFd);
}

/** Takes out what is in it. Whether it has ended, since nobody has it open for writing. */
function isEmptied(readFd: number): boolean {
  try {
    while (readSync(readFd, rest) > 0) {
      // What a process that was killed has not read, or its module has printed.
    }
    return true;
  } catch {
    // EAGAIN: somebody still has it.
    return false;
  }
}

function openToRead(path: string): LentFifo {
  try {
    // Non-blocking, or this would wait for a writer.
    return { path, readFd: openSync(path, constants.O_RDONLY | constants.O_NONBLOCK) };
  } catch (error) {
    removeName({ path });
    throw error;
  }
}

function openBothEnds(path: string): NamedFifo {
  const { readFd } = openToRead(path);
  try {
    // With a reader there this does not wait, either.
    return { path, readFd, writeFd: openSync(path, constants.O_WRONLY) };
  } catch (error) {
    closeSync(readFd);
    removeName({ path });
    throw error;
  }
}
