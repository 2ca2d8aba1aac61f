import { constants } from 'node:os';

import type { ProcessExit } from '../process-exit.ts';
import { startTicksOf } from '../process-table.ts';
import { awaitOrphan } from './await-orphan.ts';

interface Child {
  readonly started: StartTime;
  /** Where it leaves its exit code, if it finds that its parent is gone. */
  readonly lastWord: string | null;
  readonly settle: (exit: ProcessExit) => void;
  readonly bury: () => void;
}

const signalNames = new Map<number, NodeJS.Signals>();
for (const name in constants.signals) {
  if (isSignal(name) && !signalNames.has(constants.signals[name]))
    signalNames.set(constants.signals[name], name);
}

/**
 * When a process was started, as the system counts. It is looked up when it is asked for the first time, right after the process was
 * told of: one that is over by then needs no look, which would only find that out, and take as long as a small script.
 */
class StartTime {
  readonly #pid: number;
  #ticks: number | undefined;
  isOver = false;

  constructor(pid: number) {
    this.#pid = pid;
  }

  /** Zero if nobody can tell any more. */
  get ticks(): number {
    this.#ticks ??= this.isOver ? 0 : startTicksOf(this.#pid);
    return this.#ticks;
  }
}

/** The processes that a program of ours has started, which tells how they end. */
export class HostChildren {
  readonly #children = new Map<number, Child>();

  has(pid: number): boolean {
    return this.#children.has(pid);
  }

  /** `exited` resolves with how it has ended, which it may have said itself; `gone` when the system is done with it, too. */
  add(
    pid: number,
    lastWord: string | null,
  ): { started: StartTime; exited: Promise<ProcessExit>; gone: Promise<void> } {
    const started = new StartTime(pid);
    let bury = (): void => {};
    const gone = new Promise<void>((resolve) => {
      bury = resolve;
    });
    const exited = new Promise<ProcessExit>((settle) => {
      this.#children.set(pid, { started, lastWord, settle, bury });
    });
    return { started, exited, gone };
  }

  /** It says itself that it ends. */
  ending(pid: number, code: number): void {
    this.#children.get(pid)?.settle({ code, signal: null, error: null });
  }

  /** Its parent says that it has ended. */
  ended(pid: number, code: number, signal: number): void {
    this.#settle(pid, {
      code: signal === 0 ? code : null,
      signal: signalNames.get(signal) ?? null,
      error: null,
    });
  }

  /** Their parent is gone, and cannot tell of them any more: they are watched from here. */
  orphan(): void {
    for (const [pid, { started, lastWord }] of this.#children) {
      const child = { startTicks: started.ticks, lastWord };
      void awaitOrphan(pid, child).then((exit) => this.#settle(pid, exit));
    }
  }

  #settle(pid: number, exit: ProcessExit): void {
    const child = this.#children.get(pid);
    if (child === undefined) return;
    child.started.isOver = true;
    child.settle(exit);
    child.bury();
    this.#children.delete(pid);
  }
}

function isSignal(name: string): name is NodeJS.Signals {
  return name in constants.signals;
}
