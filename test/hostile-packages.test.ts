import { execFileSync } from 'node:child_process';
import { mkdir, symlink, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { deflateRawSync, gzipSync } from 'node:zlib';

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { defaultFetchLimits } from '../src/packages/fetch/fetch-limits.ts';
import { AppError, type ErrorCode } from '../src/shared/errors.ts';
import {
  paxOf,
  someManifest,
  someScript,
  type TarEntry,
  tarOf,
  type ZipEntry,
  zipOf,
} from './support/archives.ts';
import { fetchScene, type Scene } from './support/fetching.ts';
import { asOrdinaryUser, canBecomeOrdinary } from './support/ordinary-user.ts';

interface Case {
  /** What is wrong, as the end of "a package is refused for". */
  what: string;
  code: ErrorCode;
  /** What the sentence must name. */
  names: string;
}

type ZipCase = Case & { zip: readonly ZipEntry[] };
type TarCase = Case & { tar: readonly TarEntry[] };
type BytesCase = Case & { bytes: () => Buffer };

const unsafe = 'package-unsafe';
const unreadable = 'package-unreadable';
const tooLarge = 'package-too-large';

const deep = `${Array.from({ length: 100 }, () => 'd').join('/')}/file`;
const bomb = deflateRawSync(Buffer.alloc(20 * 1024 * 1024));

const badNames: [what: string, name: string, shown: string][] = [
  ['a path that climbs out', '../evil', '../evil'],
  ['a path that climbs out further down', 'a/b/../../../evil', 'a/b/../../../evil'],
  ['a path that climbs out by backslashes', '..\\evil', '..\\evil'],
  ['an absolute path', '/tmp/evil', '/tmp/evil'],
  ['a drive', 'C:\\evil', 'C:\\evil'],
  ['a drive without a slash', 'C:evil', 'C:evil'],
  ['a share of Windows', '\\\\server\\share\\evil', '\\\\server\\share\\evil'],
  ['a control character', 'a\u0007b', 'a\\x07b'],
  ['a line feed', 'a\nb', 'a\\x0ab'],
  ['a terminal escape', 'a\u001b[31mred', 'a\\x1b[31mred'],
  ['characters that turn the rest around', 'gpj\u202eexe.sh', 'gpj\\u202eexe.sh'],
  ['a device of Windows', 'CON', 'CON'],
  ['a device of Windows with an extension', 'sub/nul.txt', 'sub/nul.txt'],
  ['a device of Windows with a space', 'COM1 .tar.gz', 'COM1 .tar.gz'],
  ['a trailing dot', 'file.', 'file.'],
  ['a trailing space', 'folder /file', 'folder /file'],
  ['an alternate data stream', 'file.txt:hidden', 'file.txt:hidden'],
];

const zipCases: ZipCase[] = [
  ...badNames.map(
    ([what, name, names]) => ({ what, code: unsafe, names, zip: [{ name, content: 'x' }] }) as const,
  ),
  { what: 'a NUL in a name', code: unsafe, names: 'a\\x00b', zip: [{ name: 'a\0b' }] },
  {
    what: 'a symbolic link',
    code: unsafe,
    names: '"link" is a symbolic link',
    zip: [{ name: 'link', content: '/etc', mode: 0o120777 }],
  },
  {
    what: 'a symbolic link and a file that would go through it',
    code: unsafe,
    names: '"link" is a symbolic link',
    zip: [
      { name: 'link', content: '/tmp', mode: 0o120777 },
      { name: 'link/evil', content: 'x' },
    ],
  },
  { what: 'a device', code: unsafe, names: '"null"', zip: [{ name: 'null', mode: 0o020666 }] },
  { what: 'a named pipe', code: unsafe, names: '"pipe"', zip: [{ name: 'pipe', mode: 0o010666 }] },
  { what: 'a socket', code: unsafe, names: '"socket"', zip: [{ name: 'socket', mode: 0o140666 }] },
  {
    what: 'names that differ by their case',
    code: unsafe,
    names: '"a" and "A"',
    zip: [{ name: 'a' }, { name: 'A' }],
  },
  {
    what: 'folders that differ by their case',
    code: unsafe,
    names: '"Lib" and "lib"',
    zip: [{ name: 'Lib/one' }, { name: 'lib/two' }],
  },
  {
    what: 'an é that is written in two ways',
    code: unsafe,
    names: 'same file',
    zip: [{ name: 'caf\u00e9' }, { name: 'cafe\u0301' }],
  },
  {
    what: 'letters that are alike when small',
    code: unsafe,
    names: 'same file',
    zip: [{ name: 'ΑΣ' }, { name: 'ασ' }],
  },
  { what: 'a file twice', code: unsafe, names: '"twice"', zip: [{ name: 'twice' }, { name: 'twice' }] },
  {
    what: 'a file that a folder is to be',
    code: unsafe,
    names: '"both"',
    zip: [{ name: 'both' }, { name: 'both/file' }],
  },
  {
    what: 'a folder that a file is to be',
    code: unsafe,
    names: '"both"',
    zip: [{ name: 'both/file' }, { name: 'both' }],
  },
  { what: 'a name of 300 bytes', code: tooLarge, names: 'aaaa', zip: [{ name: 'a'.repeat(300) }] },
  { what: 'a name of 300 bytes in UTF-8', code: tooLarge, names: '测测', zip: [{ name: '测'.repeat(100) }] },
  {
    what: 'a path of 2000 bytes',
    code: tooLarge,
    names: 'bbbb',
    zip: [{ name: Array(10).fill('b'.repeat(200)).join('/') }],
  },
  { what: 'folders that are 100 deep', code: tooLarge, names: 'd/d/d', zip: [{ name: deep }] },
  {
    what: 'an encrypted file',
    code: unreadable,
    names: '"secret" is encrypted',
    zip: [{ name: 'secret', content: 'x', flags: 0x801 }],
  },
  {
    what: 'a strongly encrypted file',
    code: unreadable,
    names: 'encryption',
    zip: [{ name: 'secret', content: 'x', flags: 0x841 }],
  },
  {
    what: 'an unknown compression',
    code: unreadable,
    names: '"lzma"',
    zip: [{ name: 'lzma', content: 'x', method: 14 }],
  },
  {
    what: 'a wrong checksum',
    code: unreadable,
    names: '"sum"',
    zip: [{ name: 'sum', content: 'x', crc: 1 }],
  },
  {
    what: 'more bytes than were announced',
    code: unreadable,
    names: '"more"',
    zip: [{ name: 'more', content: 'x'.repeat(999), sizeBytes: 5 }],
  },
  {
    what: 'fewer bytes than were announced',
    code: unreadable,
    names: '"less"',
    zip: [{ name: 'less', content: 'x', sizeBytes: 999 }],
  },
  {
    what: 'a stored file of two sizes',
    code: unreadable,
    names: 'size',
    zip: [{ name: 'odd', content: 'x', method: 0, sizeBytes: 9 }],
  },
  {
    what: 'content beyond the end',
    code: unreadable,
    names: 'damaged',
    zip: [{ name: 'far', content: 'x', compressedBytes: 2 ** 31 }],
  },
  {
    what: 'garbage in place of what is compressed',
    code: unreadable,
    names: '"junk"',
    zip: [{ name: 'junk', content: 'xyz', raw: Buffer.from('garbage!') }],
  },
  {
    what: 'another name where the content lies',
    code: unsafe,
    names: '"shown"',
    zip: [{ name: 'shown', localName: 'other', content: 'x' }],
  },
  {
    what: 'entries that share their content',
    code: unsafe,
    names: '"one" and "two"',
    zip: [
      { name: 'one', content: 'x' },
      { name: 'two', content: 'x', sameDataAs: someScript.length },
    ],
  },
  {
    what: 'a folder with content',
    code: unreadable,
    names: '"folder/"',
    zip: [{ name: 'folder/', content: 'x' }],
  },
  {
    what: 'an announced gigabyte',
    code: tooLarge,
    names: 'more than',
    zip: [{ name: 'huge', content: 'x', sizeBytes: 2 ** 31 }],
  },
  {
    what: 'a name in an unknown encoding',
    code: unsafe,
    names: 'unknown encoding',
    zip: [{ name: Buffer.from([0x81, 0x20, 0x61]) }],
  },
  {
    what: 'a name in UTF-8 that is none',
    code: unsafe,
    names: 'unknown encoding',
    zip: [{ name: Buffer.from([0x61, 0xff]), flags: 0x800 }],
  },
];

const tarCases: TarCase[] = [
  ...badNames
    .slice(0, 8)
    .map(([what, name, names]) => ({ what, code: unsafe, names, tar: [{ name, content: 'x' }] }) as const),
  {
    what: 'a symbolic link',
    code: unsafe,
    names: '"link" is a symbolic link',
    tar: [{ name: 'link', type: '2', link: '/etc' }],
  },
  {
    what: 'a symbolic link and a file that would go through it',
    code: unsafe,
    names: '"link" is a symbolic link',
    tar: [
      { name: 'link', type: '2', link: '/tmp' },
      { name: 'link/evil', content: 'x' },
    ],
  },
  {
    what: 'a hard link to a file of the system',
    code: unsafe,
    names: '"passwd" is a hard link',
    tar: [{ name: 'passwd', type: '1', link: '/etc/passwd' }],
  },
  {
    what: 'a character device',
    code: unsafe,
    names: '"null" is a device',
    tar: [{ name: 'null', type: '3' }],
  },
  { what: 'a block device', code: unsafe, names: '"sda" is a device', tar: [{ name: 'sda', type: '4' }] },
  { what: 'a named pipe', code: unsafe, names: '"pipe"', tar: [{ name: 'pipe', type: '6' }] },
  { what: 'a sparse file', code: unreadable, names: '"holes"', tar: [{ name: 'holes', type: 'S' }] },
  {
    what: 'a sparse file of the newer kind',
    code: unreadable,
    names: '"holes"',
    tar: [paxOf({ 'GNU.sparse.major': '1' }), { name: 'holes', content: 'x' }],
  },
  {
    what: 'a longer path that climbs out',
    code: unsafe,
    names: '../evil',
    tar: [paxOf({ path: '../evil' }), { name: 'good', content: 'x' }],
  },
  {
    what: 'a longer path with a NUL',
    code: unsafe,
    names: 'a\\x00b',
    tar: [paxOf({ path: 'a\0b' }), { name: 'good', content: 'x' }],
  },
  {
    what: 'a long name of GNU that climbs out',
    code: unsafe,
    names: '../evil',
    tar: [{ name: '././@LongLink', type: 'L', content: '../evil\0' }, { name: 'x' }],
  },
  {
    what: 'a negative size',
    code: unreadable,
    names: '"minus"',
    tar: [{ name: 'minus', size: Buffer.from([...Array(11).fill(0xff), 0]) }],
  },
  {
    what: 'a negative size in words',
    code: unreadable,
    names: '"minus"',
    tar: [paxOf({ size: '-5' }), { name: 'minus', content: 'x' }],
  },
  {
    what: 'a size that is no number',
    code: unreadable,
    names: '"nan"',
    tar: [{ name: 'nan', size: 'zzzzzzzzzzz\0' }],
  },
  { what: 'a huge size', code: tooLarge, names: 'more than', tar: [{ name: 'huge', size: '77777777777\0' }] },
  {
    what: 'a size beyond all numbers',
    code: unreadable,
    names: '"endless"',
    tar: [{ name: 'endless', size: Buffer.from([0x80, ...Array(11).fill(0xff)]) }],
  },
  {
    what: 'names that differ by their case',
    code: unsafe,
    names: '"a" and "A"',
    tar: [{ name: 'a' }, { name: 'A' }],
  },
  {
    what: 'a file that a folder is to be',
    code: unsafe,
    names: '"both"',
    tar: [{ name: 'both' }, { name: 'both/file' }],
  },
  {
    what: 'folders that are 100 deep',
    code: tooLarge,
    names: 'd/d/d',
    tar: [paxOf({ path: deep }), { name: 'x' }],
  },
  {
    what: 'a header of many megabytes',
    code: unreadable,
    names: 'headers of several megabytes',
    tar: [{ name: 'x', type: 'x', content: Buffer.alloc(8 * 1024 * 1024, 0x20) }],
  },
];

const goodZip = () =>
  zipOf([...someScript, { name: 'data.bin', content: Buffer.from('0123456789'.repeat(500)) }]);
const goodTar = () =>
  tarOf([...someScript, { name: 'data.bin', content: Buffer.from('0123456789'.repeat(500)) }]);

const bytesCases: BytesCase[] = [
  { what: 'being empty', code: unreadable, names: 'no zip, tar or tar.gz', bytes: () => Buffer.alloc(0) },
  {
    what: 'being no archive',
    code: unreadable,
    names: 'no zip, tar or tar.gz',
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
    names: 'before its end',
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
  // A sentence, and not a page.
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

describe('a bomb', () => {
  const limits = { ...defaultFetchLimits, totalBytes: 1024 * 1024 };

  it('of a zip is stopped by what it really unpacks to, long before its end', async () => {
    const scene = await fetchScene();
    const zip = zipOf([...someScript, { name: 'zeros', raw: bomb, sizeBytes: 1000, crc: 0 }]);
    const error = await scene.refused(await scene.archive(zip), { limits });
    expect(error.code).toBe(unreadable);
    expect(error.text.en).toContain('"zeros"');
    expect(await scene.fetchedBytes()).toBeLessThanOrEqual(limits.totalBytes);
  });

  it('of a zip that says how large it is has written nothing', async () => {
    const scene = await fetchScene();
    const zip = zipOf([...someScript, { name: 'zeros', raw: bomb, sizeBytes: 20 * 1024 * 1024, crc: 0 }]);
    const error = await scene.refused(await scene.archive(zip), { limits });
    expect(error.code).toBe(tooLarge);
    expect(await scene.fetchedBytes()).toBe(0);
  });

  it('of a tar of many files of zeros is stopped at the limit', async () => {
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

  it('of a tar without any content is stopped, too', async () => {
    const scene = await fetchScene();
    const error = await scene.refused(
      await scene.archive(gzipSync(Buffer.concat([tarOf(someScript), Buffer.alloc(64 * 1024 * 1024)]))),
    );
    expect(error.code).toBe(unreadable);
  });

  it('of a folder is stopped at the limit', async () => {
    const scene = await fetchScene();
    const location = join(scene.folder, 'large');
    await mkdir(location);
    for (const { name, content } of someScript) await writeFile(join(location, name), content);
    await writeFile(join(location, 'sparse'), '');
    await truncate(join(location, 'sparse'), 2 ** 40);
    const error = await scene.refused({ kind: 'folder', location, ref: null, path: null }, { limits });
    expect(error).toMatchObject({ code: tooLarge });
    expect(error.text.en).toContain('"sparse"');
    expect(await scene.fetchedBytes()).toBeLessThanOrEqual(limits.totalBytes);
  });

  it.each(['zip', 'tar'])('of many tiny entries in a %s is stopped at the limit', async (kind) => {
    const scene = await fetchScene();
    const tiny = Array.from({ length: 300 }, (_, index) => ({ name: `tiny/${index}` }));
    const bytes = kind === 'zip' ? zipOf([...someScript, ...tiny]) : tarOf([...someScript, ...tiny]);
    const error = await scene.refused(await scene.archive(bytes), { limits: { ...limits, entries: 100 } });
    expect(error).toMatchObject({ code: tooLarge });
    expect(error.text.en).toContain('more than 100 files and folders');
  });

  it('of folders that are only named in paths is stopped at the limit', async () => {
    const scene = await fetchScene();
    const wide = Array.from({ length: 20 }, (_, index) => ({ name: `${index}/${'d/'.repeat(20)}file` }));
    const error = await scene.refused(await scene.archive(zipOf([...someScript, ...wide])), {
      limits: { ...limits, entries: 100 },
    });
    expect(error.code).toBe(tooLarge);
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

  it('a link, though not for those in what is left out', async () => {
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

  it('a named pipe, without waiting for anybody to write into it', async () => {
    const scene = await fetchScene();
    const location = await folderOf(scene);
    execFileSync('mkfifo', [join(location, 'pipe')]);
    expect((await scene.refused(asSource(location))).text.en).toContain('"pipe"');
  });

  it('names that Windows cannot have or that are alike there', async () => {
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

  it('not being there, or being something else', async () => {
    const scene = await fetchScene();
    expect(await scene.refused(asSource(join(scene.folder, 'nowhere')))).toMatchObject({
      code: 'package-source-invalid',
    });
    expect(await scene.refused(asSource('/dev/null'))).toMatchObject({ code: unreadable });
  });
});

describe('whatever is wrong with an archive', () => {
  it('stops when nobody wants it any more', async () => {
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

  it('a manifest that is broken is left to the check, with the folder it is in', async () => {
    const scene = await fetchScene();
    const fetched = await scene.fetch(
      await scene.archive(zipOf([{ name: 'x/script.toml', content: `${someManifest}\n[[[` }])),
    );
    expect(fetched.folder.endsWith('/x')).toBe(true);
  });
});
