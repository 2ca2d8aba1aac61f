import { expect, it } from 'vitest';

import { formGroups } from './groups.ts';

const ready = (completeMs: number, path = `/in/${completeMs}`) => ({
  file: {
    path,
    device: '1',
    inode: '1',
    modifiedMs: 0,
    bytes: 0,
    changedMs: 0,
    version: '',
    hasLastingInode: true,
  },
  arrivedAt: new Date(0),
  dueMs: 0,
  completeMs,
  writer: null,
  heldSinceMs: null,
});

const sizes = (result: ReturnType<typeof formGroups>) => result.due.map((group) => group.length);

it('each file has a run of its own unless files share one', () => {
  const result = formGroups([ready(1), ready(2), ready(3)], { batchMs: null, nowMs: 3, most: 2 });
  expect(sizes(result)).toEqual([1, 1]);
});

it('a group is due when its first file has waited for long enough', () => {
  const files = [ready(0), ready(90), ready(150), ready(240)];
  expect(formGroups(files, { batchMs: 100, nowMs: 99, most: 9 })).toMatchObject({
    due: [[{}, {}]],
    nextDueMs: 250,
  });
  expect(sizes(formGroups(files, { batchMs: 100, nowMs: 250, most: 9 }))).toEqual([2, 2]);
  expect(formGroups(files.slice(0, 2), { batchMs: 100, nowMs: 99, most: 9 })).toEqual({
    due: [],
    nextDueMs: 100,
  });
});

it('a group that is full is due at once', () => {
  const many = Array.from({ length: 1001 }, () => ready(0));
  expect(sizes(formGroups(many, { batchMs: 1000, nowMs: 0, most: 9 }))).toEqual([1000]);
  const long = Array.from({ length: 70 }, () => ready(0, `/${'x'.repeat(4000)}`));
  expect(sizes(formGroups(long, { batchMs: 1000, nowMs: 0, most: 9 }))).toEqual([65]);
});
