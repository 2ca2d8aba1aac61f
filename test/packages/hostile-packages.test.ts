import { execFileSync } from 'node:child_process';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { AppError } from '../../src/shared/errors.ts';
import { someManifest, someScript, tarOf, zipOf } from '../support/archives.ts';
import { fetchScene, type Scene } from '../support/fetching.ts';
import type { Case } from '../support/hostile/cases.ts';
import { tarCases } from '../support/hostile/tars.ts';
import { zipCases } from '../support/hostile/zips.ts';
import { asOrdinaryUser, canBecomeOrdinary } from '../support/ordinary-user.ts';

type BytesCase = Case & { bytes: () => Buffer };

const unsafe = 'package-unsafe';
const unreadable = 'package-unreadable';

const goodZip = () =>
  zipOf([...someScript, { name: 'data.bin', content: Buffer.from('0123456789'.repeat(500)) }]);
const goodTar = () =>
  tarOf([...someScript, { name: 'data.bin', content: Buffer.from('0123456789'.repeat(500)) }]);

const bytesCases: BytesCase[] = [
  {
    what: 'being empty',
    code: unreadable,
    names: 'is not a zip, tar or tar.gz',
    bytes: () => Buffer.alloc(0),
  },
  {
    what: 'being no archive',
    code: unreadable,
    names: 'is not a zip, tar or tar.gz',
    bytes: () => Buffer.from('hello, I am a text'),
  },
  { what: 'being an empty zip', code: 'package-not-a-script', names: 'no script', bytes: () => zipOf([]) },
  {
    what: 'holding only folders',
    code: 'package-not-a-script',
    names: 'no script',
    bytes: () => zipOf([{ name: 'a/b/', mode: 0o040755 }]),
  },
  {
    what: 'holding no script',
    code: 'package-not-a-script',
    names: 'no script',
    bytes: () => zipOf([{ name: 'pyproject.toml', content: '[project]\n' }]),
  },
  {
    what: 'being a gzip of garbage',
    code: unreadable,
    names: 'damaged',
    bytes: () => gzipSync(Buffer.from('garbage '.repeat(999))),
  },
  {
    what: 'being garbage that begins like a gzip',
    code: unreadable,
    names: 'damaged',
    bytes: () => Buffer.from([0x1f, 0x8b, 8, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9]),
  },
  {
    what: 'being garbage that begins like a zip',
    code: unreadable,
    names: 'damaged',
    bytes: () => Buffer.from('PK\x03\x04 and then nothing of the kind'),
  },
  {
    what: 'a second directory hidden in the comment',
    code: unreadable,
    names: 'comment',
    bytes: () => zipOf(someScript, zipOf(someScript).subarray(-22)).subarray(0, -1),
  },
  {
    what: 'bytes after the end of a zip',
    code: unreadable,
    names: 'damaged',
    bytes: () => Buffer.concat([goodZip(), Buffer.from('more')]),
  },
  {
    what: 'bytes after the end of a tar',
    code: unreadable,
    names: 'damaged',
    bytes: () => Buffer.concat([goodTar(), Buffer.alloc(512, 'x')]),
  },
  {
    what: 'bytes after the end of a gzip',
    code: unreadable,
    names: 'damaged',
    bytes: () => Buffer.concat([gzipSync(goodTar()), Buffer.from('more')]),
  },
  {
    what: 'a tar that has no end',
    code: unreadable,
    names: 'has no end marker',
    bytes: () => tarOf(someScript, { isEnded: false }),
  },
  {
    what: 'a tar with a wrong checksum',
    code: unreadable,
    names: 'damaged',
    bytes: () => {
      const tar = goodTar();
      tar[1024] = 1;
      return tar;
    },
  },
];

async function expectRefusal(scene: Scene, bytes: Buffer, { code, names }: Case): Promise<void> {
  const error = await scene.refused(await scene.archive(bytes));
  expect(error.text.en).toContain(names);
  expect(error.code).toBe(code);
  // A sentence, not a page.
  expect(error.text.en.length).toBeLessThan(500);
}

describe('a zip is refused for', () => {
  it.each(zipCases)('$what', async (each) => {
    await expectRefusal(await fetchScene(), zipOf([...someScript, ...each.zip]), each);
  });
});

describe('a tar is refused for', () => {
  it.each(tarCases)('$what', async (each) => {
    await expectRefusal(await fetchScene(), tarOf([...someScript, ...each.tar]), each);
  });

  it.each(tarCases)('$what, also when it is compressed', async (each) => {
    await expectRefusal(await fetchScene(), gzipSync(tarOf([...someScript, ...each.tar])), each);
  });
});

