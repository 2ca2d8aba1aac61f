import { rename, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { tempFolder } from '../../test/support/hob.ts';
import { until } from '../../test/support/until.ts';
import { Remembered } from './plan.ts';

/** A value derived from one file, and how often it was computed. */
function countedValue(path: string) {
  const remembered = new Remembered<number>();
  let times = 0;
  const ask = () =>
    remembered.get('it', async () => {
      times += 1;
      return { value: times, looked: [path] };
    });
  /** Asks until the answer comes from the cache. */
  const settle = () =>
    until('the value is cached', async () => {
      const first = await ask();
      return first === (await ask());
    });
  return { remembered, ask, settle, times: () => times };
}

describe('a value derived from files', () => {
  it('is computed again while the files may still change, and then cached', async () => {
    const path = join(await tempFolder(), 'file');
    await writeFile(path, 'a');
    const { ask, settle, times } = countedValue(path);
    await ask();
    await ask();
    expect(times()).toBe(2);
    await settle();
    const before = times();
    await ask();
    expect(times()).toBe(before);
  });

  it('is computed again when a file is written, replaced, created or removed, even with the same size and time', async () => {
    const folder = await tempFolder();
    const path = join(folder, 'file');
    const { ask, settle, times } = countedValue(path);
    const changes = [
      () => writeFile(path, 'a'),
      // Same size and same mtime.
      async () => {
        await writeFile(path, 'b');
        await utimes(path, new Date(0), new Date(0));
      },
      async () => {
        await writeFile(join(folder, 'other'), 'c');
        await utimes(join(folder, 'other'), new Date(0), new Date(0));
        await rename(join(folder, 'other'), path);
      },
      () => rm(path),
      () => symlink(join(folder, 'target'), path),
      () => writeFile(join(folder, 'target'), 'd'),
    ];
    for (const change of changes) {
      await settle();
      const before = times();
      await change();
      await ask();
      expect(times()).toBe(before + 1);
    }
  });

  it('is dropped from the cache when its key is not kept', async () => {
    const { remembered, ask, times } = countedValue(join(await tempFolder(), 'missing'));
    await ask();
    await ask();
    expect(times()).toBe(1);
    remembered.keepOnly(new Set(['it']));
    await ask();
    expect(times()).toBe(1);
    remembered.keepOnly(new Set());
    await ask();
    expect(times()).toBe(2);
  });
});
