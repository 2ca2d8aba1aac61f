import { lstat, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { expect, it } from 'vitest';

import { tempFolder } from '../../../test/support/hob.ts';
import { huggingFaceLayout } from './huggingface-layout.ts';

const file = {
  path: 'a/b.txt',
  sizeBytes: 4,
  content: { kind: 'git-sha1', hex: 'a'.repeat(40) },
  record: { size: 4, blob_id: 'a'.repeat(40) },
} as const;

async function layoutWithoutLinks(cache: string) {
  const link = () => Promise.reject(new Error('links are not supported'));
  const repo = { owner: 'ada', name: 'tiny' };
  return huggingFaceLayout({ cache, repo, snapshot: 'b'.repeat(40), link });
}

it('uses plain files if links are not possible', async () => {
  const cache = await tempFolder();
  const layout = await layoutWithoutLinks(cache);
  await writeFile(layout.partialOf(file), 'abcd');
  await layout.keep(file);
  await layout.show(file);
  // A second call, as when the same files are downloaded again.
  await layout.show(file);
  const shown = join(layout.snapshot, 'a', 'b.txt');
  expect((await lstat(shown)).isFile()).toBe(true);
  expect(await readFile(shown, 'utf8')).toBe('abcd');
  expect(await layout.isThere(file, new AbortController().signal)).toBe(true);
});

it('treats a blob of the wrong size as missing, and replaces it', async () => {
  const cache = await tempFolder();
  const layout = await layoutWithoutLinks(cache);
  const blob = join(layout.folder, 'blobs', file.content.hex);
  await writeFile(blob, 'abc');
  expect(await layout.isThere(file, new AbortController().signal)).toBe(false);
  await writeFile(layout.partialOf(file), 'abcd');
  await layout.keep(file);
  expect(await readFile(blob, 'utf8')).toBe('abcd');
});

it('does not accept a folder as a blob', async () => {
  const cache = await tempFolder();
  const layout = await layoutWithoutLinks(cache);
  await mkdir(join(layout.folder, 'blobs', file.content.hex));
  expect(await layout.isThere(file, new AbortController().signal)).toBe(false);
});
