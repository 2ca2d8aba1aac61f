/** 128 and the number of the signal, as shells have it. */
const interruptCodes = { SIGINT: 130, SIGTERM: 143 } as const;

export interface Interrupt {
  /** Aborted by the first Ctrl-C. The second one ends the command at once, whatever it waits for. */
  readonly signal: AbortSignal;
  /** What a command that was interrupted exits with. */
  readonly exitCode: number;
  release(): void;
}

/** Lets a command clear up after Ctrl-C. */
export function catchInterrupt(): Interrupt {
  const controller = new AbortController();
  let exitCode: number = interruptCodes.SIGINT;
  const onInterrupt = () => controller.abort();
  const onTerminate = () => {
    exitCode = interruptCodes.SIGTERM;
    controller.abort();
  };
  process.once('SIGINT', onInterrupt);
  process.once('SIGTERM', onTerminate);
  return {
    signal: controller.signal,
    get exitCode() {
      return exitCode;
    },
    release() {
      process.off('SIGINT', onInterrupt);
      process.off('SIGTERM', onTerminate);
    },
  };
}
