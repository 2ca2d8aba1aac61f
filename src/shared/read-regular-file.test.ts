import { execFileSync } from 'node:child_process';
import { chown, link, mkdir, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';

import { describe, expect, it, onTestFinished } from 'vitest';

import { tempFolder } from '../../test/support/hob.ts';
import { readRegularFile } from './read-regular-file.ts';

const options = { maxBytes: 100 };
const own = { maxBytes: 100, ownOnly: true };

async function file(content: string | Buffer): Promise<string> {
  const path = join(await tempFolder(), 'file');
  await writeFile(path, content);
  return path;
}

describe.each([
  ['a file of another program', options],
  ['a file that a script may have planted', own],
])('%s', (_name, how) => {
  it('is read to its last byte', async () => {
    for (const size of [0, 1, 99, 100]) {
      const content = Buffer.alloc(size, 'x');
      expect(await readRegularFile(await file(content), how)).toEqual({ kind: 'content', bytes: content });
    }
  });

  it('is refused when it is larger than allowed', async () => {
    expect(await readRegularFile(await file('x'.repeat(101)), how)).toEqual({
      kind: 'too-large',
      sizeBytes: 101,
    });
  });

  it('is reported as missing if it does not exist', async () => {
    const folder = await tempFolder();
    expect(await readRegularFile(join(folder, 'none'), how)).toEqual({ kind: 'missing' });
    expect(await readRegularFile(join(folder, 'none', 'further'), how)).toEqual({ kind: 'missing' });
    await writeFile(join(folder, 'file'), '');
    expect(await readRegularFile(join(folder, 'file', 'further'), how)).toEqual({ kind: 'missing' });
  });

  it('is refused when it is a folder', async () => {
    expect(await readRegularFile(await tempFolder(), how)).toEqual({ kind: 'not-regular', what: 'folder' });
  });

  it('is refused when it is a FIFO, without waiting for a writer', async () => {
    const path = join(await tempFolder(), 'fifo');
    execFileSync('mkfifo', [path]);
    expect(await readRegularFile(path, how)).toEqual({ kind: 'not-regular', what: 'special file' });
  });

  it('is refused when it is a socket', async () => {
    const path = join(await tempFolder(), 'socket');
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(path, resolve));
    onTestFinished(() => {
      server.close();
    });
    expect(await readRegularFile(path, how)).toEqual({ kind: 'not-regular', what: 'special file' });
  });

  it('is refused when it is a device', async () => {
    expect(await readRegularFile('/dev/zero', how)).toEqual({ kind: 'not-regular', what: 'special file' });
    expect(await readRegularFile('/dev/null', how)).toEqual({ kind: 'not-regular', what: 'special file' });
  });

  it('is refused when links form a circle', async () => {
    const folder = await tempFolder();
    await symlink('b', join(folder, 'a'));
    await symlink('a', join(folder, 'b'));
    expect(await readRegularFile(join(folder, 'a'), how)).toEqual({ kind: 'not-regular', what: 'link' });
  });

  it('is refused when its name is invalid', async () => {
    expect(await readRegularFile('/tmp/a\0b', how)).toMatchObject({ kind: 'unreadable' });
    expect(await readRegularFile(`/tmp/${'x'.repeat(5000)}`, how)).toEqual({
      kind: 'unreadable',
      errno: 'ENAMETOOLONG',
    });
  });

  it('is read completely even if its size is not reported', async () => {
    // Files in /proc report the size 0 but have content.
    expect(await readRegularFile('/proc/self/comm', { ...how, maxBytes: 10_000 })).toMatchObject({
      kind: 'content',
      bytes: expect.objectContaining({ length: expect.toSatisfy((length: number) => length > 1) }),
    });
  });
});

describe('a symbolic link', () => {
  it('is followed for a file of another program, and refused where a script may have planted it', async () => {
    const target = await file('content');
    const path = `${target}-link`;
    await symlink(target, path);
    expect(await readRegularFile(path, options)).toEqual({ kind: 'content', bytes: Buffer.from('content') });
    expect(await readRegularFile(path, own)).toEqual({ kind: 'not-regular', what: 'link' });
  });

  it('without a target is a missing file, or a refused link', async () => {
    const path = join(await tempFolder(), 'link');
    await symlink('nowhere', path);
    expect(await readRegularFile(path, options)).toEqual({ kind: 'missing' });
    expect(await readRegularFile(path, own)).toEqual({ kind: 'not-regular', what: 'link' });
  });

  it('in the middle of the path is allowed', async () => {
    const folder = await tempFolder();
    await mkdir(join(folder, 'real'));
    await writeFile(join(folder, 'real', 'file'), 'x');
    await symlink('real', join(folder, 'link'));
    expect(await readRegularFile(join(folder, 'link', 'file'), own)).toMatchObject({ kind: 'content' });
  });
});

describe('a file that a script may have planted', () => {
  it('is refused when it has a second hard link', async () => {
    const path = await file('x');
    await link(path, `${path}-too`);
    expect(await readRegularFile(path, own)).toEqual({ kind: 'linked' });
    expect(await readRegularFile(path, options)).toMatchObject({ kind: 'content' });
  });

  it('is refused when it belongs to another user', async () => {
    const path = await foreignFile();
    expect(await readRegularFile(path, { maxBytes: 1_000_000, ownOnly: true })).toEqual({ kind: 'foreign' });
    expect(await readRegularFile(path, { maxBytes: 1_000_000 })).toMatchObject({ kind: 'content' });
  });
});

async function foreignFile(): Promise<string> {
  if (process.getuid?.() !== 0) return '/etc/passwd';
  const path = await file('x');
  await chown(path, 12_345, 12_345);
  return path;
}
