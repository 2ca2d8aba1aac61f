import { chmod, cp, mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { expect, it } from 'vitest';

import { tempFolder } from '../../../test/support/hob.ts';
import { hashTree } from './package-store.ts';

const never = new AbortController().signal;

it('gives equal trees the same hash, and changed ones another', async () => {
  const one = join(await tempFolder(), 'one');
  await mkdir(join(one, '子 文件夹', 'empty'), { recursive: true });
  await writeFile(join(one, 'a'), 'a');
  await writeFile(join(one, '子 文件夹', '🎁'), Buffer.alloc(3_000_000, 'x'));
  await symlink('/nowhere', join(one, 'link'));
  const first = await hashTree(one, never);
  const other = join(await tempFolder(), 'other');
  await cp(one, other, { recursive: true });
  expect(await hashTree(other, never)).toBe(first);

  const seen = new Set([first]);
  const changes = [
    () => writeFile(join(other, 'a'), 'b'),
    () => rename(join(other, 'a'), join(other, 'c')),
    () => chmod(join(other, 'c'), 0o755),
    () => rm(join(other, '子 文件夹', 'empty'), { recursive: true }),
    () => writeFile(join(other, '子 文件夹', '🎁'), Buffer.alloc(3_000_000, 'y')),
    () => rm(join(other, 'link')),
    () => mkdir(join(other, 'link')),
  ];
  for (const change of changes) {
    await change();
    seen.add(await hashTree(other, never));
  }
  expect(seen.size).toBe(changes.length + 1);
});

it('stops hashing when the signal is aborted', async () => {
  const folder = await tempFolder();
  await writeFile(join(folder, 'a'), 'a');
  await expect(hashTree(folder, AbortSignal.abort())).rejects.toThrow(/abort/);
});
