import { onTestFinished } from 'vitest';

import { type Hob, launchHob, type StartOptions, tempFolder } from './hob.ts';
import { traceProcesses } from './processes.ts';

/** A service that is ended and started again on the same home; nothing of it may be left when the test ends. */
export interface Restartable {
  /** The one that runs now. */
  readonly hob: Hob;
  /** Ends it and starts the next. `between` is done while there is none. */
  restart(signal?: NodeJS.Signals, between?: () => Promise<void>): Promise<void>;
}

export async function startRestartable(options: StartOptions = {}): Promise<Restartable> {
  const trace = traceProcesses();
  const home = options.home ?? (await tempFolder());
  const launch = () => launchHob({ ...options, home, env: { ...options.env, ...trace.env } });
  let hob = await launch();
  onTestFinished(async () => {
    await hob.stop();
    await trace.noneLeft();
  });
  return {
    get hob() {
      return hob;
    },
    async restart(signal = 'SIGTERM', between = async () => {}) {
      await hob.stop(signal);
      await between();
      hob = await launch();
    },
  };
}
