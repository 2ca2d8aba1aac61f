import { expect, it } from 'vitest';

import { queuedRun, runEnding } from '../../test/support/run-records.ts';
import { someScript } from '../../test/support/some-script.ts';
import type { Origin } from '../contract/values.ts';
import type { SentNotification } from '../notifications/notifications.ts';
import type { RunEnding, RunRecord, SeriesEnd } from '../runs/run-record.ts';
import type { NotifyOn } from '../scripts/script.ts';
import { Feed } from '../shared/feed.ts';
import type { Language } from '../shared/text.ts';
import { notifyRunEnds } from './notifications.ts';

const success = { state: 'succeeded', endCause: 'exit', exitCode: 0, envelope: 'own' } as const;
const failure = { state: 'failed', endCause: 'exit', exitCode: 7, envelope: 'own' } as const;

/** Returns the desktop notifications that the end of such a run causes. */
function notificationsOf(
  ending: Partial<RunEnding>,
  {
    notifyOn = 'always',
    language = 'en',
    sync = false,
    origin = 'execute',
    wasCancelled = false,
  }: {
    notifyOn?: NotifyOn | null;
    language?: Language;
    sync?: boolean;
    origin?: Origin;
    wasCancelled?: boolean;
  } = {},
): SentNotification[] {
  const seriesEnds = new Feed<SeriesEnd>();
  const shown: SentNotification[] = [];
  const script = someScript();
  notifyRunEnds({
    seriesEnds,
    notifications: { show: (sent) => shown.push(sent) },
    findScript: () => (notifyOn === null ? null : { ...script, runtime: { ...script.runtime, notifyOn } }),
    language,
  });
  const run: RunRecord = { ...queuedRun({ sync, origin }), ...runEnding(ending) };
  seriesEnds.publish({ run, wasCancelled });
  return shown;
}

it.each<[string, Partial<RunEnding>, { always: boolean; failure: boolean }]>([
  ['succeeded', success, { always: true, failure: false }],
  ['failed', failure, { always: true, failure: true }],
  ['timed out', { ...failure, endCause: 'timeout' }, { always: true, failure: true }],
  ['could not be started', { ...failure, endCause: 'spawn-failed' }, { always: true, failure: true }],
  ['was ended by a signal', { ...failure, endCause: 'signal' }, { always: true, failure: true }],
  ['was lost', { state: 'unknown', endCause: 'lost' }, { always: true, failure: true }],
  ['was cancelled', { ...failure, endCause: 'cancelled' }, { always: true, failure: false }],
  ['was stopped with everything', { ...failure, endCause: 'shutdown' }, { always: true, failure: false }],
])('a run that %s causes a notification if its script asks for one', (_what, ending, expected) => {
  expect(notificationsOf(ending, { notifyOn: 'always' })).toHaveLength(expected.always ? 1 : 0);
  expect(notificationsOf(ending, { notifyOn: 'failure' })).toHaveLength(expected.failure ? 1 : 0);
  expect(notificationsOf(ending, { notifyOn: 'never' })).toEqual([]);
});

it('sends no notification for synchronous runs, runs of agents, cancelled series and removed scripts', () => {
  expect(notificationsOf(failure, { sync: true })).toEqual([]);
  expect(notificationsOf(failure, { origin: 'mcp' })).toEqual([]);
  expect(notificationsOf(failure, { wasCancelled: true })).toEqual([]);
  expect(notificationsOf(failure, { notifyOn: null })).toEqual([]);
});

it('shows the message of the script, and shows errors longer', () => {
  const message = '3 files moved';
  expect(notificationsOf({ ...success, message })).toMatchObject([
    { type: 'success', message, durationMs: 5000 },
  ]);
  expect(notificationsOf({ ...failure, message })).toMatchObject([
    { type: 'error', message, durationMs: 10_000 },
  ]);
  const [notification] = notificationsOf(failure);
  expect(notification?.end).toEqual({ state: 'failed', endCause: 'exit', exitCode: 7 });
  expect(notification?.run).toMatchObject({ runId: expect.any(String), scriptName: expect.any(String) });
});

it.each<[Language, string, string, string]>([
  [
    'en',
    'Done in 1.5 s',
    'The script failed with exit code 7',
    'Hob lost track of the run, so its outcome is unknown',
  ],
  ['zh', '已完成，用时 1.5 秒', '脚本执行失败，退出码 7', '运行状态丢失，结果未知'],
])('without a message, describes the end in the language of the desktop: %s', (language, ...expected) => {
  const messageOf = (ending: Partial<RunEnding>) => notificationsOf(ending, { language })[0]?.message;
  const done = { ...success, durationMs: 1500 };
  expect([
    messageOf({ ...done, message: '' }),
    messageOf({ ...failure, message: ' ' }),
    messageOf({ state: 'unknown', endCause: 'lost', message: null }),
  ]).toEqual(expected);
  // A synthesized message says only that the script wrote no result, which matters to readers of results.
  expect(messageOf({ ...done, envelope: 'synthesized', message: 'wrote no result' })).toBe(expected[0]);
});

it('describes a failure in the language of the desktop, followed by the last output of the script', () => {
  const message = '脚本执行失败，退出码 7\nTraceback\nValueError: x';
  const failed = { ...failure, envelope: 'synthesized', message } as const;
  expect(notificationsOf(failed)).toMatchObject([
    { message: 'The script failed with exit code 7\nTraceback\nValueError: x' },
  ]);
  expect(
    notificationsOf({ ...failed, endCause: 'timeout', message: '脚本运行超过 1 秒' }, { language: 'zh' }),
  ).toMatchObject([{ message: '脚本运行超时，已被终止' }]);
  const notStarted = { ...failed, endCause: 'spawn-failed', message: 'Python 4 is not there' } as const;
  expect(notificationsOf(notStarted)).toMatchObject([{ message: 'Python 4 is not there' }]);
});
