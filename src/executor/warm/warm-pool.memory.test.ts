import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';

import { describe, expect, it } from 'vitest';

import { has } from '../../../test/support/needs.ts';
import { memoryOf } from './warm-group.ts';
import { isShortOfMemory } from './warm-pool.ts';

const mebibyte = 1024 * 1024;
const tells = has('/proc/PID/smaps_rollup', existsSync('/proc/self/smaps_rollup'));

describe.skipIf(!tells)('the memory of a process', () => {
  it('is its private memory plus its share of shared memory', async () => {
    const bytes = (await memoryOf(process.pid)) ?? 0;
    expect(bytes).toBeGreaterThan(mebibyte);
    expect(bytes).toBeLessThanOrEqual(process.memoryUsage.rss() * 1.5);
  });

  it('is unknown when the process has ended', async () => {
    const child = spawn('/bin/true');
    await new Promise((resolve) => child.once('exit', resolve));
    expect(await memoryOf(child.pid ?? 0)).toBeNull();
  });
});

describe('a machine', () => {
  it('is short of memory when little is left, regardless of its size', () => {
    expect(isShortOfMemory(0)).toBe(true);
    expect(isShortOfMemory(255 * mebibyte)).toBe(true);
    expect(isShortOfMemory(Number.MAX_SAFE_INTEGER)).toBe(false);
  });

  it('is asked for its available memory when none is given', () => {
    expect(isShortOfMemory()).toBe(isShortOfMemory(process.availableMemory()));
  });
});
