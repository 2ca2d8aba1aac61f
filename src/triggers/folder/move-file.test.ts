import { link, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { expect, it } from 'vitest';

import { tempFolder } from '../../../test/support/hob.ts';
import { moveBeside } from './move-file.ts';

it('moves a file beside it, under the next free name', async () => {
  const folder = await tempFolder();
  const file = join(folder, '中 a.tar.gz');
  for (const text of ['1', '2', '3']) {
    await writeFile(file, text);
    await moveBeside(file, 'done');
  }
  expect((await readdir(join(folder, 'done'))).sort()).toEqual([
    '中 a.tar (2).gz',
    '中 a.tar (3).gz',
    '中 a.tar.gz',
  ]);
  expect(await readFile(join(folder, 'done', '中 a.tar (3).gz'), 'utf8')).toBe('3');
  expect(await readdir(folder)).toEqual(['done']);
});

it.each([
  ['a long name', `${'视'.repeat(83)}.mp4`, `${'视'.repeat(82)} (2).mp4`],
  ['a long name of pairs of surrogates', `a${'😀'.repeat(62)}.mp4`, `a${'😀'.repeat(61)} (2).mp4`],
  ['a long extension', `a.${'x'.repeat(253)}`, `a.${'x'.repeat(249)} (2)`],
])('shortens %s that is taken', async (_what, name, expected) => {
  const folder = await tempFolder();
  for (const text of ['1', '2']) {
    await writeFile(join(folder, name), text);
    await moveBeside(join(folder, name), 'done');
  }
  expect((await readdir(join(folder, 'done'))).sort()).toEqual([name, expected].sort());
  expect(await readFile(join(folder, 'done', expected), 'utf8')).toBe('2');
});

it('completes a move that was cut short', async () => {
  const folder = await tempFolder();
  await mkdir(join(folder, 'done'));
  await writeFile(join(folder, 'a.txt'), 'a');
  await link(join(folder, 'a.txt'), join(folder, 'done', 'a.txt'));
  expect(await moveBeside(join(folder, 'a.txt'), 'done')).toBe(join(folder, 'done', 'a.txt'));
  expect(await readdir(folder)).toEqual(['done']);
});

it('moves a link, not its target', async () => {
  const folder = await tempFolder();
  await writeFile(join(folder, 'target'), 'x');
  await symlink('../target', join(folder, 'link'));
  await moveBeside(join(folder, 'link'), 'done');
  expect(await readFile(join(folder, 'target'), 'utf8')).toBe('x');
  expect((await readdir(folder)).sort()).toEqual(['done', 'target']);
});

it('fails if the folder cannot be made, and leaves the file', async () => {
  const folder = await tempFolder();
  await writeFile(join(folder, 'done'), 'a file');
  await writeFile(join(folder, 'a.txt'), 'a');
  await expect(moveBeside(join(folder, 'a.txt'), 'done')).rejects.toThrow('ENOTDIR');
  expect(await readFile(join(folder, 'a.txt'), 'utf8')).toBe('a');
});
