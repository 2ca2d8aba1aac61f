import { setTimeout as wait } from 'node:timers/promises';

/** 128 and the number of the signal, as shells have it. */
const interruptCodes = { SIGINT: 130, SIGTERM: 143 } as const;

type InterruptName = keyof typeof interruptCodes;

/** Nobody who wants to be gone waits longer than this. */
const longestLastWordMs = 2000;

export interface Interrupt {
  /** Aborted by the first Ctrl-C. The second one ends the command at once, whatever it waits for. */
  readonly signal: AbortSignal;
  /** What a command that was interrupted exits with. */
  readonly exitCode: number;
  /** The second one waits for this, though not for long: what the first has asked for is to be said before nobody is there to say it. */
  finishFirst(lastWord: Promise<unknown>): void;
  release(): void;
}

/** Lets a command clear up after Ctrl-C. */
export function catchInterrupt(): Interrupt {
  const controller = new AbortController();
  let exitCode: number = interruptCodes.SIGINT;
  let lastWordSaid: Promise<unknown> | null = null;
  const onInterrupt = () => onSignal('SIGINT');
  const onTerminate = () => onSignal('SIGTERM');
  const release = () => {
    process.off('SIGINT', onInterrupt);
    process.off('SIGTERM', onTerminate);
  };
  process.on('SIGINT', onInterrupt);
  process.on('SIGTERM', onTerminate);
  return {
    signal: controller.signal,
    get exitCode() {
      return exitCode;
    },
    finishFirst(lastWord) {
      lastWordSaid = Promise.race([lastWord, wait(longestLastWordMs, undefined, { ref: false })]);
    },
    release,
  };

  function onSignal(name: InterruptName): void {
    if (controller.signal.aborted) {
      void lastWordSaid?.finally(() => {
        release();
        process.kill(process.pid, name);
      });
      return;
    }
    exitCode = interruptCodes[name];
    controller.abort();
    // Whoever heard it has said by now whether there is something to be said first. If not, the next one need not come through us.
    if (lastWordSaid === null) release();
  }
}
