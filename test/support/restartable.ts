import { onTestFinished } from 'vitest';

import { type Hob, launchHob, type StartOptions, tempFolder } from './hob.ts';
import { traceProcesses } from './processes.ts';

/** A service that can be stopped and started again on the same home. Nothing of it may be left when the test ends. */
export interface Restartable {
  /** The current service. */
  readonly hob: Hob;
  /** Stops it and starts the next one. `between` runs while there is none. */
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
