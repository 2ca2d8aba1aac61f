import type { RunEnd } from '../../src/execution/messages.ts';
import { readOutcome } from '../../src/runs/outcome/read-outcome.ts';
import type { Executor, RunWindowsOptions } from '../../src/runs/run-request.ts';
import { RunService } from '../../src/runs/run-service.ts';
import type { Command } from '../../src/scripts/runtimes/command.ts';
import { systemClock } from '../../src/shared/clock.ts';
import { Feed } from '../../src/shared/feed.ts';
import { createLogger } from '../../src/shared/log.ts';
import { tempFolder } from './hob.ts';
import { ledgerInMemory } from './ledger-in-memory.ts';
import { MemoryKeyStore } from './memory-key-store.ts';
import { MemoryRunStore } from './memory-run-store.ts';
import { someScript } from './some-script.ts';

export const keyUse = { scriptId: 'script', keyHash: 'hash', bodyMac: 'mac' };

/** An executor that ends each run as the test says, without starting it. */
export function executorThat(end: (runId: string) => RunEnd): Executor {
  return {
    containment: null,
    counts: new Feed(),
    silentPid: null,
    silence: new Feed(),
    run: async ({ runId }, hooks) => {
      hooks.given('1-aa');
      return end(runId);
    },
    attach: () => ({ kind: 'unknown' }),
    canStop: () => true,
    stop: () => {},
    terminalOf: () => null,
    type: () => false,
    resize: () => false,
    acknowledge: () => {},
    acknowledgeCounts: () => {},
    catchUp: () => {},
  };
}

/** Limits of a run service for tests that start no process. */
export const smallLimits = {
  maxRuns: 10,
  maxQueued: 10,
  queueWaitMs: 60_000,
  timeoutMs: null,
  stopGraceMs: 0,
  drainMs: 0,
  outputLogBytes: 0,
  outputAnswerBytes: 0,
  resultBytes: 0,
  keepKeysMs: 0,
};

/** A machine without a desktop. */
export const noWindows: RunWindowsOptions = {
  findTerminals: async () => ({ kind: 'none', message: { en: 'there is no display', zh: '没有显示器' } }),
  environment: {},
  language: 'en',
  hold: 'never',
  pageSize: () => ({ columns: 80, rows: 24 }),
};

/** A run service in memory with an executor from the test. */
export async function runServiceWith(
  executor: Executor,
  command: Command = { file: 'unused', args: [], env: {} },
) {
  const [store, keys, runsFolder] = [new MemoryRunStore(), new MemoryKeyStore(), await tempFolder()];
  const log = await createLogger('silent');
  const keepKeysMs = 3_600_000;
  const runs = new RunService({
    store,
    ledger: ledgerInMemory(store, log, { keys, keepKeysMs }).ledger,
    keys,
    executor,
    clock: systemClock,
    log,
    resolveCommand: async () => ({ kind: 'command', command }),
    readOutcome,
    findScript: () => null,
    resolveScript: async () => someScript(),
    address: { url: 'http://127.0.0.1' },
    runsFolder,
    environment: {},
    windows: noWindows,
    limits: { ...smallLimits, maxRuns: 1, keepKeysMs },
  });
  const submit = (sync: boolean) =>
    runs.submit({
      script: someScript(),
      origin: 'execute',
      caller: null,
      depth: 0,
      sync,
      data: {},
      params: {},
      language: 'en',
      key: keyUse,
    });
  return { runs, store, keys, runsFolder, submit };
}
