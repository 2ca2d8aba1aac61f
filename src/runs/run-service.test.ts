import { expect, it, onTestFinished, vi } from 'vitest';

import { executorThat, runServiceWith } from '../../test/support/run-service.ts';
import { someScript } from '../../test/support/some-script.ts';
import { endWithoutProcess, type RunEnd } from '../execution/messages.ts';
import type { RunRequest } from './run-request.ts';
import type { RunStore } from './run-store.ts';

const request: RunRequest = {
  script: someScript(),
  origin: 'execute',
  caller: null,
  depth: 0,
  sync: false,
  data: {},
  params: {},
  language: 'en',
};

/** Submits a run that starts at once, and one that waits for its slot. Returns whether each was flushed to the disk first. */
async function flushed(fields: Partial<RunRequest>): Promise<boolean[]> {
  const executor = executorThat((runId) => endWithoutProcess(runId, 'exit'));
  let letEnd = (_end: RunEnd): void => {};
  const held = new Promise<RunEnd>((resolve) => {
    letEnd = resolve;
  });
  const { runs, store: memory } = await runServiceWith({
    ...executor,
    run: async (_spec, hooks) => {
      hooks.given('1-aa');
      return held;
    },
  });
  const store: RunStore = memory;
  const transactions = vi.spyOn(store, 'atomically');
  const first = await runs.submit({ ...request, ...fields });
  onTestFinished(async () => {
    letEnd(endWithoutProcess(first.runId, 'exit'));
    await Promise.all([first.outcome, second.outcome]);
  });
  await first.started;
  const isFlushed = () => transactions.mock.calls.splice(0).some(([, { durable }]) => durable);
  const isFirstFlushed = isFlushed();
  const second = await runs.submit({ ...request, ...fields });
  return [isFirstFlushed, isFlushed()];
}

it.each([
  ['of an asynchronous caller', { sync: false }, [true, true]],
  ['of a synchronous caller', { sync: true }, [false, false]],
  ['of an agent', { origin: 'mcp' }, [false, true]],
] as const)(
  'a run %s is on the disk first if it must survive a power failure',
  async (_title, fields, wanted) => {
    expect(await flushed(fields)).toEqual(wanted);
  },
);
