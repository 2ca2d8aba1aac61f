import { constants } from 'node:os';

import type { ProcessExit } from '../process-exit.ts';
import { startTicksOf } from '../process-table.ts';
import { awaitOrphan } from './await-orphan.ts';

interface Child {
  readonly startTicks: number;
  /** Where it leaves its exit code, if it finds that its parent is gone. */
  readonly lastWord: string | null;
  readonly settle: (exit: ProcessExit) => void;
}

const signalNames = new Map<number, NodeJS.Signals>();
for (const name in constants.signals) {
  if (isSignal(name) && !signalNames.has(constants.signals[name]))
    signalNames.set(constants.signals[name], name);
}

/** The processes that a program of ours has started, which tells how they end. */
export class HostChildren {
  readonly #children = new Map<number, Child>();

  has(pid: number): boolean {
    return this.#children.has(pid);
  }

  /** `exited` resolves with how it has ended. */
  add(pid: number, lastWord: string | null): { startTicks: number; exited: Promise<ProcessExit> } {
    const startTicks = startTicksOf(pid);
    const exited = new Promise<ProcessExit>((settle) => {
      this.#children.set(pid, { startTicks, lastWord, settle });
    });
    return { startTicks, exited };
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
    for (const [pid, child] of this.#children) {
      void awaitOrphan(pid, child).then((exit) => this.#settle(pid, exit));
    }
  }

  #settle(pid: number, exit: ProcessExit): void {
    this.#children.get(pid)?.settle(exit);
    this.#children.delete(pid);
  }
}

function isSignal(name: string): name is NodeJS.Signals {
  return name in constants.signals;
}
