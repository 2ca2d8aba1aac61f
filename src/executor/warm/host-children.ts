import { constants } from 'node:os';
import { setTimeout as wait } from 'node:timers/promises';

import type { ProcessExit } from '../process-exit.ts';
import { isSameProcess, startTicksOf } from '../process-table.ts';

const pollMs = 20;

interface Child {
  readonly started: StartTime;
  readonly settle: (exit: ProcessExit) => void;
}

const signalNames = new Map<number, NodeJS.Signals>();
for (const name in constants.signals) {
  if (isSignal(name) && !signalNames.has(constants.signals[name]))
    signalNames.set(constants.signals[name], name);
}

/**
 * The start time of a process, in ticks of the system clock. It is read when it is first requested, right after the
 * process was reported. A process that has ended by then is not read: that would only show its end, and take as long as
 * a small script.
 */
class StartTime {
  readonly #pid: number;
  #ticks: number | undefined;
  isOver = false;

  constructor(pid: number) {
    this.#pid = pid;
  }

  /** Zero if it cannot be read any more. */
  get ticks(): number {
    this.#ticks ??= this.isOver ? 0 : startTicksOf(this.#pid);
    return this.#ticks;
  }
}

/** The processes that one of our host programs has started. The host reports their exits. */
export class HostChildren {
  readonly #children = new Map<number, Child>();

  get isEmpty(): boolean {
    return this.#children.size === 0;
  }

  has(pid: number): boolean {
    return this.#children.has(pid);
  }

  /** `exited` resolves when the kernel has reported the exit to the parent of the process. */
  add(pid: number): { started: StartTime; exited: Promise<ProcessExit> } {
    const started = new StartTime(pid);
    const exited = new Promise<ProcessExit>((settle) => {
      this.#children.set(pid, { started, settle });
    });
    return { started, exited };
  }

  /** The parent reports that the process has ended. */
  ended(pid: number, code: number, signal: number): void {
    this.#settle(pid, {
      code: signal === 0 ? code : null,
      signal: signalNames.get(signal) ?? null,
      error: null,
    });
  }

  /** The parent has ended and cannot report on its children any more, so this process watches them. */
  orphan(): void {
    for (const [pid, { started }] of this.#children)
      void awaitOrphan(pid, started.ticks).then((exit) => this.#settle(pid, exit));
  }

  #settle(pid: number, exit: ProcessExit): void {
    const child = this.#children.get(pid);
    if (child === undefined) return;
    child.started.isOver = true;
    child.settle(exit);
    this.#children.delete(pid);
  }
}

function isSignal(name: string): name is NodeJS.Signals {
  return name in constants.signals;
}

/**
 * Waits for a process whose parent has ended. The kernel reports its exit code to the process that adopted it, and not
 * to this process.
 */
async function awaitOrphan(pid: number, startTicks: number): Promise<ProcessExit> {
  while (isSameProcess(pid, startTicks)) await wait(pollMs);
  return { code: null, signal: null, error: null, isUnseen: true };
}
