import { readSync } from 'node:fs';

import type { Environment } from '../../execution/messages.ts';
import type { FifoPool, LentFifo, OutputPipe } from '../fifo-pool.ts';
import { type GivenRun, nothingShared } from '../given-run.ts';
import type { ProcessExit } from '../process-exit.ts';
import { HostChildren } from './host-children.ts';
import { type Host, startHost } from './start-host.ts';

/** A start takes less than a millisecond. A launcher that has made none after so long does not answer any more. */
const longestStartMs = 3000;

/** A program that was started. */
export interface Launched {
  /** Undefined for one of which nobody knows what became of it. */
  readonly pid: number | undefined;
  readonly startTicks: number;
  readonly stdout: OutputPipe;
  readonly stderr: OutputPipe;
  readonly exited: Promise<ProcessExit>;
}

interface Birth {
  readonly stdout: LentFifo;
  readonly stderr: LentFifo;
  readonly deadline: NodeJS.Timeout;
  readonly settle: (launched: Launched | null) => void;
}

interface LauncherEvents {
  ready(): void;
  /** Called once, whatever the reason. */
  ended(): void;
}

/** A small process that starts others, and tells how they end. */
export class LauncherProcess {
  readonly #fifos: FifoPool;
  readonly #host: Host;
  readonly #births = new Map<number, Birth>();
  readonly #children = new HostChildren();
  readonly #events: LauncherEvents;
  /** What it was told that runs share. */
  #shared: Environment | undefined;
  #asked = 0;
  #isReady = false;
  /** Nothing more can be asked of it. */
  #isOver = false;

  constructor(python: string, program: string, fifos: FifoPool, events: LauncherEvents) {
    this.#fifos = fifos;
    this.#events = events;
    // As little of Python as there can be; what names files is not what the language of the user makes of it.
    this.#host = startHost({ file: python, args: ['-I', '-S', '-X', 'utf8', program], env: {} }, [
      'pipe',
      'pipe',
    ]);
    this.#host.onLine((line) => this.#hear(line));
    void this.#host.silent.then(() => this.#outlive());
  }

  get pid(): number | undefined {
    return this.#host.pid;
  }

  /** Null when it could not. */
  async start({ file, args, cwd, env, shared = nothingShared }: GivenRun): Promise<Launched | null> {
    const stdout = await this.#fifos.lend();
    let stderr: LentFifo;
    try {
      stderr = await this.#fifos.lend();
    } catch (error) {
      this.#fifos.giveBack(stdout);
      throw error;
    }
    if (this.#isOver) {
      for (const fifo of [stdout, stderr]) this.#fifos.giveBack(fifo);
      return null;
    }
    const seq = this.#asked++;
    return new Promise((settle) => {
      const deadline = setTimeout(() => this.#giveUp(seq), longestStartMs).unref();
      this.#births.set(seq, { stdout, stderr, deadline, settle });
      if (this.#shared !== shared) this.#host.send({ shared });
      this.#shared = shared;
      this.#host.send({ seq, file, args, cwd, env, stdout: stdout.path, stderr: stderr.path });
    });
  }

  /** It stays as long as it has something to tell of those that it has started. */
  close(): void {
    this.#isOver = true;
    if (this.#isReady) this.#host.dismiss();
    else this.#host.kill();
  }

  #hear(line: string): void {
    const [word = '', ...rest] = line.split(' ');
    const [first = 0, second = 0, third = 0] = rest.map(Number);
    switch (word) {
      case 'ready':
        this.#isReady = true;
        this.#events.ready();
        break;
      case 'born':
        this.#bear(first, second);
        break;
      case 'refused':
        this.#abandon(first);
        break;
      case 'ended':
        this.#children.ended(first, second, third);
        break;
    }
  }

  #bear(seq: number, pid: number): void {
    const birth = this.#take(seq);
    if (birth === undefined) return;
    const { started, exited } = this.#children.add(pid);
    birth.settle({
      ...this.#outputsOf(birth),
      pid,
      exited,
      // Most are over before anybody asks: how they ended comes with the same line, or in the next.
      get startTicks() {
        return started.ticks;
      },
    });
  }

  #abandon(seq: number): void {
    const birth = this.#take(seq);
    if (birth === undefined) return;
    for (const fifo of [birth.stdout, birth.stderr]) this.#fifos.giveBack(fifo);
    birth.settle(null);
  }

  /** It may have answered while this process was held up: what it said is heard first. */
  #giveUp(seq: number): void {
    setImmediate(() => {
      if (this.#births.has(seq)) this.#host.kill();
    });
  }

  #take(seq: number): Birth | undefined {
    const birth = this.#births.get(seq);
    clearTimeout(birth?.deadline);
    this.#births.delete(seq);
    return birth;
  }

  /** It is gone. Whoever it has left cannot be told of any more, and is watched from here. */
  #outlive(): void {
    this.#isOver = true;
    for (const seq of [...this.#births.keys()]) {
      const birth = this.#take(seq);
      if (birth !== undefined) this.#settleUntold(birth);
    }
    this.#children.orphan();
    this.#events.ended();
  }

  /** Whether it got as far as to start this one it could not tell: somebody who writes shows that it did, and it must not run twice. */
  #settleUntold(birth: Birth): void {
    const { stdout, stderr, settle } = birth;
    if (isUntouched(stdout.readFd) && isUntouched(stderr.readFd)) {
      for (const fifo of [stdout, stderr]) this.#fifos.giveBack(fifo);
      settle(null);
      return;
    }
    const exit: ProcessExit = { code: null, signal: null, error: null, isUnseen: true };
    settle({ ...this.#outputsOf(birth), pid: undefined, startTicks: 0, exited: Promise.resolve(exit) });
  }

  #outputsOf({ stdout, stderr }: Birth): Pick<Launched, 'stdout' | 'stderr'> {
    return { stdout: this.#fifos.asOutput(stdout), stderr: this.#fifos.asOutput(stderr) };
  }
}

/** Whether nobody has the other end, and nothing was written to it. */
function isUntouched(fd: number): boolean {
  try {
    return readSync(fd, Buffer.alloc(1)) === 0;
  } catch {
    // Somebody has it, and has written nothing yet.
    return false;
  }
}
