import { randomBytes } from 'node:crypto';
import { lstat, mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';

import { describe, expect, it } from 'vitest';
import { ZipFile } from 'yazl';

import { loadFolder } from '../../src/scripts/load-folder.ts';
import {
  paxOf,
  someManifest,
  someScript,
  tarOf,
  unicodePathField,
  type ZipEntry,
  zipOf,
} from '../support/archives.ts';
import { fetchScene, textAt, treeOf } from '../support/fetching.ts';

async function fetchZip(entries: readonly ZipEntry[]) {
  const scene = await fetchScene();
  const fetched = await scene.fetch(await scene.archive(zipOf(entries)));
  return { scene, ...fetched };
}

const gbkName = Buffer.from([0xb2, 0xe2, 0xca, 0xd4, 0x2e, 0x74, 0x78, 0x74]);

describe('a package that is fetched', () => {
  it('is unpacked from a zip completely, readable by its user only', async () => {
    const { folder, scene } = await fetchZip([
      ...someScript,
      { name: 'run.sh', content: '#!/bin/sh\n', mode: 0o104755 },
      { name: 'empty/', mode: 0o040777 },
      { name: 'nothing.txt' },
      { name: 'data/deep/er/file.bin', content: Buffer.alloc(300_000, 7) },
    ]);
    expect(await treeOf(folder)).toEqual([
      'data 40700 0',
      'data/deep 40700 0',
      'data/deep/er 40700 0',
      'data/deep/er/file.bin 100600 300000',
      'empty 40700 0',
      'main.sh 100600 7',
      'nothing.txt 100600 0',
      'run.sh 100700 10',
      `script.toml 100600 ${someManifest.length}`,
    ]);
    expect(scene.progress.at(-1)).toEqual({ entriesDone: 6, bytesDone: 300_017 + someManifest.length });
  });

  it.each(['package.tar', 'package.tar.gz', 'package.zip', 'no-extension'])(
    'is unpacked from a tar with any file name: %s',
    async (name) => {
      const scene = await fetchScene();
      const tar = tarOf([
        ...someScript,
        { name: 'empty/', type: '5', mode: 0o777 },
        { name: 'old-style-folder/', type: '0' },
        { name: 'nothing.txt' },
        { name: 'bin/tool', content: 'x', mode: 0o6755 },
        paxOf({ path: '长/名字.txt' }),
        { name: 'short', content: 'pax' },
      ]);
      const { folder } = await scene.fetch(
        await scene.archive(name.endsWith('gz') ? gzipSync(tar) : tar, name),
      );
      expect(await treeOf(folder)).toEqual([
        'bin 40700 0',
        'bin/tool 100700 1',
        'empty 40700 0',
        'main.sh 100600 7',
        'nothing.txt 100600 0',
        'old-style-folder 40700 0',
        `script.toml 100600 ${someManifest.length}`,
        '长 40700 0',
        '长/名字.txt 100600 3',
      ]);
    },
  );

  it.each([
    ['in GBK, as a Chinese Windows writes it', { name: gbkName }],
    ['in UTF-8, declared', { name: '测试.txt' }],
    ['in UTF-8, not declared', { name: Buffer.from('测试.txt') }],
    [
      'in an extra field, as Info-ZIP does',
      { name: Buffer.from('____.txt'), extra: unicodePathField(Buffer.from('____.txt'), '测试.txt') },
    ],
    [
      'in GBK, with an extra field for another name',
      { name: gbkName, extra: unicodePathField(Buffer.from('other'), 'other') },
    ],
  ])('may have its names %s', async (_how, entry) => {
    const { folder } = await fetchZip([...someScript, { ...entry, content: 'ok' }]);
    expect(await textAt(folder, '测试.txt')).toBe('ok');
  });

  it('may be written by a program that declares sizes late, and in the format for large archives', async () => {
    const scene = await fetchScene();
    const zip = new ZipFile();
    for (const { name, content } of someScript) {
      zip.addReadStream(Readable.from([Buffer.from(content)]), name, { forceZip64Format: true });
    }
    zip.end({ forceZip64Format: true, comment: 'a comment' });
    const { folder } = await scene.fetch(await scene.archive(await buffer(zip.outputStream)));
    expect(await textAt(folder, 'main.sh')).toBe('exit 0\n');
  });

  it('may have names in GBK in a tar', async () => {
    const scene = await fetchScene();
    const { folder } = await scene.fetch(
      await scene.archive(tarOf([...someScript, { name: gbkName, content: 'ok' }])),
    );
    expect(await textAt(folder, '测试.txt')).toBe('ok');
  });

  it('may have spaces, emoji and backslashes in its names', async () => {
    const { folder } = await fetchZip([
      ...someScript,
      { name: 'two words/☕ 👩‍💻.txt', content: 'a' },
      { name: 'dotnet\\inner\\file.txt', content: 'b' },
      { name: 'dotnet\\empty\\', mode: 0 },
      { name: './dotted//file', content: 'c' },
    ]);
    expect(await textAt(folder, 'two words', '☕ 👩‍💻.txt')).toBe('a');
    expect(await textAt(folder, 'dotnet', 'inner', 'file.txt')).toBe('b');
    expect(await readdir(join(folder, 'dotnet', 'empty'))).toEqual([]);
    expect(await textAt(folder, 'dotted', 'file')).toBe('c');
  });

  it('may have one folder around everything, and the files that macOS adds', async () => {
    const { folder, notes } = await fetchZip([
      { name: 'wrap/', mode: 0o040755 },
      ...someScript.map((entry) => ({ ...entry, name: `wrap/${entry.name}` })),
      { name: 'wrap/._script.toml', content: 'x' },
      { name: '__MACOSX/wrap/._main.sh', content: 'x' },
    ]);
    expect(folder.endsWith('/wrap')).toBe(true);
    expect(await readdir(folder)).toEqual(['main.sh', 'script.toml']);
    expect(notes[0]?.en).toContain('2 entries that macOS adds');
  });

  it('may use any name for its manifest and its root table', async () => {
    const { folder } = await fetchZip([
      { name: 'a/b/工具.toml', content: someManifest.replaceAll('[service.', '[acme.') },
      { name: 'a/b/main.sh', content: '' },
      { name: 'README.md', content: '' },
    ]);
    expect(folder.endsWith('/a/b')).toBe(true);
    expect(await loadFolder(folder)).toMatchObject({ kind: 'script', script: { rootTable: 'acme' } });
  });

  it('may contain several scripts if the request names one', async () => {
    const scene = await fetchScene();
    const entries = ['one', 'two'].flatMap((name) =>
      someScript.map((entry) => ({ ...entry, name: `all/${name}/${entry.name}` })),
    );
    const source = await scene.archive(zipOf(entries));
    expect((await scene.refused(source)).text.en).toBe('The source contains 2 scripts: "one", "two"');
    expect((await scene.fetch({ ...source, path: 'two' })).folder.endsWith('/all/two')).toBe(true);
    expect((await scene.fetch({ ...source, path: 'all/one' })).folder.endsWith('/all/one')).toBe(true);
    expect(await scene.refused({ ...source, path: 'three' })).toMatchObject({ code: 'package-not-a-script' });
  });

  it('can be cancelled in the middle of a zip', async () => {
    const scene = await fetchScene();
    const large = Array.from({ length: 6 }, (_, index) => ({
      name: `large-${index}`,
      content: randomBytes(4_000_000),
      method: index % 2 === 0 ? 8 : 0,
    }));
    const source = await scene.archive(zipOf([...large, ...someScript]));
    for (let round = 0; round < 5; round++) {
      const abort = new AbortController();
      const onProgress = ({ bytesDone }: { bytesDone: number }) => {
        if (bytesDone > 0) abort.abort();
      };
      await expect(scene.fetch(source, { signal: abort.signal, onProgress })).rejects.toThrow(/abort/);
      await scene.clear();
    }
  });

  it('is copied from a folder without generated files', async () => {
    const scene = await fetchScene();
    const location = join(scene.folder, '我的 script');
    for (const path of [
      '.git/hooks',
      '.venv/bin',
      'lib/__pycache__',
      'lib/node_modules/kept',
      'node_modules/is-odd',
      'void',
    ]) {
      await mkdir(join(location, path), { recursive: true });
    }
    for (const [name, text] of [
      ['script.toml', someManifest],
      ['main.sh', 'exit 0'],
      ['package.json', '{"dependencies":{"is-odd":"3"}}'],
      ['node_modules/is-odd/index.js', ''],
      ['lib/node_modules/kept/index.js', ''],
      ['lib/a.py', ''],
      ['lib/a.pyc', ''],
      ['lib/alone.pyc', ''],
      ['.DS_Store', ''],
      ['.venv/bin/python', ''],
    ] as const) {
      await writeFile(join(location, name), text, { mode: name === 'main.sh' ? 0o755 : 0o644 });
    }
    const { folder, notes } = await scene.fetch({ kind: 'folder', location, ref: null, path: null });
    expect(await treeOf(folder)).toEqual([
      'lib 40700 0',
      'lib/a.py 100600 0',
      'lib/alone.pyc 100600 0',
      'lib/node_modules 40700 0',
      'lib/node_modules/kept 40700 0',
      'lib/node_modules/kept/index.js 100600 0',
      'main.sh 100700 6',
      'package.json 100600 31',
      `script.toml 100600 ${someManifest.length}`,
      'void 40700 0',
    ]);
    expect(notes[0]?.en).toContain('".DS_Store", ".git", ".venv", "lib/__pycache__", "lib/a.pyc" and 1 more');
  });

  it('does not contain itself when it is fetched into the copied folder', async () => {
    const scene = await fetchScene();
    for (const { name, content } of someScript) await writeFile(join(scene.folder, name), content);
    const { folder } = await scene.fetch({ kind: 'folder', location: scene.folder, ref: null, path: null });
    expect((await treeOf(folder)).map((line) => line.split(' ')[0])).toEqual([
      'main.sh',
      'script.toml',
      'staging',
      'staging/inner',
      'staging/precious',
    ]);
    expect((await lstat(join(folder, 'staging'))).isDirectory()).toBe(true);
  });
});
