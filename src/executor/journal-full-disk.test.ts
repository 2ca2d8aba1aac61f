import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it, onTestFinished } from 'vitest';

import { tempFolder } from '../../test/support/hob.ts';
import { has } from '../../test/support/needs.ts';
import { endWithoutProcess, type RunEnd } from '../execution/messages.ts';
import { Journal, parseJournal } from './journal.ts';

const runIdOf = (index: number) => `4f6c1f1e-0000-4000-8000-${String(index).padStart(12, '0')}`;
const endOf = (index: number): RunEnd => ({ ...endWithoutProcess(runIdOf(index), 'exit'), exitCode: 0 });
const started = (runId: string) => ({ runId, pid: 4242, startTicks: 99 });

const canMount = has(
  'a small disk of its own (root on Linux)',
  process.platform === 'linux' && process.getuid?.() === 0,
);

describe.skipIf(!canMount)('on a full disk, the journal', () => {
  async function openOnSmallDisk(size: string) {
    const folder = await tempFolder();
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size},mode=700`, 'tmpfs', folder]);
    onTestFinished(() => {
      execFileSync('umount', ['-l', folder]);
    });
    const journal = new Journal(folder, 'one', null);
    const path = join(folder, 'one-runs.jsonl');
    return { folder, journal, path, read: () => parseJournal(readFileSync(path, 'utf8')) };
  }

  it('knows what was written down after there was room again', async () => {
    const { folder, journal, read } = await openOnSmallDisk('64k');
    try {
      writeFileSync(join(folder, 'filler'), Buffer.alloc(128 * 1024));
    } catch {
      // Full.
    }
    for (let index = 0; index < 100; index++) journal.started(started(`${index}`));
    rmSync(join(folder, 'filler'));
    journal.started(started('after'));
    expect(read().inFlight.some(({ runId }) => runId === 'after')).toBe(true);
  });

  it('is not cut short by a rewrite that there is no room for', async () => {
    const { journal, read } = await openOnSmallDisk('1600k');
    let known = 0;
    for (let index = 0; index < 4000; index++) {
      journal.ended(endOf(index));
      if (index % 100 !== 0) continue;
      const { length } = read().unheard;
      expect(length).toBeGreaterThanOrEqual(known);
      known = length;
    }
  });

  it('leaks no handle when it cannot be rewritten', async () => {
    const { folder, journal } = await openOnSmallDisk('1028k');
    const handles = () => readdirSync('/proc/self/fd').length;
    const before = handles();
    for (let index = 0; index < 4000; index++) journal.ended(endOf(index));
    expect(handles()).toBeLessThanOrEqual(before + 2);
    expect(readdirSync(folder)).toEqual(['one-runs.jsonl']);
  });
});
