import { execFileSync } from 'node:child_process';
import { readdir, readFile, rm, statfs, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { describe, expect, it, onTestFinished } from 'vitest';

import { tempFolder } from '../support/hob.ts';
import { has } from '../support/needs.ts';
import { endOf, packagesHere, samplePackage, stateOf, writeSample } from '../support/packages-here.ts';

const canMount = has(
  'a small disk of its own (root on Linux)',
  process.platform === 'linux' && process.getuid?.() === 0,
);

async function smallDisk(mebibytes: number): Promise<string> {
  const folder = await tempFolder();
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${mebibytes}m,mode=700`, 'tmpfs', folder]);
  onTestFinished(() => {
    execFileSync('umount', ['-l', folder]);
  });
  return folder;
}

/** Fills a disk until this many bytes are left. */
async function fill(disk: string, leftBytes: number): Promise<string> {
  const filler = join(disk, 'filler');
  const { bavail, bsize } = await statfs(disk);
  await writeFile(filler, Buffer.alloc(Math.max(0, bavail * bsize - leftBytes)));
  return filler;
}

describe.skipIf(!canMount)('a full disk', () => {
  it('fails an installation, which leaves nothing and works once there is space', async () => {
    const disk = await smallDisk(2);
    const { packages, folder } = await packagesHere({ folder: join(disk, 'packages') });
    await packages.start();
    const { id, source } = await samplePackage();
    await writeFile(join(source.location, 'large'), Buffer.alloc(500_000, 'x'));
    const filler = await fill(disk, 300_000);
    const failed = await endOf(packages, await packages.install({ source, prepare: true }));
    expect({ state: failed.state, code: failed.error?.code }).toEqual({
      state: 'failed',
      code: 'resources-exhausted',
    });
    expect(await stateOf(folder)).toEqual({});
    await rm(filler);
    expect(await endOf(packages, await packages.install({ source, prepare: true }))).toMatchObject({
      state: 'done',
    });
    expect(await stateOf(folder)).toMatchObject({ [id]: { current: 'v1' } });
  });

  it('fails an update at its last step, and the old version stays in use', async () => {
    const disk = await smallDisk(2);
    let filler: string | undefined;
    let isFilling = false;
    const { packages, catalogue, folder } = await packagesHere({
      folder: join(disk, 'packages'),
      hooks: {
        prepare: async () => {
          if (isFilling) filler = await fill(disk, 0);
          return { kind: 'none' };
        },
      },
    });
    const { id, source } = await samplePackage();
    await endOf(packages, await packages.install({ source, prepare: true }));
    const before = [await stateOf(folder), await readFile(join(folder, id, 'installed.json'), 'utf8')];
    await writeSample(source.location, { id, version: '2.0.0' });
    isFilling = true;
    const failed = await endOf(packages, await packages.update(id, { prepare: true }));
    expect(failed.error?.code).toBe('resources-exhausted');
    expect(filler).toBeDefined();
    expect([await stateOf(folder), await readFile(join(folder, id, 'installed.json'), 'utf8')]).toEqual(
      before,
    );
    expect(await readdir(catalogue.find(id)?.folder ?? '')).toContain('main.sh');
    // Removing needs no space.
    expect(await packages.uninstall(id)).toMatchObject({ keptForRuns: false });
    expect(await stateOf(folder)).toEqual({});
  });
});
