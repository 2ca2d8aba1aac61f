import { closeSync, openSync, readdirSync, readSync, writeSync } from 'node:fs';
import { rm, stat } from 'node:fs/promises';
import { join } from 'node:path';

import { describe, expect, it, onTestFinished } from 'vitest';

import { tempFolder } from '../../test/support/hob.ts';
import { has } from '../../test/support/needs.ts';
import { closeBoth, type Fifo, FifoPool, removeName } from './fifo-pool.ts';

const hasFifos = has('named pipes', process.platform !== 'win32');

async function openPool(): Promise<{ pool: FifoPool; folder: string }> {
  const folder = join(await tempFolder(), 'pipes');
  const pool = new FifoPool(folder);
  await pool.open();
  onTestFinished(() => pool.close());
  return { pool, folder };
}

function receive({ readFd }: Fifo): string {
  const chunk = Buffer.alloc(100);
  return chunk.toString('utf8', 0, readSync(readFd, chunk));
}

describe.skipIf(!hasFifos)('the pool of pipes', () => {
  it('provides a pipe whose name has been removed', async () => {
    const { pool, folder } = await openPool();
    const before = readdirSync(folder).length;
    const fifo = await pool.take();
    writeSync(fifo.writeFd, 'hello');
    expect(receive(fifo)).toBe('hello');
    expect(readdirSync(folder)).toHaveLength(before - 1);
    closeBoth(fifo);
  });

  it('provides a pipe that other processes can open until its name is removed', async () => {
    const { pool } = await openPool();
    const fifo = await pool.takeNamed();
    expect((await stat(fifo.path)).isFIFO()).toBe(true);
    expect((await stat(fifo.path)).mode & 0o777).toBe(0o600);
    const other = openSync(fifo.path, 'w');
    writeSync(other, 'from another');
    closeSync(other);
    expect(receive(fifo)).toBe('from another');
    removeName(fifo);
    await expect(stat(fifo.path)).rejects.toThrow('ENOENT');
    removeName(fifo);
    closeBoth(fifo);
  });

  it('provides each pipe once, however many are requested', async () => {
    const { pool } = await openPool();
    const taken = await Promise.all(Array.from({ length: 150 }, () => pool.takeNamed()));
    expect(new Set(taken.map(({ path }) => path)).size).toBe(150);
    expect(new Set(taken.flatMap(({ readFd, writeFd }) => [readFd, writeFd])).size).toBe(300);
    for (const fifo of taken) {
      closeBoth(fifo);
      removeName(fifo);
    }
  });

  it('leaks no handle when a pipe is missing from its folder', async () => {
    const { pool, folder } = await openPool();
    await rm(folder, { recursive: true });
    const before = readdirSync('/proc/self/fd').length;
    await expect(pool.takeNamed()).rejects.toThrow('ENOENT');
    expect(readdirSync('/proc/self/fd')).toHaveLength(before);
  });
});
