import { createHash } from 'node:crypto';
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  rmdirSync,
  rmSync,
  statfsSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';

import { errnoOf } from '../shared/errors.ts';
import { homeLinkIn, linkedHome } from '../shared/home-link.ts';
import type { Logger } from '../shared/log.ts';
import { forOthers } from '../shared/private-files.ts';

/** Where systems with Linux keep a file system in memory that every user may use. */
const memoryFileSystem = '/dev/shm';
/** What `statfs` says of a file system that is in memory: tmpfs, ramfs. */
const memoryTypes = [0x0102_1994, 0x8584_58f6];

/** Memory is dear, and there may be little of it here: a container has 64 MB. */
const mostBytes = 64 * 1024;

const runIdName = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/;
const parameterFileName = 'params.json';

/**
 * A private folder in memory for files that are written, read once and removed with their run. They cost a fraction of what they
 * would on a disk, and what is secret in them is not written there. Nothing that has to survive a power cut belongs here.
 *
 * Its name follows from the home alone, so that the next service finds what this one leaves behind.
 */
export class MemoryFolder {
  readonly path: string;
  readonly #home: string;
  readonly #takesFiles: boolean;

  private constructor(home: string, takesFiles: boolean) {
    this.path = memoryFolderOf(home);
    this.#home = home;
    this.#takesFiles = takesFiles;
  }

  /**
   * Null where there is no such thing, or somebody else has its name: then files lie on the disk. One that is to take no files is
   * there only if it has some of an earlier service.
   */
  static open(home: string, { takesFiles, log }: { takesFiles: boolean; log: Logger }): MemoryFolder | null {
    try {
      if (process.platform !== 'linux' || !memoryTypes.includes(statfsSync(memoryFileSystem).type))
        return null;
      const folder = new MemoryFolder(home, takesFiles);
      if (takesFiles) folder.#make();
      else if (!folder.#isThere()) return null;
      return folder;
    } catch (error) {
      log.info({ err: error }, 'parameter files lie on the disk: there is no folder for them in memory');
      return null;
    }
  }

  /** Where the file of a run lies, if it is here: in a folder of its own, like one on the disk, for a script may put others beside it. */
  fileOf(runId: string): string {
    return join(this.path, runId, parameterFileName);
  }

  /** Writes the file of a run. Returns whether it could. */
  write(runId: string, content: string): boolean {
    if (!this.#takesFiles) return false;
    // In UTF-8 a character takes three bytes at most.
    if (content.length * 3 > mostBytes && Buffer.byteLength(content) > mostBytes) return false;
    try {
      this.#write(runId, content);
      return true;
    } catch (error) {
      if (errnoOf(error) !== 'ENOENT') return this.#takeBack(runId);
    }
    // There are systems that clear this place when their user logs out, and the service may stay.
    try {
      this.#make();
      this.#write(runId, content);
      return true;
    } catch {
      return this.#takeBack(runId);
    }
  }

  /** Removes the files of runs that are over. What scripts have put beside them is not ours. */
  sweep(isUnderWay: (runId: string) => boolean): void {
    for (const runId of this.#entries()) {
      if (!runIdName.test(runId) || isUnderWay(runId)) continue;
      rmSync(this.fileOf(runId), { recursive: true, force: true });
      try {
        rmdirSync(join(this.path, runId));
      } catch {
        // There is something else in it.
      }
    }
  }

  /** Leaves nothing behind, unless there are runs that go on. */
  close(): void {
    const link = homeLinkIn(this.path);
    if (this.#entries().some((name) => name !== basename(link))) return;
    try {
      rmSync(link, { force: true });
      rmdirSync(this.path);
    } catch (error) {
      if (errnoOf(error) !== 'ENOENT') throw error;
    }
  }

  #entries(): string[] {
    try {
      return readdirSync(this.path);
    } catch (error) {
      if (errnoOf(error) === 'ENOENT') return [];
      throw error;
    }
  }

  #write(runId: string, content: string): void {
    mkdirSync(join(this.path, runId), { mode: 0o700 });
    writeFileSync(this.fileOf(runId), content, { flag: 'wx', mode: 0o600 });
  }

  #takeBack(runId: string): false {
    rmSync(join(this.path, runId), { recursive: true, force: true });
    return false;
  }

  /** Whether there is one, for ourselves alone. */
  #isThere(): boolean {
    const found = lstatSync(this.path, { throwIfNoEntry: false });
    if (!found?.isDirectory() || found.uid !== process.getuid?.()) return false;
    if ((found.mode & forOthers) !== 0) chmodSync(this.path, 0o700);
    return true;
  }

  /** Everybody may make something in this place: only a folder of our own that nobody else can look into will do. */
  #make(): void {
    try {
      mkdirSync(this.path, { mode: 0o700 });
    } catch (error) {
      if (errnoOf(error) !== 'EEXIST' || !this.#isThere()) throw error;
    }
    if (linkedHome(this.path) === this.#home) return;
    const link = homeLinkIn(this.path);
    rmSync(link, { force: true });
    symlinkSync(this.#home, link);
  }
}

/** By the folder itself, and not by its path alone, which may stand for different homes in containers that share their memory. */
export function memoryFolderOf(home: string): string {
  const { dev, ino } = statSync(home);
  const hash = createHash('sha256').update(`${dev}:${ino}:${home}`).digest('hex');
  return join(memoryFileSystem, `hob-${process.getuid?.()}-${hash.slice(0, 16)}`);
}
