import { pino } from 'pino';
import { describe, expect, it } from 'vitest';

import { queuedRun, runEnding } from '../../test/support/run-records.ts';
import type { LoggedEvent } from '../runs/event-store.ts';
import type { RunEvent, RunRecord } from '../runs/run-record.ts';
import { Feed } from '../shared/feed.ts';
import type { ShownProgress } from './agent.ts';
import { AgentRuns } from './agent-runs.ts';

/** A series of attempts that an agent waits for. */
function series(...begun: readonly RunRecord[]) {
  const attempts = [...begun];
  const last = () => attempts.at(-1) ?? unexpected();
  const events = new Feed<RunEvent>();
  const published = new Feed<LoggedEvent>();
  const closing = new AbortController();
  const shown: ShownProgress[] = [];
  let end = (): void => {};
  const ended = new Promise<void>((resolve) => (end = resolve));
  const agentRuns = new AgentRuns({
    offers: { findScript: unexpected, isCurrent: unexpected },
    consent: { ask: unexpected },
    catalogue: { resolve: unexpected },
    runs: {
      events,
      submit: unexpected,
      cancel: unexpected,
      getBrief: unexpected,
      record: last,
      get: last,
      lastAttempt: last,
    },
    runEnds: {
      waitForSeries: (_id, signal) =>
        Promise.race([
          ended,
          new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve())),
        ]),
    },
    outputs: { extent: async () => ({ endBytes: 0, isLive: false }), async *read() {} },
    eventLog: { published },
    log: pino({ enabled: false }),
    patienceMs: 60_000,
    signOfLifeMs: 60_000,
    closing: closing.signal,
  });
  return {
    shown,
    published,
    answer: agentRuns.follow(begun[0]?.runId ?? '', {
      client: 'test',
      signal: new AbortController().signal,
      report: (progress) => shown.push(progress),
    }),
    begin(run: RunRecord) {
      attempts.push(run);
      events.publish({ type: 'queued', run });
    },
    report({ runId }: RunRecord, message: string) {
      const data = JSON.stringify({ fraction: 0.5, message });
      published.publish({ seq: 1, type: 'run.progress', runId, data });
    },
    end(rest: Partial<RunRecord>) {
      attempts.push({ ...last(), ...rest });
      end();
    },
    giveUp: () => closing.abort(),
  };
}

function unexpected(): never {
  throw new Error('not expected');
}

const first = queuedRun({ state: 'running' });
const second = queuedRun({ state: 'running', attempt: 2, firstRunId: first.runId });

describe('an agent that waits for a run with several attempts', () => {
  it('sees the progress of each attempt, and how often the run was tried', async () => {
    const { shown, answer, begin, report, end } = series(first);
    report(first, 'once');
    begin(queuedRun());
    begin(second);
    report(first, 'late');
    report(second, 'twice');
    end(runEnding());
    expect(JSON.stringify((await answer).content)).toContain('tried 2 times');
    expect(shown.map(({ message }) => message)).toEqual(['once', 'twice']);
  });

  it('sees the progress of the attempt that is running when it begins to wait', async () => {
    const { shown, answer, report, end } = series(first, second);
    report(second, 'twice');
    end(runEnding());
    await answer;
    expect(shown.map(({ message }) => message)).toEqual(['twice']);
  });

  it('gets no progress of an earlier attempt with the answer', async () => {
    const { answer, begin, report, giveUp } = series(first);
    report(first, 'almost done');
    begin(second);
    giveUp();
    const { msg } = Object((await answer).structuredContent);
    expect(msg).toContain('is still running');
    expect(msg).not.toContain('almost done');
  });

  it('gets the progress of the last attempt with the answer', async () => {
    const { answer, report, giveUp } = series(first, second);
    report(second, 'half done');
    giveUp();
    expect((await answer).structuredContent).toMatchObject({
      msg: expect.stringContaining('Its last progress: 50 %, half done'),
    });
  });
});
