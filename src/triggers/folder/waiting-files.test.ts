import { expect, it } from 'vitest';

import type { FoundFile } from './found-file.ts';
import { WaitingFiles } from './waiting-files.ts';

const now = new Date(0);

function file(path: string, version: string): FoundFile {
  return {
    path,
    device: '1',
    inode: '1',
    modifiedMs: 0,
    bytes: 0,
    changedMs: 0,
    version,
    hasLastingInode: true,
  };
}

const paths = (files: readonly { readonly file: FoundFile }[]) => files.map((one) => one.file.path);

it('a file is due when it has been unchanged for the whole time', () => {
  const waiting = new WaitingFiles(100);
  waiting.observe(file('a', '1'), { nowMs: 0, now });
  waiting.observe(file('b', '1'), { nowMs: 0, now });
  waiting.observe(file('a', '2'), { nowMs: 90, now });
  waiting.observe(file('b', '1'), { nowMs: 90, now });
  expect(waiting.nextDueMs).toBe(100);
  expect(paths(waiting.due(100))).toEqual(['b']);
  waiting.complete('b', 100);
  expect(waiting.nextDueMs).toBe(190);
  expect(paths(waiting.due(190))).toEqual(['a']);
  waiting.complete('a', 190);
  expect(paths(waiting.ready())).toEqual(['b', 'a']);
});

it('a complete file that changes is incomplete again', () => {
  const waiting = new WaitingFiles(100);
  waiting.observe(file('a', '1'), { nowMs: 0, now });
  waiting.complete('a', 100);
  waiting.observe(file('a', '2'), { nowMs: 200, now: new Date(200) });
  expect(waiting.ready()).toEqual([]);
  expect(waiting.nextDueMs).toBe(300);
  expect(waiting.get('a')?.arrivedAt).toEqual(now);
});

it('a file that a process is writing to waits for the next check', () => {
  const waiting = new WaitingFiles(100);
  waiting.observe(file('a', '1'), { nowMs: 0, now });
  const writer = { pid: '1', descriptor: '3' };
  waiting.hold('a', 100, writer);
  expect(waiting.due(100)).toEqual([]);
  waiting.hold('a', 600, writer);
  expect(waiting.heldSince(100)).toBeUndefined();
  expect(waiting.heldSince(101)?.writer).toEqual(writer);
  waiting.complete('a', 1100);
  expect(waiting.heldSince(5000)).toBeUndefined();
});
