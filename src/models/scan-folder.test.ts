import { link, mkdir, symlink, truncate } from 'node:fs/promises';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { tempFolder } from '../../test/support/hob.ts';
import { writeFileAt } from '../../test/support/model-caches.ts';
import { Witness } from './evidence.ts';
import { measureDiskUse } from './scan-folder.ts';

const measure = (folder: string) => measureDiskUse(folder, new Witness(Date.now));
const large = 'x'.repeat(200_000);

describe('disk use', () => {
  it('counts all files, and a file with several names once', async () => {
    const folder = await tempFolder();
    await writeFileAt(join(folder, 'deep', 'a.bin'), large);
    const once = await measure(folder);
    expect(once.bytes).toBeGreaterThanOrEqual(200_000);
    await link(join(folder, 'deep', 'a.bin'), join(folder, 'b.bin'));
    await symlink('deep/a.bin', join(folder, 'c.bin'));
    const again = await measure(folder);
    expect(again.bytes - once.bytes).toBeLessThan(10_000);
    expect(again.freedBytes).toBe(again.bytes);
  });

  it('is not freed for a file that has another name outside the folder', async () => {
    const root = await tempFolder();
    await writeFileAt(join(root, 'in', 'a.bin'), large);
    await writeFileAt(join(root, 'in', 'b.bin'), large);
    await link(join(root, 'in', 'a.bin'), join(root, 'out.bin'));
    const { bytes, freedBytes } = await measure(join(root, 'in'));
    expect(bytes).toBeGreaterThanOrEqual(400_000);
    expect(bytes - freedBytes).toBeGreaterThanOrEqual(200_000);
    expect(freedBytes).toBeGreaterThanOrEqual(200_000);
  });

  it('counts allocated blocks, so a sparse file counts little', async () => {
    const folder = await tempFolder();
    await writeFileAt(join(folder, 'sparse.bin'), 'x');
    await truncate(join(folder, 'sparse.bin'), 100_000_000);
    expect((await measure(folder)).bytes).toBeLessThan(1_000_000);
  });

  it('excludes the targets of links', async () => {
    const root = await tempFolder();
    await writeFileAt(join(root, 'out', 'a.bin'), large);
    await mkdir(join(root, 'in'));
    await symlink(join(root, 'out'), join(root, 'in', 'folder'));
    await symlink(join(root, 'out', 'a.bin'), join(root, 'in', 'file'));
    expect((await measure(join(root, 'in'))).bytes).toBeLessThan(100_000);
  });

  it('is 0 for a folder that does not exist', async () => {
    expect(await measure(join(await tempFolder(), 'gone'))).toEqual({ bytes: 0, freedBytes: 0 });
  });
});
