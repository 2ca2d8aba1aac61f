import { createHash } from 'node:crypto';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import pino from 'pino';
import { describe, expect, it, onTestFinished } from 'vitest';

import { someManifest } from '../../../test/support/archives.ts';
import { treeOf } from '../../../test/support/fetching.ts';
import { fetchPackage } from '../fetch/fetch-package.ts';
import { packFolder } from './pack-folder.ts';

async function scene() {
  const home = await mkdtemp(join(tmpdir(), 'hob-pack-'));
  onTestFinished(() => rm(home, { recursive: true, force: true }));
  const folder = join(home, '脚本 one');
  for (const inner of ['.git', 'empty/inner', 'lib/深', 'z'])
    await mkdir(join(folder, inner), { recursive: true });
  await writeFile(join(folder, 'script.toml'), someManifest);
  await writeFile(join(folder, 'main.sh'), '#!/bin/sh\nexit 0\n', { mode: 0o755 });
  await writeFile(join(folder, 'lib', '深', '☕.txt'), 'x'.repeat(100_000));
  await writeFile(join(folder, 'zero'), '');
  await writeFile(join(folder, 'z', 'a'.repeat(120)), 'long name');
  await writeFile(join(folder, '.git', 'HEAD'), '');
  const pack = (target: string, from = folder) =>
    packFolder(from, { target: join(home, target), signal: new AbortController().signal });
  return { home, folder, pack };
}

describe.each(['package.zip', 'package.tar.gz'])('a folder packed as %s', (target) => {
  it('is unpacked unchanged, without the excluded files', async () => {
    const { home, pack } = await scene();
    const packed = await pack(target);
    expect(packed).toMatchObject({ file: join(home, target), entries: 6 });
    expect(packed.notes[0]?.en).toContain('".git"');
    const bytes = await readFile(packed.file);
    expect({ bytes: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') }).toEqual({
      bytes: packed.bytes,
      sha256: packed.sha256,
    });
    const into = join(home, 'into');
    await mkdir(into);
    const { folder } = await fetchPackage(
      { kind: 'archive', location: packed.file, ref: null, path: null },
      {
        into,
        env: {},
        signal: new AbortController().signal,
        onProgress: () => {},
        log: pino({ level: 'silent' }),
      },
    );
    expect(await treeOf(folder)).toEqual([
      'empty 40700 0',
      'empty/inner 40700 0',
      'lib 40700 0',
      'lib/深 40700 0',
      'lib/深/☕.txt 100600 100000',
      'main.sh 100700 17',
      `script.toml 100600 ${someManifest.length}`,
      'z 40700 0',
      `z/${'a'.repeat(120)} 100600 9`,
      'zero 100600 0',
    ]);
  });

  it('has the same bytes, independent of times and permissions', async () => {
    const { folder, pack } = await scene();
    const first = await pack(target);
    await utimes(join(folder, 'main.sh'), 1, 1);
    await chmod(join(folder, 'zero'), 0o664);
    await rm(join(folder, 'script.toml'));
    await writeFile(join(folder, 'script.toml'), someManifest);
    expect((await pack(`other-${target}`)).sha256).toBe(first.sha256);
    await writeFile(join(folder, 'zero'), 'more');
    expect((await pack(target)).sha256).not.toBe(first.sha256);
  });

  it('does not contain the archive itself, or an earlier one', async () => {
    const { folder, pack } = await scene();
    const first = await pack(join('脚本 one', target));
    const second = await pack(join('脚本 one', target));
    expect(second).toEqual(first);
    expect((await readdir(folder)).toSorted()).toEqual(
      ['.git', 'empty', 'lib', 'main.sh', target, 'script.toml', 'z', 'zero'].toSorted(),
    );
  });

  it('is refused if it contains a link, and the earlier archive stays', async () => {
    const { home, folder, pack } = await scene();
    const { sha256 } = await pack(target);
    await symlink('main.sh', join(folder, 'shortcut'));
    await expect(pack(target)).rejects.toMatchObject({ code: 'package-unsafe' });
    expect(
      createHash('sha256')
        .update(await readFile(join(home, target)))
        .digest('hex'),
    ).toBe(sha256);
    expect((await readdir(home)).toSorted()).toEqual([target, '脚本 one'].toSorted());
  });

  it('leaves nothing behind if the target folder is missing or packing is aborted', async () => {
    const { home, folder, pack } = await scene();
    await expect(pack(`nowhere/${target}`)).rejects.toMatchObject({ code: 'package-unreadable' });
    const stop = AbortSignal.abort(new Error('enough'));
    await expect(packFolder(folder, { target: join(home, target), signal: stop })).rejects.toThrow('enough');
    expect(await readdir(home)).toEqual(['脚本 one']);
  });
});
