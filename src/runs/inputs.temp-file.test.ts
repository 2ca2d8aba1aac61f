import { execFileSync } from 'node:child_process';
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { tempFolder } from '../../test/support/hob.ts';
import { AppError } from '../shared/errors.ts';
import { readTempFile } from './inputs.ts';

async function fileWith(content: string | Buffer): Promise<string> {
  const path = join(await tempFolder(), 'arguments');
  await writeFile(path, content);
  return path;
}

async function refusalOf(path: string): Promise<AppError> {
  try {
    await readTempFile(path);
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
  throw new Error('the file was not refused');
}

describe('an argument file', () => {
  it('with a JSON object contains data and params', async () => {
    const path = await fileWith('{"data":{"images":["/a"]},"params":{"q":1},"environment":{}}');
    expect(await readTempFile(path)).toEqual({ data: { images: ['/a'] }, params: { q: 1 } });
    expect(await readTempFile(await fileWith('{"params":{"q":1}}'))).toEqual({
      data: undefined,
      params: { q: 1 },
    });
    expect(await readTempFile(await fileWith(' \n {"data":["/a"]}\n'))).toEqual({
      data: ['/a'],
      params: undefined,
    });
  });

  it('with a JSON array contains the values of the main input', async () => {
    expect(await readTempFile(await fileWith('["/a","/b"]'))).toEqual({
      data: ['/a', '/b'],
      params: undefined,
    });
    expect(await readTempFile(await fileWith('[]'))).toEqual({ data: [], params: undefined });
  });

  it('with plain text contains one value per line', async () => {
    const path = await fileWith('/a b\r\n/图片/猫.png\n\n  \n/c\n');
    expect(await readTempFile(path)).toEqual({ data: ['/a b', '/图片/猫.png', '/c'], params: undefined });
  });

  it('may be empty', async () => {
    expect(await readTempFile(await fileWith(''))).toEqual({ data: [], params: undefined });
  });

  it('may begin with a byte order mark', async () => {
    expect(await readTempFile(await fileWith('\uFEFF{"data":["/a"]}'))).toEqual({
      data: ['/a'],
      params: undefined,
    });
    expect(await readTempFile(await fileWith('\uFEFF/a\n/b'))).toEqual({
      data: ['/a', '/b'],
      params: undefined,
    });
  });

  it('may be written in GBK', async () => {
    const gbk = Buffer.from([0xc4, 0xe3, 0xba, 0xc3]);
    const json = Buffer.concat([Buffer.from('{"data":["'), gbk, Buffer.from('"]}')]);
    expect(await readTempFile(await fileWith(json))).toEqual({ data: ['你好'], params: undefined });
    const lines = Buffer.concat([Buffer.from('/'), gbk, Buffer.from('.png\r\n')]);
    expect(await readTempFile(await fileWith(lines))).toEqual({ data: ['/你好.png'], params: undefined });
  });

  it('is neither changed nor removed', async () => {
    const path = await fileWith('{"data":["/a"]}');
    await readTempFile(path);
    expect(await readFile(path, 'utf8')).toBe('{"data":["/a"]}');
  });

  it('may be 8 MiB large and no larger', async () => {
    const limit = 8 * 1024 * 1024;
    const { data } = await readTempFile(await fileWith(Buffer.alloc(limit, 'x')));
    expect(data).toHaveLength(1);
    const error = await refusalOf(await fileWith(Buffer.alloc(limit + 1, 'x')));
    expect(error.code).toBe('temp-file-invalid');
    expect(error.text.en).toContain(String(limit));
  });
});

describe('an argument file is refused', () => {
  it('when it does not exist, with the specified message', async () => {
    const path = join(await tempFolder(), '没有');
    const error = await refusalOf(path);
    expect(error.code).toBe('temp-file-missing');
    expect(error.text).toEqual({ en: `文件不存在: ${path}`, zh: `文件不存在: ${path}` });
  });

  it.each(['arguments.json', './arguments.json', '../x', '~/x', 'C:\\temp\\x.json'])(
    'when its path is relative: %s',
    async (path) => {
      const error = await refusalOf(path);
      expect(error.code).toBe('temp-file-invalid');
      expect(error.text.en).toContain(path);
    },
  );

  it('when it is a folder, a FIFO or a device', async () => {
    const folder = await tempFolder();
    await mkdir(join(folder, 'folder'));
    execFileSync('mkfifo', [join(folder, 'fifo')]);
    for (const path of [join(folder, 'folder'), join(folder, 'fifo'), '/dev/zero'])
      expect((await refusalOf(path)).code).toBe('temp-file-invalid');
  });

  it('when its path is invalid', async () => {
    for (const path of ['/tmp/a\0b', `/${'x'.repeat(5000)}`])
      expect((await refusalOf(path)).code).toBe('temp-file-invalid');
  });

  it.each(['{', '[1,', '{"data":}', '{"data":[]} trailing', '[section]\nkey = 1', '  {x}'])(
    'when it begins like JSON but is not valid JSON: %j',
    async (content) => {
      const error = await refusalOf(await fileWith(content));
      expect(error.code).toBe('temp-file-invalid');
      expect(error.text.en).toContain('JSON');
    },
  );

  it('when it is nested too deeply or has a dangerous key', async () => {
    const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
    for (const content of [deep, '{"data":{"__proto__":{"x":1}}}', '{"params":{"constructor":1}}'])
      expect((await refusalOf(await fileWith(content))).code).toBe('temp-file-invalid');
  });

  it('when it is a broken link', async () => {
    const path = join(await tempFolder(), 'link');
    await symlink('nowhere', path);
    expect((await refusalOf(path)).code).toBe('temp-file-missing');
  });
});
