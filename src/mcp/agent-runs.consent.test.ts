import { afterEach, beforeEach, expect, it, vi } from 'vitest';

import { queuedRun } from '../../test/support/run-records.ts';
import { someScript } from '../../test/support/some-script.ts';
import { Feed } from '../shared/feed.ts';
import { createLogger } from '../shared/log.ts';
import type { ShownProgress } from './agent.ts';
import { AgentRuns, type AgentRunsOptions } from './agent-runs.ts';
import type { Consent } from './confirmations.ts';
import type { AgentScript } from './offers.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const script = someScript();
const asked: AgentScript = {
  script,
  toolName: 'clean-up',
  isPackaged: true,
  isOffered: true,
  isAsked: true,
  choice: { scriptId: script.id, isOffered: null, isAsked: null },
};

/** A call whose user and whose run wait for the test. */
async function setUp({ isCurrent = true } = {}) {
  const run = queuedRun({ state: 'running' });
  const answered = new Feed<Consent>();
  const submit = vi.fn(async () => ({
    runId: run.runId,
    started: Promise.resolve(),
    outcome: new Promise<never>(() => {}),
  }));
  const cancel = vi.fn();
  const options = {
    consent: {
      ask: (_call: unknown, signal: AbortSignal) =>
        new Promise<Consent>((resolve) => {
          signal.addEventListener('abort', () => resolve('unanswered'));
          answered.subscribe(resolve);
        }),
    },
    offers: { isCurrent: () => isCurrent },
    catalogue: { resolve: async () => script },
    runs: { submit, cancel, record: () => run, lastAttempt: () => run, events: new Feed() },
    eventLog: { published: new Feed() },
    log: await createLogger('silent'),
    patienceMs: 45_000,
    signOfLifeMs: 10_000,
    closing: new AbortController().signal,
  } as unknown as AgentRunsOptions;
  const shown: ShownProgress[] = [];
  const call = (report: ((progress: ShownProgress) => void) | null = (one) => shown.push(one)) =>
    new AgentRuns(options).call(
      asked,
      {},
      { client: 'claude-code', signal: new AbortController().signal, report },
    );
  const answer = (consent: Consent) => answered.publish(consent);
  return { call, run, answer, submit, cancel, shown };
}

const pass = (seconds: number) => vi.advanceTimersByTimeAsync(seconds * 1000);

it('answers 45 seconds after the call, however long the user took', async () => {
  const { call, run, answer, submit, cancel } = await setUp();
  const answered = vi.fn();
  const result = call();
  void result.then(answered);
  await pass(28);
  expect(submit).not.toHaveBeenCalled();
  answer('allowed');
  await pass(16.9);
  expect(submit).toHaveBeenCalledOnce();
  expect(answered).not.toHaveBeenCalled();
  await pass(0.2);
  expect(answered).toHaveBeenCalledOnce();
  expect((await result).structuredContent).toMatchObject({ run_id: run.runId });
  expect(cancel).not.toHaveBeenCalled();
});

it('tells the agent after 45 seconds that the user has not answered', async () => {
  const { call, submit } = await setUp();
  const result = call();
  await pass(45);
  expect(await result).toMatchObject({
    isError: true,
    content: [{ text: expect.stringContaining('has not answered yet') }],
  });
  expect(submit).not.toHaveBeenCalled();
});

it('shows from the start that the call waits for the user, with a value that grows into the run', async () => {
  const { call, answer, shown } = await setUp();
  const result = call();
  const waiting = { message: 'Waiting for the user to allow this call' };
  await pass(0);
  expect(shown).toMatchObject([waiting]);
  await pass(20);
  expect(shown).toMatchObject([waiting, waiting, waiting]);
  answer('allowed');
  await pass(25);
  await result;
  expect(shown.map(({ message }) => message)).toEqual([
    ...Array(3).fill(waiting.message),
    'Running for 10 s',
    'Running for 20 s',
  ]);
  const values = shown.map(({ progress }) => progress);
  expect(values).toEqual([...new Set(values)].sort((one, other) => one - other));
  expect(vi.getTimerCount()).toBe(0);
});

it('shows no progress to an agent that did not ask for it', async () => {
  const { call, answer } = await setUp();
  const result = call(null);
  await pass(0);
  // The deadline of the call.
  expect(vi.getTimerCount()).toBe(1);
  answer('refused');
  expect(await result).toMatchObject({ isError: true });
  expect(vi.getTimerCount()).toBe(0);
});

it('starts no run if the script changed after the user allowed it', async () => {
  const { call, answer, submit } = await setUp({ isCurrent: false });
  const result = call();
  await pass(0);
  answer('allowed');
  expect(await result).toMatchObject({
    isError: true,
    content: [{ text: expect.stringContaining('The script changed') }],
  });
  expect(submit).not.toHaveBeenCalled();
});
