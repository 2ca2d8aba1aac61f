import { expect, it } from 'vitest';

import { RecentRuns } from './recent-runs.ts';
import { someRun } from './some-run.ts';

it('keeps the latest record of each run for a few seconds', () => {
  const recent = new RecentRuns();
  recent.tell(someRun({ run_id: 'a', state: 'running' }), 0);
  recent.tell(someRun({ run_id: 'b' }), 2000);
  recent.tell(someRun({ run_id: 'a', state: 'failed' }), 4000);
  expect([...recent.held(7000).values()].map(({ run_id, state }) => [run_id, state])).toEqual([
    ['b', 'succeeded'],
    ['a', 'failed'],
  ]);
  expect([...recent.held(8000).keys()]).toEqual(['a']);
});

it('drops old records even if they are never read', () => {
  const recent = new RecentRuns();
  for (let second = 0; second < 100; second += 1)
    recent.tell(someRun({ run_id: String(second) }), second * 1000);
  expect(recent.size).toBe(6);
});
