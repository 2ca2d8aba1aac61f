import { expect, it } from 'vitest';

import { executorThat, runServiceWith } from '../../test/support/run-service.ts';
import { endWithoutProcess, type RunSpec } from '../execution/messages.ts';

it('a run whose end cannot be recorded yet has no end, and can still be cancelled', async () => {
  const { runs, store, submit } = await runServiceWith(
    executorThat((runId) => endWithoutProcess(runId, 'cancelled')),
  );
  const { finish } = store;
  let failures = 0;
  store.finish = () => {
    failures++;
    throw Object.assign(new Error('no room'), { code: 'SQLITE_FULL' });
  };
  const run = await submit(true);
  await run.outcome;
  expect(failures).toBe(1);
  expect(store.find(run.runId)?.endedAt).toBeNull();
  expect(() => runs.cancel(run.runId)).not.toThrow();
  // Writes succeed again.
  const ended = new Promise<void>((resolve) => {
    runs.events.subscribe(({ type }) => {
      if (type === 'ended') resolve();
    });
  });
  store.finish = finish;
  await ended;
  expect(store.find(run.runId)).toMatchObject({ endCause: 'cancelled' });
  expect(() => runs.cancel(run.runId)).toThrow(expect.objectContaining({ code: 'run-ended' }));
});

it('a run is given to the executor with its warm interpreter', async () => {
  const specs: RunSpec[] = [];
  const executor = executorThat((runId) => endWithoutProcess(runId, 'exit'));
  const warm = { language: 'python', options: [], entry: 'main.py' } as const;
  const { submit } = await runServiceWith(
    {
      ...executor,
      run: (spec, hooks) => {
        specs.push(spec);
        return executor.run(spec, hooks);
      },
    },
    { file: 'python3', args: ['main.py'], env: {}, warm },
  );
  await (await submit(true)).outcome;
  expect(specs).toMatchObject([{ file: 'python3', warm: { ...warm, preload: [] } }]);
});
