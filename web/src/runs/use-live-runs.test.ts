import { expect, it } from 'vitest';
import { someRun } from './some-run.ts';
import { RecentRuns } from './use-live-runs.ts';

it('keeps the latest record of each run for a few seconds', () => {
  const recent = new RecentRuns();
  recent.add(someRun({ run_id: 'a', state: 'running' }), 0);
  recent.add(someRun({ run_id: 'b' }), 2000);
  recent.add(someRun({ run_id: 'a', state: 'failed' }), 4000);
  expect([...recent.current(7000).values()].map(({ run_id, state }) => [run_id, state])).toEqual([
    ['b', 'succeeded'],
    ['a', 'failed'],
  ]);
  expect([...recent.current(8000).keys()]).toEqual(['a']);
});

it('drops old records even if they are never read', () => {
  const recent = new RecentRuns();
  for (let second = 0; second < 100; second += 1)
    recent.add(someRun({ run_id: String(second) }), second * 1000);
  expect(recent.size).toBe(6);
});
