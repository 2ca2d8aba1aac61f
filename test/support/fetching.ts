import { lstat, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';

import pino from 'pino';
import { expect, onTestFinished } from 'vitest';
import { fetchPackage } from '../../src/packages/fetch/fetch-package.ts';
import type {
  FetchedPackage,
  FetchLimits,
  FetchProgress,
  PackageSource,
} from '../../src/packages/package-source.ts';
import { AppError } from '../../src/shared/errors.ts';
import { until } from './until.ts';

export interface Scene {
  /** The folder with all files of the test. */
  readonly folder: string;
  /** Writes an archive into the folder and returns its source. */
  archive(bytes: Buffer, name?: string): Promise<PackageSource>;
  fetch(source: PackageSource, options?: Partial<FetchAsked>): Promise<FetchedPackage>;
  /** Returns the error of the refusal, after checking that nothing was written outside the allowed folder. */
  refused(source: PackageSource, options?: Partial<FetchAsked>): Promise<AppError>;
  /** The progress reports of the last fetch. */
  readonly progress: FetchProgress[];
  /** The size of the fetched files. */
  fetchedBytes(): Promise<number>;
  /** Removes the fetched files, as the real caller does. */
  clear(): Promise<void>;
}

interface FetchAsked {
  /** The test's own folder to fetch into. */
  into: string;
  limits: FetchLimits;
  signal: AbortSignal;
  onProgress: (progress: FetchProgress) => void;
  env: NodeJS.ProcessEnv;
}

/** A folder to fetch into, next to files that must not change. */
export async function fetchScene(): Promise<Scene> {
  const folder = await mkdtemp(join(tmpdir(), 'hob-fetch-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const staging = join(folder, 'staging', 'inner');
  await mkdir(staging, { recursive: true });
  await writeFile(join(folder, 'staging', 'precious'), 'as it was');
  const progress: FetchProgress[] = [];
  let count = 0;
  let into = '';
  const fetch: Scene['fetch'] = async (source, options = {}) => {
    into = options.into ?? join(staging, `fetch-${count++}`);
    if (options.into === undefined) await mkdir(into, { mode: 0o700 });
    progress.length = 0;
    const before = await treeOf(folder, into);
    const handles = await openHandles();
    try {
      return await fetchPackage(source, {
        into,
        env: process.env,
        signal: new AbortController().signal,
        onProgress: (each) => progress.push(each),
        log: pino({ level: 'silent' }),
        ...options,
      });
    } finally {
      expect(await treeOf(folder, into)).toEqual(before);
      // The last file is closed in the background.
      await until('all files are closed', async () => (await openHandles()) <= handles, 10_000);
    }
  };
  return {
    folder,
    progress,
    fetch,
    async archive(bytes, name = 'package.zip') {
      const location = join(folder, name);
      await writeFile(location, bytes);
      return { kind: 'archive', location, ref: null, path: null };
    },
    async refused(source, options) {
      const error = await fetch(source, options).then(
        () => null,
        (reason: unknown) => reason,
      );
      if (!(error instanceof AppError)) throw new Error(`not refused: ${String(error)}`, { cause: error });
      expect(error.text.zh).not.toBe('');
      expect(error.hint?.en ?? error.retryAfterS).toBeTruthy();
      // No control characters, and none that change the reading direction.
      expect(error.text.en).not.toMatch(/[\p{Cc}\u202a-\u202e]/u);
      return error;
    },
    async clear() {
      await rm(into, { recursive: true });
    },
    async fetchedBytes() {
      const tree = await treeOf(into);
      return tree.reduce((total, line) => total + Number(line.split(' ').at(-1)), 0);
    },
  };
}

/** Every file and folder below this one, with its type, mode and size. */
export async function treeOf(folder: string, without?: string): Promise<string[]> {
  const lines: string[] = [];
  const entries = await readdir(folder, { withFileTypes: true, recursive: true });
  for (const entry of entries) {
    const path = join(entry.parentPath, entry.name);
    if (without !== undefined && (path === without || path.startsWith(`${without}/`))) continue;
    const { mode, size } = await lstat(path);
    lines.push(`${relative(folder, path)} ${mode.toString(8)} ${entry.isDirectory() ? 0 : size}`);
  }
  return lines.toSorted();
}

/** The number of files that this process has open; zero where the system does not say. */
async function openHandles(): Promise<number> {
  const names = await readdir('/proc/self/fd').catch(() => []);
  return names.length;
}

export async function textAt(...path: string[]): Promise<string> {
  return readFile(join(...path), 'utf8');
}
