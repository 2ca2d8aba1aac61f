import { fileURLToPath } from 'node:url';

import { ExecutorClient } from './execution/executor-client.ts';
import type { WarmLimits, WarmState } from './execution/messages.ts';
import type { LoadedSettings } from './settings/load-settings.ts';
import type { Logger } from './shared/log.ts';

const megabyte = 1_000_000;
const minuteMs = 60_000;

interface Composed {
  executor: ExecutorClient;
  /** The interpreters that wait for runs: how many there may be, and how they stand. */
  warm: { readonly limits: WarmLimits; state(): WarmState | null };
}

/** What gives runs to the process that carries them out. */
export function composeExecutor(settings: LoadedSettings, version: string, log: Logger): Composed {
  const limits: WarmLimits = {
    memoryBytes: settings.warm_memory_mb * megabyte,
    idleMs: settings.warm_idle_minutes * minuteMs,
  };
  const executor = new ExecutorClient({
    home: settings.home,
    entry: fileURLToPath(new URL('./executor/main.js', import.meta.url)),
    version,
    env: settings.environment,
    warmLimits: limits,
    log: log.child({ part: 'executor' }),
  });
  return { executor, warm: { limits, state: () => executor.warm } };
}
