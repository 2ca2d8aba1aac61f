import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';

import { expect, it } from 'vitest';

import { tempFolder } from '../../test/support/hob.ts';
import { sourceArgument } from './installed-packages.ts';

it.each([
  'https://git.test/ada/scripts.git',
  'https://git.test/ada/scripts#v1',
  'http://git.test/x.zip',
  'ssh://git@git.test:22/x',
  'git://git.test/x',
  'file:///srv/repo',
  'git@git.test:ada/scripts',
  'git.test:ada/scripts.git',
  'git.test:ada/scripts.git#v1',
])('leaves the URL %s unchanged', async (address) => {
  expect(await sourceArgument(address, '/nowhere')).toBe(address);
});

it('makes paths absolute, even if they look like URLs', async () => {
  const base = await tempFolder();
  for (const name of ['my script', '图片 🖼', 'a#b', 'repo.git', 'host:x.git']) {
    await mkdir(join(base, name));
    expect(await sourceArgument(name, base)).toBe(join(base, name));
  }
  expect(await sourceArgument('./repo.git#v1', base)).toBe(join(base, 'repo.git#v1'));
  expect(await sourceArgument('.', base)).toBe(base);
});

it('reports a missing source immediately', async () => {
  const base = await tempFolder();
  await expect(sourceArgument('gone', base)).rejects.toThrow(`${join(base, 'gone')} does not exist.`);
  await expect(sourceArgument('gone#v1', base)).rejects.toThrow(`${join(base, 'gone#v1')} does not exist.`);
  await expect(sourceArgument('C:\\scripts\\one', base)).rejects.toThrow('C:\\scripts\\one does not exist.');
  await expect(sourceArgument('git.test/ada/one', base)).rejects.toThrow('https://git.test/ada/one');
  await expect(sourceArgument(' ', base)).rejects.toThrow('Specify what to install');
});
