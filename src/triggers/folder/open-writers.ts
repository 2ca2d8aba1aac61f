import { readlinkSync } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { setImmediate as otherWork } from 'node:timers/promises';

import type { FoundFile } from './found-file.ts';

/** Links read without a pause for other work. */
const linksAtOnce = 256;

/** A process that has a file open for writing. */
export interface OpenWriter {
  readonly pid: string;
  readonly descriptor: string;
}

/** Finds the files that a process has open for writing. */
export interface WriterProbe {
  /** By path. Files without a writer are absent. */
  find(files: readonly FoundFile[]): Promise<ReadonlyMap<string, OpenWriter>>;
  /** Whether a process that `find` returned still has the file open for writing. */
  isOpen(file: FoundFile, writer: OpenWriter): Promise<boolean>;
}

/**
 * Reads the open files of all processes from /proc. The processes of other users cannot be read, and other systems have no /proc:
 * there a file counts as complete when it stays unchanged.
 */
export const writerProbe: WriterProbe = {
  async find(files) {
    const found = new Map<string, OpenWriter>();
    if (process.platform !== 'linux' || files.length === 0) return found;
    const wanted = new Map<string, FoundFile[]>();
    for (const file of files) {
      const name = basename(file.path);
      wanted.set(name, [...(wanted.get(name) ?? []), file]);
    }
    const names = await readdir('/proc').catch(() => []);
    for (const pid of names.filter((name) => /^\d+$/.test(name))) {
      const descriptors = await readdir(`/proc/${pid}/fd`).catch(() => []);
      for (const [index, descriptor] of descriptors.entries()) {
        if (index % linksAtOnce === linksAtOnce - 1) await otherWork();
        // The link has the current name of the file, also after it was renamed.
        for (const file of wanted.get(basename(linkOf(pid, descriptor))) ?? [])
          if (!found.has(file.path) && (await isWriter(file, { pid, descriptor })))
            found.set(file.path, { pid, descriptor });
      }
    }
    return found;
  },
  isOpen: isWriter,
};

/** Synchronous: such a link is read from memory, in less time than a request to a thread takes. */
function linkOf(pid: string, descriptor: string): string {
  try {
    return readlinkSync(`/proc/${pid}/fd/${descriptor}`);
  } catch {
    return '';
  }
}

/** Compares the file itself: its path looks different in another mount namespace. */
async function isWriter({ device, inode }: FoundFile, { pid, descriptor }: OpenWriter): Promise<boolean> {
  try {
    const stats = await stat(`/proc/${pid}/fd/${descriptor}`, { bigint: true });
    if (String(stats.dev) !== device || String(stats.ino) !== inode) return false;
    const info = await readFile(`/proc/${pid}/fdinfo/${descriptor}`, 'latin1');
    const flags = Number.parseInt(/^flags:\s*([0-7]+)$/m.exec(info)?.[1] ?? '0', 8);
    // The two lowest bits: 0 reads, 1 writes, 2 does both.
    return (flags & 3) !== 0;
  } catch {
    return false;
  }
}
