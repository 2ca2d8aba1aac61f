import { describe, expect, it } from 'vitest';

import { queuedRun } from '../../../test/support/run-records.ts';
import type { EventType, LoggedEvent } from '../../runs/event-store.ts';
import type { EventLog } from '../../runs/ledger.ts';
import type { BriefRun } from '../../runs/run-record.ts';
import { Feed } from '../../shared/feed.ts';
import { RunWatch } from './run-events.ts';

const runId = '93081ff8-7e74-4d11-9162-237fb30f8fee';

function watch(run: Partial<BriefRun>, progress: string | null = null) {
  const published: EventLog['published'] = new Feed();
  const event = (type: EventType, data: string, ofRun = runId): LoggedEvent => ({
    seq: 1,
    type,
    runId: ofRun,
    data,
  });
  const watching = new RunWatch(
    { ...queued, ...run },
    {
      eventLog: { published },
      ledger: { progressOf: () => (progress === null ? null : event('run.progress', progress)) },
    },
  );
  return {
    watching,
    publish: (type: EventType, data: string, ofRun = runId) => published.publish(event(type, data, ofRun)),
    news: () =>
      watching.takeNews().map(({ type, data }) => `${type} ${data.startsWith('{') ? '' : data}`.trim()),
  };
}

const queued = queuedRun({ runId, scriptName: 'x' });

describe('a watch of a run', () => {
  it('returns the current state first, then later events, and no events of other runs', () => {
    const { watching, publish, news } = watch({});
    expect(news()).toEqual(['run.queued']);
    publish('run.started', 'other', 'another run');
    publish('run.started', 's');
    publish('run.progress', 'p');
    expect(news()).toEqual(['run.started s', 'run.progress p']);
    publish('run.ended', 'e');
    expect(news()).toEqual([]);
    expect(watching.ended).toEqual({ type: 'run.ended', data: 'e' });
  });

  it('returns the start once, and the latest progress', () => {
    const { publish, news } = watch({ state: 'running' }, 'p');
    publish('run.started', 's');
    expect(news()).toEqual(['run.started', 'run.progress p']);
  });

  it('keeps only the newest progress for a slow client', () => {
    const { publish, news } = watch({ state: 'running' });
    for (let count = 0; count < 1000; count++) publish('run.progress', `p${count}`);
    expect(news()).toEqual(['run.started', 'run.progress p999']);
  });

  it('keeps an event that arrives while the client receives another one', async () => {
    const { watching, publish, news } = watch({ state: 'running' });
    expect(news()).toEqual(['run.started']);
    publish('run.progress', 'p');
    await watching.changed(new AbortController().signal);
    expect(news()).toEqual(['run.progress p']);
    const changed = watching.changed(new AbortController().signal);
    publish('run.ended', 'e');
    await changed;
  });

  it('returns only the end of a run that has ended', () => {
    const { watching, news } = watch({ state: 'succeeded', endedAt: '2024-05-01T12:00:02.000Z' });
    expect(news()).toEqual([]);
    expect(watching.ended?.type).toBe('run.ended');
  });

  it('stops waiting when the signal is aborted, and ignores events once closed', async () => {
    const { watching, publish, news } = watch({});
    news();
    const aborter = new AbortController();
    const changed = watching.changed(aborter.signal);
    aborter.abort();
    await changed;
    watching.close();
    publish('run.started', 's');
    expect(news()).toEqual([]);
  });
});
