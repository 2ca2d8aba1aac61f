import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { open, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { expect, it, onTestFinished } from 'vitest';

import { tempFolder } from '../../../test/support/hob.ts';
import { FileLooks, type FoundFile } from './found-file.ts';
import { writerProbe } from './open-writers.ts';

async function found(path: string): Promise<FoundFile> {
  const look = await new FileLooks().look(path);
  if (look.kind !== 'file') throw new Error(`no file: ${path}`);
  return look.file;
}

it.runIf(process.platform === 'linux')('finds the processes that have files open for writing', async () => {
  const folder = await tempFolder();
  const path = (name: string) => join(folder, name);
  for (const name of ['read', 'written', 'both', 'renamed.part', 'closed']) await writeFile(path(name), 'x');
  const files = await Promise.all([
    open(path('read'), 'r'),
    open(path('written'), 'a'),
    open(path('both'), 'r+'),
    open(path('renamed.part'), 'a'),
  ]);
  onTestFinished(async () => {
    for (const file of files) await file.close();
  });
  await rename(path('renamed.part'), path('新 name\n'));
  const child = spawn('sh', ['-c', 'exec 3>>"$0"; echo ready; cat', path('child')]);
  onTestFinished(() => {
    child.kill();
  });
  await once(child.stdout, 'data');

  const names = ['read', 'written', 'both', '新 name\n', 'closed', 'child'];
  const all = await Promise.all(names.map((name) => found(path(name))));
  const writers = await writerProbe.find(all);
  expect([...writers.keys()].sort()).toEqual(['both', 'child', 'written', '新 name\n'].map(path).sort());
  const writer = writers.get(path('child'));
  expect(writer?.pid).toBe(String(child.pid));
  const file = all.at(-1);
  if (writer === undefined || file === undefined) throw new Error('the child has no writer');
  expect(await writerProbe.isOpen(file, writer)).toBe(true);
  child.kill();
  await once(child, 'exit');
  expect(await writerProbe.isOpen(file, writer)).toBe(false);
});
