import { describe, expect, it } from 'vitest';
import { queuedRun } from '../../../test/support/run-records.ts';

import type { EventLog } from '../../runs/events/event-log.ts';
import type { EventType, LoggedEvent } from '../../runs/events/event-store.ts';
import type { BriefRun } from '../../runs/run-record.ts';
import { Feed } from '../../shared/feed.ts';
import { RunWatch } from './run-watch.ts';

const runId = '93081ff8-7e74-4d11-9162-237fb30f8fee';

function watch(run: Partial<BriefRun>, progress: string | null = null) {
  const told: EventLog['told'] = new Feed();
  const event = (type: EventType, data: string, ofRun = runId): LoggedEvent => ({
    seq: 1,
    type,
    runId: ofRun,
    data,
  });
  const watching = new RunWatch(
    { ...queued, ...run },
    {
      eventLog: { told },
      ledger: { progressOf: () => (progress === null ? null : event('run.progress', progress)) },
    },
  );
  return {
    watching,
    tell: (type: EventType, data: string, ofRun = runId) => told.publish(event(type, data, ofRun)),
    news: () =>
      watching.takeNews().map(({ type, data }) => `${type} ${data.startsWith('{') ? '' : data}`.trim()),
  };
}

const queued = queuedRun({ runId, scriptName: 'x' });

describe('a run that is watched', () => {
  it('has its state first, then what happens to it, and nothing of other runs', () => {
    const { watching, tell, news } = watch({});
    expect(news()).toEqual(['run.queued']);
    tell('run.started', 'other', 'another run');
    tell('run.started', 's');
    tell('run.progress', 'p');
    expect(news()).toEqual(['run.started s', 'run.progress p']);
    tell('run.ended', 'e');
    expect(news()).toEqual([]);
    expect(watching.ended).toEqual({ type: 'run.ended', data: 'e' });
  });

  it('has its start once, and its latest progress', () => {
    const { tell, news } = watch({ state: 'running' }, 'p');
    tell('run.started', 's');
    expect(news()).toEqual(['run.started', 'run.progress p']);
  });

  it('keeps only the newest for a client that is slow', () => {
    const { tell, news } = watch({ state: 'running' });
    for (let count = 0; count < 1000; count++) tell('run.progress', `p${count}`);
    expect(news()).toEqual(['run.started', 'run.progress p999']);
  });

  it('forgets nothing that came while its client was told of something else', async () => {
    const { watching, tell, news } = watch({ state: 'running' });
    expect(news()).toEqual(['run.started']);
    tell('run.progress', 'p');
    await watching.changed(new AbortController().signal);
    expect(news()).toEqual(['run.progress p']);
    const changed = watching.changed(new AbortController().signal);
    tell('run.ended', 'e');
    await changed;
  });

  it('that has ended has nothing but its end', () => {
    const { watching, news } = watch({ state: 'succeeded', endedAt: '2024-05-01T12:00:02.000Z' });
    expect(news()).toEqual([]);
    expect(watching.ended?.type).toBe('run.ended');
  });

  it('lets go of everything when it is not watched any more, or the signal says so', async () => {
    const { watching, tell, news } = watch({});
    news();
    const leaving = new AbortController();
    const changed = watching.changed(leaving.signal);
    leaving.abort();
    await changed;
    watching.close();
    tell('run.started', 's');
    expect(news()).toEqual([]);
  });
});
