import { readdir } from 'node:fs/promises';

import { describe, expect, it } from 'vitest';

import { eventsInMemory } from '../../../test/support/events-in-memory.ts';
import { tempFolder } from '../../../test/support/hob.ts';
import { MemoryKeyStore } from '../../../test/support/memory-key-store.ts';
import { MemoryRunStore } from '../../../test/support/memory-run-store.ts';
import { someScript } from '../../../test/support/some-script.ts';
import { endWithoutProcess, type RunEnd } from '../../execution/messages.ts';
import { systemClock } from '../../shared/clock.ts';
import { Feed } from '../../shared/feed.ts';
import { createLogger } from '../../shared/log.ts';
import { readOutcome } from '../outcome/read-outcome.ts';
import type { Executor } from '../run-request.ts';
import { RunService } from '../run-service.ts';

const use = { scriptId: 'script', keyHash: 'hash', bodyMac: 'mac' };

/** Ends each run as it is told, before it has begun. */
function executorThat(end: (runId: string) => RunEnd): Executor {
  return {
    containment: null,
    counts: new Feed(),
    run: async ({ runId }, hooks) => {
      hooks.given('1-aa');
      return end(runId);
    },
    attach: () => ({ kind: 'unknown' }),
    canStop: () => true,
    stop: () => {},
    acknowledge: () => {},
    acknowledgeCounts: () => {},
    catchUp: () => {},
  };
}

async function setUp(executor: Executor) {
  const [store, keys, runsFolder] = [new MemoryRunStore(), new MemoryKeyStore(), await tempFolder()];
  const log = await createLogger('silent');
  const runs = new RunService({
    store,
    events: eventsInMemory(store, log).runEvents,
    keys,
    executor,
    clock: systemClock,
    log,
    resolveCommand: async () => ({ kind: 'command', command: { file: 'unused', args: [], env: {} } }),
    readOutcome,
    findScript: () => null,
    apiBase: () => 'http://127.0.0.1',
    runsFolder,
    environment: {},
    limits: {
      maxRuns: 1,
      maxQueued: 10,
      queueWaitMs: 60_000,
      timeoutMs: null,
      stopGraceMs: 0,
      drainMs: 0,
      outputLogBytes: 0,
      outputAnswerBytes: 0,
      resultBytes: 0,
      keepKeysMs: 3_600_000,
    },
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
      key: use,
    });
  return { store, keys, runsFolder, submit };
}

describe('the key of a run', () => {
  it.each([true, false])('is free when the machine had no room to start it: sync %s', async (sync) => {
    const { store, keys, submit } = await setUp(
      executorThat((runId) => endWithoutProcess(runId, 'spawn-failed', 'EMFILE')),
    );
    const run = await submit(sync);
    expect(keys.find(use, '')?.runId).toBe(run.runId);
    await expect(run.outcome).rejects.toMatchObject({ code: 'resources-exhausted' });
    expect(store.find(run.runId)).toMatchObject({ endCause: 'spawn-failed' });
    expect(keys.find(use, '')).toBeNull();
  });

  it('stays when it could not be started for good, and when it was cancelled', async () => {
    for (const cause of ['spawn-failed', 'cancelled'] as const) {
      const { keys, submit } = await setUp(executorThat((runId) => endWithoutProcess(runId, cause)));
      const run = await submit(true);
      expect(await run.outcome).toMatchObject({ success: false });
      expect(keys.find(use, '')?.runId).toBe(run.runId);
    }
  });

  it('is not written down when its run cannot be', async () => {
    const { store, keys, runsFolder, submit } = await setUp(
      executorThat((runId) => endWithoutProcess(runId, 'cancelled')),
    );
    store.insert = () => {
      throw Object.assign(new Error('no room'), { code: 'SQLITE_FULL' });
    };
    await expect(submit(true)).rejects.toMatchObject({ code: 'resources-exhausted' });
    expect(keys.find(use, '')).toBeNull();
    expect(await readdir(runsFolder)).toEqual([]);
  });
});
