import { rename, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { tempFolder } from '../../test/support/hob.ts';
import { until } from '../../test/support/until.ts';
import { Remembered } from './remembered.ts';

/** Something that is found out from one file, and how often that was done. */
function findingOut(path: string) {
  const remembered = new Remembered<number>();
  let times = 0;
  const ask = () =>
    remembered.get('it', async () => {
      times += 1;
      return { value: times, looked: [path] };
    });
  /** Asks until the answer is a remembered one. */
  const settle = () =>
    until('it is remembered', async () => {
      const first = await ask();
      return first === (await ask());
    });
  return { remembered, ask, settle, times: () => times };
}

describe('what was found out from files', () => {
  it('is found out again and again while they may still be changing, and then once', async () => {
    const path = join(await tempFolder(), 'file');
    await writeFile(path, 'a');
    const { ask, settle, times } = findingOut(path);
    await ask();
    await ask();
    expect(times()).toBe(2);
    await settle();
    const before = times();
    await ask();
    expect(times()).toBe(before);
  });

  it('is found out again when one of them was written, replaced, made or removed, however quietly', async () => {
    const folder = await tempFolder();
    const path = join(folder, 'file');
    const { ask, settle, times } = findingOut(path);
    const changes = [
      () => writeFile(path, 'a'),
      // The same size and the same time of the last change.
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

  it('is forgotten when nobody needs it any more', async () => {
    const { remembered, ask, times } = findingOut(join(await tempFolder(), 'missing'));
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
