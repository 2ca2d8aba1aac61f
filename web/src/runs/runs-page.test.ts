import { describe, expect, it } from 'vitest';

import type { RunPage } from '../api/wire.ts';
import { RecentRuns, withFirstPage, withRuns } from './runs-page.tsx';
import { someRun } from './some-run.ts';

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

const at = (second: number, state: 'running' | 'succeeded' | 'failed' = 'succeeded') => {
  const time = `2026-05-01T12:00:0${second}.000Z`;
  return someRun({
    run_id: String(second),
    state,
    queued_at: time,
    started_at: time,
    ended_at: state === 'running' ? null : time,
  });
};
const pages: RunPage[] = [
  { items: [at(8), at(7, 'running')], next: 'more' },
  { items: [at(5), at(3)], next: 'still more' },
];
const all = () => true;
const idsOf = (some: readonly RunPage[]) => some.map(({ items }) => items.map(({ run_id }) => run_id));

describe('the pages of a list after events', () => {
  it('contain a new run at its position', () => {
    expect(idsOf(withRuns(pages, [at(9)], all))).toEqual([
      ['9', '8', '7'],
      ['5', '3'],
    ]);
    expect(idsOf(withRuns(pages, [at(4)], all))).toEqual([
      ['8', '7'],
      ['5', '4', '3'],
    ]);
    expect(idsOf(withRuns([{ items: [], next: null }], [at(4)], all))).toEqual([['4']]);
  });

  it('leave out a run older than the loaded pages, unless all pages are loaded', () => {
    expect(idsOf(withRuns(pages, [at(1)], all))).toEqual(idsOf(pages));
    const whole = pages.map((page, index) => (index === 1 ? { ...page, next: null } : page));
    expect(idsOf(withRuns(whole, [at(1)], all))).toEqual([
      ['8', '7'],
      ['5', '3', '1'],
    ]);
  });

  it('contain the latest record of a run, and keep unchanged objects', () => {
    const after = withRuns(pages, [at(7, 'running'), at(7, 'failed')], all);
    expect(after[0]?.items[1]?.state).toBe('failed');
    expect(after[0]?.items[0]).toBe(pages[0]?.items[0]);
    expect(after[1]).toBe(pages[1]);
  });

  it('never return to an earlier state of a run', () => {
    expect(withRuns(pages, [at(8, 'running')], all)[0]?.items[0]?.state).toBe('succeeded');
  });

  it('are merged with a new first page, unless runs between them may be missing', () => {
    const now = { items: [at(9), at(8)], next: 'more' };
    expect(idsOf(withFirstPage(pages, now, all) ?? [])).toEqual([
      ['9', '8', '7'],
      ['5', '3'],
    ]);
    const without = { items: [at(9), at(5)], next: 'more' };
    expect(idsOf(withFirstPage(pages, without, all) ?? [])).toEqual([[], ['9', '5', '3']]);
    expect(withFirstPage(pages, { items: [at(9)], next: 'more' }, all)).toBeNull();
  });

  it('drop runs that no longer match, and do not add others that do not match', () => {
    const isRunning = ({ state }: { state: string }) => state === 'running';
    expect(idsOf(withRuns(pages, [at(7), at(9)], isRunning))).toEqual([['8'], ['5', '3']]);
  });
});
