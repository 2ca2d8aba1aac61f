import { fileURLToPath } from 'node:url';

import { ExecutorClient } from '../execution/executor-client.ts';
import type { WarmLimits, WarmState } from '../execution/messages.ts';
import type { LoadedSettings } from '../settings/load-settings.ts';
import type { Logger } from '../shared/log.ts';

const megabyte = 1_000_000;
const minuteMs = 60_000;

interface Composed {
  executor: ExecutorClient;
  /** The warm interpreters: their limits and their current state. */
  warm: { readonly limits: WarmLimits; state(): WarmState | null };
}

/** Builds the client of the executor process. */
export function composeExecutor(settings: LoadedSettings, version: string, log: Logger): Composed {
  const limits: WarmLimits = {
    memoryBytes: settings.warm_memory_mb * megabyte,
    idleMs: settings.warm_idle_minutes * minuteMs,
  };
  const executor = new ExecutorClient({
    home: settings.home,
    entry: fileURLToPath(new URL('../executor/main.js', import.meta.url)),
    version,
    env: settings.environment,
    warmLimits: limits,
    log: log.child({ part: 'executor' }),
  });
  return { executor, warm: { limits, state: () => executor.warm } };
}
