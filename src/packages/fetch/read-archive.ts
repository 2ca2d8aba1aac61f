import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';

import { damaged, unreadable } from './package-errors.ts';
import type { PackageWriter } from './package-writer.ts';
import { readTar } from './read-tar.ts';
import { readZip } from './read-zip.ts';

type Format = 'zip' | 'tar' | 'tar.gz';

const tarMagicAt = 257;

/** Unpacks an archive. The first bytes decide about the format, because names can be wrong. */
export async function readArchive(file: string, writer: PackageWriter, signal: AbortSignal): Promise<void> {
  const handle = await open(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const format = await formatOf(handle, file);
    if (format === 'zip') {
      try {
        return await readZip(handle, writer, signal);
      } catch (error) {
        throw damaged(error, null);
      }
    }
    const source = handle.createReadStream({ start: 0, autoClose: false, highWaterMark: 256 * 1024 });
    await readTar(source, writer, { isCompressed: format === 'tar.gz', signal });
  } finally {
    await handle.close();
  }
}

async function formatOf(handle: FileHandle, file: string): Promise<Format> {
  if (!(await handle.stat()).isFile()) throw notAnArchive(file);
  const start = Buffer.alloc(tarMagicAt + 5);
  const { bytesRead } = await handle.read(start, 0, start.length, 0);
  // An empty zip consists of its end record only.
  if (bytesRead >= 4 && ['PK\x03\x04', 'PK\x05\x06'].includes(start.toString('latin1', 0, 4))) return 'zip';
  if (bytesRead >= 2 && start[0] === 0x1f && start[1] === 0x8b) return 'tar.gz';
  if (bytesRead === start.length && start.toString('latin1', tarMagicAt) === 'ustar') return 'tar';
  throw notAnArchive(file);
}

function notAnArchive(file: string) {
  return unreadable(
    { en: `${file} is not a zip, tar or tar.gz archive`, zh: `${file} 不是 zip、tar 或 tar.gz 压缩包` },
    {
      hint: {
        en: 'Specify a folder, one of these archives, or the address of a git repository.',
        zh: '请指定文件夹、上述格式的压缩包或 git 仓库地址。',
      },
    },
  );
}
