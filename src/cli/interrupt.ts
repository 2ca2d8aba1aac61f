import { setTimeout as wait } from 'node:timers/promises';

/** 128 plus the signal number, as in shells. */
const interruptedCode = 130;
const terminatedCode = 143;

/** How long a second Ctrl-C waits for the pending cleanup. */
const longestCleanupMs = 2000;

export interface Interrupt {
  /** Aborted by the first Ctrl-C. The second one ends the command immediately. */
  readonly signal: AbortSignal;
  readonly exitCode: number;
  /** Delays the second Ctrl-C briefly until this settles, so that a request sent after the first one still reaches the service. */
  waitForCleanup(cleanup: Promise<unknown>): void;
  release(): void;
}

/** Lets a command clean up after Ctrl-C. */
export function catchInterrupt(): Interrupt {
  const controller = new AbortController();
  let exitCode = interruptedCode;
  let cleanupDone: Promise<unknown> | null = null;
  const release = () => {
    process.off('SIGINT', onSignal);
    process.off('SIGTERM', onSignal);
  };
  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);
  return {
    signal: controller.signal,
    get exitCode() {
      return exitCode;
    },
    waitForCleanup(cleanup) {
      cleanupDone = Promise.race([cleanup, wait(longestCleanupMs, undefined, { ref: false })]);
    },
    release,
  };

  function onSignal(name: NodeJS.Signals): void {
    if (controller.signal.aborted) {
      void cleanupDone?.finally(() => {
        release();
        process.kill(process.pid, name);
      });
      return;
    }
    exitCode = name === 'SIGINT' ? interruptedCode : terminatedCode;
    controller.abort();
    // The abort listeners have run. If none called waitForCleanup, the next signal can use its default action.
    if (cleanupDone === null) release();
  }
}