describe('an archive is refused for', () => {
  it.each(bytesCases)('$what', async (each) => {
    await expectRefusal(await fetchScene(), each.bytes(), each);
  });

  it.each([goodZip, goodTar, () => gzipSync(goodTar())])('being cut off anywhere (%#)', async (make) => {
    const scene = await fetchScene();
    const whole = make();
    for (const part of [0.05, 0.2, 0.4, 0.6, 0.8, 0.95]) {
      const bytes = whole.subarray(0, Math.floor(whole.length * part));
      const error = await scene.refused(await scene.archive(bytes));
      expect(error.code).toBe(unreadable);
    }
  });
});

describe('a folder is refused for', () => {
  async function folderOf(scene: Scene): Promise<string> {
    const location = join(scene.folder, 'hostile');
    await mkdir(location);
    for (const { name, content } of someScript) await writeFile(join(location, name), content);
    return location;
  }
  const asSource = (location: string) => ({ kind: 'folder', location, ref: null, path: null }) as const;

  it('a link, except in folders that are not copied', async () => {
    const scene = await fetchScene();
    const location = await folderOf(scene);
    await mkdir(join(location, '.venv'));
    await symlink('/usr/bin/python3', join(location, '.venv', 'python'));
    await scene.fetch(asSource(location));
    await symlink('main.sh', join(location, 'shortcut'));
    const error = await scene.refused(asSource(location));
    expect(error).toMatchObject({ code: unsafe });
    expect(error.text.en).toContain('"shortcut" is a symbolic link');
  });

  it('a named pipe, without waiting for a writer', async () => {
    const scene = await fetchScene();
    const location = await folderOf(scene);
    execFileSync('mkfifo', [join(location, 'pipe')]);
    expect((await scene.refused(asSource(location))).text.en).toContain('"pipe"');
  });

  it('names that are invalid on Windows or equal there', async () => {
    const scene = await fetchScene();
    const location = await folderOf(scene);
    await writeFile(join(location, 'MAIN.sh'), '');
    expect((await scene.refused(asSource(location))).text.en).toContain('"MAIN.sh" and "main.sh"');
    await writeFile(join(location, 'aux.py'), '');
    await writeFile(join(location, 'AUX'), '');
    expect((await scene.refused(asSource(location))).text.en).toContain('"AUX"');
  });

  it('a file that cannot be read', async () => {
    const refuse = async () => {
      const scene = await fetchScene();
      const location = await folderOf(scene);
      await writeFile(join(location, 'locked'), '', { mode: 0 });
      return scene.refused(asSource(location));
    };
    const error = await (canBecomeOrdinary ? asOrdinaryUser(refuse) : refuse());
    expect(error.text.en).toContain('"locked" cannot be read (EACCES)');
  });

  it('being missing, or being something else', async () => {
    const scene = await fetchScene();
    expect(await scene.refused(asSource(join(scene.folder, 'nowhere')))).toMatchObject({
      code: 'package-source-invalid',
    });
    expect(await scene.refused(asSource('/dev/null'))).toMatchObject({ code: unreadable });
  });
});

describe('an archive', () => {
  it('is no longer read when the caller cancels', async () => {
    const scene = await fetchScene();
    const stop = new AbortController();
    const source = await scene.archive(goodZip());
    const fetching = scene.fetch(source, { signal: stop.signal });
    stop.abort(new Error('enough'));
    await expect(fetching).rejects.toThrow('enough');
  });

  it.each([
    ['zip', goodZip],
    ['tar', goodTar],
    ['tar.gz', () => gzipSync(goodTar())],
  ] as const)(
    'a %s with flipped bits is unpacked or refused, and nothing is written beside it',
    async (_kind, make) => {
      const scene = await fetchScene();
      const whole = make();
      const flips = fc.array(fc.tuple(fc.nat(whole.length - 1), fc.nat(7)), { minLength: 1, maxLength: 4 });
      await fc.assert(
        fc.asyncProperty(flips, async (positions) => {
          const bytes = Buffer.from(whole);
          for (const [at, bit] of positions) bytes[at] = (bytes[at] ?? 0) ^ (1 << bit);
          const end = await scene.fetch(await scene.archive(bytes)).catch((error: unknown) => error);
          if (end instanceof Error) expect(end).toBeInstanceOf(AppError);
          await scene.clear();
        }),
        { numRuns: 200, interruptAfterTimeLimit: 5000 },
      );
    },
  );

  it('with a broken manifest is left to the check, with its folder', async () => {
    const scene = await fetchScene();
    const fetched = await scene.fetch(
      await scene.archive(zipOf([{ name: 'x/script.toml', content: `${someManifest}\n[[[` }])),
    );
    expect(fetched.folder.endsWith('/x')).toBe(true);
  });
});
