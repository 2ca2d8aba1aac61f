import { stat, statfs } from 'node:fs/promises';

import { errnoOf } from '../../shared/errors.ts';
import type { HandedFile } from '../trigger-store.ts';

/** A file as it is on disk now. */
export interface FoundFile {
  readonly path: string;
  readonly device: string;
  readonly inode: string;
  readonly modifiedMs: number;
  readonly bytes: number;
  /** The last change of the file, its name or its attributes. Programs cannot choose it. */
  readonly changedMs: number;
  /** Differs after each change of the file, of its name and of its attributes. */
  readonly version: string;
  /** Whether the inode number is the same after the next mount. */
  readonly hasLastingInode: boolean;
}

export type Look =
  | { readonly kind: 'file'; readonly file: FoundFile }
  | { readonly kind: 'folder'; readonly device: string; readonly inode: string }
  /** A pipe, a socket or a device. */
  | { readonly kind: 'other' }
  | { readonly kind: 'absent' }
  | { readonly kind: 'failed'; readonly errno: string };

/** Linux file systems that store inode numbers, and report the changes of all programs. */
const lastingTypes = new Set([
  0xef53, 0x58465342, 0x9123683e, 0x01021994, 0xf2f52010, 0x2fc12fc1, 0xca451a4e,
]);
/** overlay, FAT, exFAT and NTFS: local, so that all changes are reported, but their inode numbers may change. */
const localTypes = new Set([0x794c7630, 0x4d44, 0x2011bab0, 0x7366746e]);

/** Reads the facts about files. It follows links, so that a link to a file counts as a file. */
export class FileLooks {
  /** The file system of each device. */
  readonly #types = new Map<string, Promise<number>>();

  /** `bytes`: the path itself, if it is not valid UTF-8. */
  async look(path: string, bytes: Buffer | string = path): Promise<Look> {
    try {
      const stats = await stat(bytes, { bigint: true });
      const [device, inode] = [String(stats.dev), String(stats.ino)];
      if (stats.isDirectory()) return { kind: 'folder', device, inode };
      if (!stats.isFile()) return { kind: 'other' };
      const file = {
        path,
        device,
        inode,
        // Microseconds: the whole value would not fit into a number.
        modifiedMs: Number(stats.mtimeNs / 1000n) / 1000,
        bytes: Number(stats.size),
        changedMs: Number(stats.ctimeMs),
        version: [inode, stats.size, stats.mtimeNs, stats.ctimeNs].join(':'),
        hasLastingInode: lastingTypes.has(await this.#typeOf(path, device)),
      };
      return { kind: 'file', file };
    } catch (error) {
      const errno = errnoOf(error) ?? 'unknown';
      return errno === 'ENOENT' || errno === 'ENOTDIR' || errno === 'ELOOP'
        ? { kind: 'absent' }
        : { kind: 'failed', errno };
    }
  }

  /** Whether the system reports every change in this folder: not on a network, where other machines write. */
  async reportsChanges(folder: string, device: string): Promise<boolean> {
    const type = await this.#typeOf(folder, device);
    return lastingTypes.has(type) || localTypes.has(type);
  }

  #typeOf(path: string, device: string): Promise<number> {
    const known = this.#types.get(device);
    if (known !== undefined) return known;
    // Only Linux has these numbers. Elsewhere files are compared without their inodes.
    const type =
      process.platform === 'linux'
        ? statfs(path).then(
            (stats) => Number(stats.type),
            () => {
              this.#types.delete(device);
              return 0;
            },
          )
        : Promise.resolve(0);
    this.#types.set(device, type);
    return type;
  }
}

export function toHanded({ path, device, inode, modifiedMs, bytes, hasLastingInode }: FoundFile): HandedFile {
  return { path, inode: `${device}:${hasLastingInode ? inode : ''}`, modifiedMs, bytes };
}

export function deviceOf({ inode }: HandedFile): string {
  return inode.slice(0, inode.indexOf(':'));
}

/** Whether a file is the one on record, unchanged. */
export function isSame(known: HandedFile, found: FoundFile): boolean {
  return known.bytes === found.bytes && known.modifiedMs === found.modifiedMs && hasInodeOf(known, found);
}

/** Whether a file may be the one on record, perhaps with other content. Devices may have other numbers after a restart. */
function hasInodeOf(known: HandedFile, found: FoundFile): boolean {
  const inode = known.inode.slice(known.inode.indexOf(':') + 1);
  if (inode === '' || !found.hasLastingInode || deviceOf(known) !== found.device) return true;
  return inode === found.inode;
}
