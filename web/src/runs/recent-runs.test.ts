import { expect, it } from 'vitest';

import { RecentRuns } from './recent-runs.ts';
import { someRun } from './some-run.ts';

it('holds what was told of a run for a moment, and the latest of it', () => {
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

it('holds no more than a moment brings, though nobody asks for it', () => {
  const recent = new RecentRuns();
  for (let second = 0; second < 100; second += 1)
    recent.tell(someRun({ run_id: String(second) }), second * 1000);
  expect(recent.size).toBe(6);
});
