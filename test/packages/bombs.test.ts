import { execFileSync } from 'node:child_process';
import { mkdir, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { deflateRawSync, gzipSync } from 'node:zlib';

import { describe, expect, it, onTestFinished } from 'vitest';

import { defaultFetchLimits } from '../../src/packages/package-source.ts';
import { someScript, tarOf, zipOf } from '../support/archives.ts';
import { fetchScene } from '../support/fetching.ts';
import { has } from '../support/needs.ts';

const unreadable = 'package-unreadable';
const tooLarge = 'package-too-large';

/** Twenty megabytes of zeros in twenty kilobytes. */
const bomb = deflateRawSync(Buffer.alloc(20 * 1024 * 1024));

describe('a bomb', () => {
  const limits = { ...defaultFetchLimits, totalBytes: 1024 * 1024 };

  it('in a zip is stopped by its real unpacked size, long before its end', async () => {
    const scene = await fetchScene();
    const zip = zipOf([...someScript, { name: 'zeros', raw: bomb, sizeBytes: 1000, crc: 0 }]);
    const error = await scene.refused(await scene.archive(zip), { limits });
    expect(error.code).toBe(unreadable);
    expect(error.text.en).toContain('"zeros"');
    expect(await scene.fetchedBytes()).toBeLessThanOrEqual(limits.totalBytes);
  });

  it('in a zip that declares its size has written nothing', async () => {
    const scene = await fetchScene();
    const zip = zipOf([...someScript, { name: 'zeros', raw: bomb, sizeBytes: 20 * 1024 * 1024, crc: 0 }]);
    const error = await scene.refused(await scene.archive(zip), { limits });
    expect(error.code).toBe(tooLarge);
    expect(await scene.fetchedBytes()).toBe(0);
  });

  it('in a tar of many files of zeros is stopped at the limit', async () => {
    const scene = await fetchScene();
    const zeros = Array.from({ length: 40 }, (_, index) => ({
      name: `zeros-${index}`,
      content: Buffer.alloc(512 * 1024),
    }));
    const error = await scene.refused(await scene.archive(gzipSync(tarOf([...someScript, ...zeros]))), {
      limits,
    });
    expect(error.code).toBe(tooLarge);
    expect(await scene.fetchedBytes()).toBeLessThanOrEqual(limits.totalBytes);
  });

  it('in a tar without any content is stopped too', async () => {
    const scene = await fetchScene();
    const error = await scene.refused(
      await scene.archive(gzipSync(Buffer.concat([tarOf(someScript), Buffer.alloc(64 * 1024 * 1024)]))),
    );
    expect(error.code).toBe(unreadable);
  });

  it('in a folder is stopped at the limit', async () => {
    const scene = await fetchScene();
    const location = join(scene.folder, 'large');
    await mkdir(location);
    for (const { name, content } of someScript) await writeFile(join(location, name), content);
    await writeFile(join(location, 'sparse'), '');
    await truncate(join(location, 'sparse'), 2 ** 40);
    const error = await scene.refused({ kind: 'folder', location, ref: null, path: null }, { limits });
    expect(error).toMatchObject({ code: tooLarge });
    expect(error.text.en).toContain('"sparse"');
    // Nothing of the file itself, because its size is known in advance.
    expect(await scene.fetchedBytes()).toBeLessThan(10_000);
  });

  it.each(['zip', 'tar'])('of many tiny entries in a %s is stopped at the limit', async (kind) => {
    const scene = await fetchScene();
    const tiny = Array.from({ length: 300 }, (_, index) => ({ name: `tiny/${index}` }));
    const bytes = kind === 'zip' ? zipOf([...someScript, ...tiny]) : tarOf([...someScript, ...tiny]);
    const error = await scene.refused(await scene.archive(bytes), { limits: { ...limits, entries: 100 } });
    expect(error).toMatchObject({ code: tooLarge });
    expect(error.text.en).toContain('more than 100 files and folders');
  });

  it('of folders that occur only in paths is stopped at the limit', async () => {
    const scene = await fetchScene();
    const wide = Array.from({ length: 20 }, (_, index) => ({ name: `${index}/${'d/'.repeat(20)}file` }));
    const error = await scene.refused(await scene.archive(zipOf([...someScript, ...wide])), {
      limits: { ...limits, entries: 100 },
    });
    expect(error.code).toBe(tooLarge);
  });

  it.each([
    ['one folder repeated many times', { name: 'again/', type: '5' }],
    ['files that are not unpacked', { name: '__MACOSX/._x' }],
  ])('of %s is stopped at the limit', async (_what, entry) => {
    const scene = await fetchScene();
    const tar = tarOf([...someScript, ...Array.from({ length: 200 }, () => entry)]);
    const error = await scene.refused(await scene.archive(gzipSync(tar)), {
      limits: { ...limits, entries: 100 },
    });
    expect(error.code).toBe(tooLarge);
  });

  it('of one large file that is not unpacked is stopped too', async () => {
    const scene = await fetchScene();
    const tar = tarOf([...someScript, { name: '._x', content: Buffer.alloc(2 * limits.totalBytes) }]);
    expect((await scene.refused(await scene.archive(gzipSync(tar)), { limits })).code).toBe(tooLarge);
  });
});

const canMount = has(
  'a small disk of its own (root on Linux)',
  process.platform === 'linux' && process.getuid?.() === 0,
);

it.skipIf(!canMount)('a package that does not fit on the disk is refused with that reason', async () => {
  const scene = await fetchScene();
  const source = await scene.archive(zipOf([...someScript, { name: 'x', content: Buffer.alloc(3_000_000) }]));
  const small = join(scene.folder, 'small');
  await mkdir(small);
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m,mode=700', 'tmpfs', small]);
  onTestFinished(() => {
    execFileSync('umount', ['-l', small]);
  });
  const into = join(small, 'into');
  await mkdir(into);
  const error = await scene.refused(source, { into });
  expect(error.code).toBe('resources-exhausted');
  expect(error.text.en).toContain('ENOSPC');
});
