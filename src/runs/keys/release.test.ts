import { readdir } from 'node:fs/promises';

import { describe, expect, it } from 'vitest';

import { executorThat, runServiceWith as setUp, keyUse as use } from '../../../test/support/run-service.ts';
import { endWithoutProcess } from '../../execution/messages.ts';

describe('the key of a run', () => {
  it.each([true, false])('is released when resources are exhausted: sync %s', async (sync) => {
    const { store, keys, submit } = await setUp(
      executorThat((runId) => endWithoutProcess(runId, 'spawn-failed', 'EMFILE')),
    );
    const run = await submit(sync);
    expect(keys.find(use, '')?.runId).toBe(run.runId);
    await expect(run.outcome).rejects.toMatchObject({ code: 'resources-exhausted' });
    expect(store.find(run.runId)).toMatchObject({ endCause: 'spawn-failed' });
    expect(keys.find(use, '')).toBeNull();
  });

  it('stays when the script can never be started, and when the run was cancelled', async () => {
    for (const cause of ['spawn-failed', 'cancelled'] as const) {
      const { keys, submit } = await setUp(executorThat((runId) => endWithoutProcess(runId, cause)));
      const run = await submit(true);
      expect(await run.outcome).toMatchObject({ success: false });
      expect(keys.find(use, '')?.runId).toBe(run.runId);
    }
  });

  it('is not recorded when its run cannot be recorded', async () => {
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
