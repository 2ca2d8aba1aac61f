import { join } from 'node:path';

import { type AppError, errnoOf } from '../../shared/errors.ts';
import { readContent, scanFolder, type UnpackableEntry } from '../pack/scan-folder.ts';
import { showName, unreadable, unsafe, withoutLinks } from './package-errors.ts';
import type { PackageWriter } from './package-writer.ts';

/** Copies a folder like the packer, and returns the omitted entries. `skip` is the target, which may be inside the folder. */
export async function copyFolder(
  folder: string,
  writer: PackageWriter,
  options: { skip: readonly string[]; signal: AbortSignal },
): Promise<string[]> {
  const leftOut: string[] = [];
  for await (const entry of scanFolder(folder, options)) {
    const { kind, path } = entry;
    if (kind === 'left-out') {
      leftOut.push(path);
      continue;
    }
    if (kind !== 'file' && kind !== 'folder') throw cannotPack(entry);
    const claimed = writer.claim(path, kind);
    if (claimed === null) continue;
    if (kind === 'folder') await writer.makeFolder(claimed);
    else {
      writer.announce(entry.sizeBytes, path);
      await writer.writeFile(claimed, entry.isExecutable, readable(join(folder, path), path));
    }
  }
  return leftOut;
}

/** Adds the file name to read errors; write errors are separate. */
async function* readable(file: string, path: string): AsyncGenerator<Buffer> {
  try {
    yield* readContent(file);
  } catch (error) {
    const errno = errnoOf(error);
    throw errno === 'EACCES' || errno === 'EPERM' || errno === 'ENOENT' || errno === 'ELOOP'
      ? cannotPack({ kind: 'unreadable', path, errno })
      : error;
  }
}

export function cannotPack(entry: UnpackableEntry): AppError {
  const name = showName(entry.path);
  switch (entry.kind) {
    case 'link':
      return unsafe({ en: `${name} is a symbolic link`, zh: `${name} 是符号链接` }, withoutLinks);
    case 'special':
      return unsafe(
        {
          en: `${name} is not a regular file but a device, a pipe or a socket`,
          zh: `${name} 是设备、管道或套接字，不是普通文件`,
        },
        { en: 'Remove it from the folder.', zh: '请将其从文件夹中删除。' },
      );
    case 'unreadable':
      return unreadable(
        { en: `${name} cannot be read (${entry.errno})`, zh: `无法读取 ${name}（${entry.errno}）` },
        {
          en: 'Give yourself permission to read it, or remove it.',
          zh: '请授予读取权限，或将其删除。',
        },
      );
  }
}
