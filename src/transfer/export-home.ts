import { randomBytes } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';

import { type Headers, type Pack, pack } from 'tar-stream';

import { parameterDraftName, parameterFileName, secretsFileName } from '../execution/parameter-files.ts';
import { EntryNames, foldName } from '../packages/fetch/entry-names.ts';
import { listInstalled } from '../packages/operations/list-installed.ts';
import { readContent, scanFolder } from '../packages/pack/scan-folder.ts';
import { PackageStore } from '../packages/store/package-store.ts';
import { Catalogue } from '../scripts/catalogue.ts';
import { settingsFile } from '../settings/home.ts';
import { loadSettings } from '../settings/load-settings.ts';
import { portableSettings } from '../settings/portable-settings.ts';
import { assertNever } from '../shared/assert-never.ts';
import { AppError, errnoOf, isExhaustion } from '../shared/errors.ts';
import { syncFolder } from '../shared/sync-folder.ts';
import type { Text } from '../shared/text.ts';
import { readVersion } from '../shared/version.ts';
import { openEndedRuns } from '../storage/run-transfer.ts';
import {
  exportLimits,
  format,
  type Manifest,
  manifestName,
  type Skipped,
  triggersName,
} from './export-format.ts';
import { type FindSecretParams, portableTriggers } from './triggers.ts';

export interface ExportProgress {
  readonly runsDone: number;
  readonly runs: number;
  readonly bytesDone: number;
}

interface ExportOptions {
  readonly home: string;
  /** A file at this path is replaced. */
  readonly target: string;
  readonly signal: AbortSignal;
  readonly onProgress: (progress: ExportProgress) => void;
}

export interface Exported {
  readonly file: string;
  readonly bytes: number;
  readonly manifest: Manifest;
  readonly skipped: readonly Skipped[];
  /** Environments, caches and version control folders. */
  readonly leftOut: readonly string[];
}

const betweenReportsMs = 100;
/** Hob removes them when a run, or the series of its attempts, has ended. */
const secretFiles = [parameterFileName, parameterDraftName, secretsFileName];

/** Writes the scripts of the user, the settings and the ended runs of a home to an archive. The service may be running. */
export async function exportHome({ home, target, signal, onProgress }: ExportOptions): Promise<Exported> {
  const file = resolve(target);
  const { scripts: otherRoots } = await loadSettings({ home });
  const runs = openEndedRuns(join(home, 'hob.db'));
  const draft = `${file}.${randomBytes(4).toString('hex')}.part`;
  let runsDone = 0;
  let reportedAt = Number.NEGATIVE_INFINITY;
  const archive = new ArchiveWriter(draft, signal, (bytesDone) => {
    if (performance.now() - reportedAt < betweenReportsMs) return;
    reportedAt = performance.now();
    onProgress({ runsDone, runs: runs.count, bytesDone });
  });
  const collector = new Collector(archive, [draft, file], signal);
  try {
    const found = await findScripts(home, otherRoots);
    const packages = await installedPackages(home);
    const manifest: Manifest = {
      format,
      hob: readVersion(),
      exported_at: new Date().toISOString(),
      counts: { scripts: found.scripts, packages: packages.length, runs: runs.count },
      packages,
      slugs: runs.slugs.map(({ slug, scriptId, isCurrent, isOwn, declared }) => ({
        slug,
        script_id: scriptId,
        current: isCurrent,
        own: isOwn,
        declared,
      })),
      agents: runs.agentChoices.map(({ scriptId, isOffered, isAsked }) => ({
        script_id: scriptId,
        ...(isOffered === false && { offered: false }),
        ...(isAsked === true && { asks: true }),
      })),
    };
    await archive.addText(manifestName, `${JSON.stringify(manifest, null, 2)}\n`);
    await addSettings(home, archive, collector);
    const triggers = await portableTriggers(
      home,
      secretParamsIn(found.catalogue, runs.slugs),
      collector.skipped,
    );
    if (triggers !== null) await archive.addText(triggersName, triggers);
    await collector.addTree(join(home, 'scripts'), 'scripts', { followsLinks: true });
    for (const { folder, name } of found.others) await collector.addTree(folder, `scripts/${name}`);
    for (const row of runs.rows()) {
      signal.throwIfAborted();
      const name = `runs/${row.run_id}`;
      await archive.addText(`${name}.json`, JSON.stringify(row));
      await collector.addTree(join(home, name), name, { leavesOut: secretFiles });
      runsDone++;
    }
    await archive.finish();
    const { size } = await stat(draft);
    await rename(draft, file);
    await syncFolder(dirname(file));
    return { file, bytes: size, manifest, skipped: collector.skipped, leftOut: collector.leftOut };
  } catch (error) {
    await archive.abandon();
    await rm(draft, { force: true });
    throw error;
  } finally {
    runs.close();
  }
}

/** Adds folders to the archive, and notes what it cannot contain. */
class Collector {
  readonly skipped: Skipped[] = [];
  readonly leftOut: string[] = [];
  readonly #archive: ArchiveWriter;
  readonly #skip: readonly string[];
  readonly #signal: AbortSignal;
  /** The import refuses a name that another system could read differently, so such a file is not exported. */
  readonly #names = new EntryNames(exportLimits);

  constructor(archive: ArchiveWriter, skip: readonly string[], signal: AbortSignal) {
    this.#archive = archive;
    this.#skip = skip;
    this.#signal = signal;
  }

  /** `followsLinks`: whether links directly in the folder to other folders are followed, as for scripts. */
  async addTree(
    folder: string,
    prefix: string,
    { followsLinks = false, leavesOut = [] }: { followsLinks?: boolean; leavesOut?: readonly string[] } = {},
  ): Promise<void> {
    for await (const entry of scanFolder(folder, { skip: this.#skip, signal: this.#signal })) {
      const name = `${prefix}/${entry.path}`;
      if (leavesOut.includes(entry.path)) continue;
      switch (entry.kind) {
        case 'left-out':
          this.leftOut.push(name);
          break;
        case 'folder':
          if (entry.isEmpty && this.#claim(name, 'folder')) this.#archive.addFolder(name);
          break;
        case 'file': {
          const { sizeBytes, isExecutable } = entry;
          if (!this.#claim(name, 'file')) break;
          const file = { name, sizeBytes, isExecutable };
          this.#skipUnreadable(name, await this.#archive.addFile(join(folder, entry.path), file));
          break;
        }
        case 'link':
          if (followsLinks && !entry.path.includes('/') && (await isFolder(join(folder, entry.path))))
            await this.addTree(join(folder, entry.path), name);
          else this.skip(name, { en: 'is a symbolic link', zh: '是符号链接' });
          break;
        case 'special':
          this.skip(name, { en: 'is not a regular file', zh: '不是普通文件' });
          break;
        case 'unreadable':
          this.#skipUnreadable(name, entry.errno);
          break;
        default:
          assertNever(entry);
      }
    }
  }

  skip(what: string, why: Text): void {
    this.skipped.push({ what, why });
  }

  #skipUnreadable(name: string, errno: string | null): void {
    // The home has no scripts, the run has no files, or the history has just removed it.
    if (errno === null || errno === 'ENOENT') return;
    this.skip(name, { en: `cannot be read (${errno})`, zh: `无法读取（${errno}）` });
  }

  #claim(name: string, kind: 'file' | 'folder'): boolean {
    try {
      this.#names.claim(name, kind);
      return true;
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      this.skip(name, error.text);
      return false;
    }
  }
}

interface FoundScripts {
  readonly catalogue: Catalogue;
  readonly scripts: number;
  /** Folders with scripts outside the home, with a free name in `scripts/`. */
  readonly others: readonly { readonly folder: string; readonly name: string }[];
}

async function findScripts(home: string, otherRoots: readonly string[]): Promise<FoundScripts> {
  const own = join(home, 'scripts');
  const packages = join(home, 'packages');
  const catalogue = new Catalogue([own, ...otherRoots], { packages });
  await catalogue.load();
  const scripts = catalogue.scripts().filter(({ folder }) => !isIn(packages, folder));
  const paths = [
    ...scripts.map(({ folder }) => folder),
    // A script with an error is still the user's.
    ...(await catalogue.problems()).map(({ file }) => file),
  ].filter((path) => !isIn(own, path) && !isIn(packages, path));
  const taken = new Set((await readdir(own).catch(() => [])).map(foldName));
  const others = new Map<string, string>();
  for (const path of paths) {
    const root = otherRoots.find((each) => isIn(each, path));
    const [top = ''] = root === undefined ? [] : relative(root, path).split(sep);
    const folder = join(root ?? '', top);
    if (top === '' || others.has(folder) || !(await isFolder(folder))) continue;
    let name = top;
    for (let number = 2; taken.has(foldName(name)); number++) name = `${top}-${number}`;
    taken.add(foldName(name));
    others.set(folder, name);
  }
  return {
    catalogue,
    scripts: scripts.length,
    others: [...others].map(([folder, name]) => ({ folder, name })),
  };
}

async function installedPackages(home: string): Promise<Manifest['packages']> {
  const installed = await listInstalled(new PackageStore(join(home, 'packages')), { find: () => null });
  return installed.flatMap(({ scriptId, name, version, source }) =>
    source === null ? [] : [{ script_id: scriptId, name, version, source }],
  );
}

async function addSettings(home: string, archive: ArchiveWriter, collector: Collector): Promise<void> {
  const content = await readFile(settingsFile(home), 'utf8').catch((error: unknown) => {
    if (errnoOf(error) === 'ENOENT') return null;
    throw error;
  });
  if (content === null) return;
  const { text, leftOut } = portableSettings(content);
  await archive.addText('settings.toml', text);
  for (const { name, reason } of leftOut) collector.skip(`settings.toml: ${name}`, reason);
}

/** Entries of triggers.toml name a script by its id or by a slug. */
function secretParamsIn(
  catalogue: Catalogue,
  slugs: readonly { readonly slug: string; readonly scriptId: string }[],
): FindSecretParams {
  const ids = new Map(slugs.map(({ slug, scriptId }) => [slug, scriptId]));
  return (script) => {
    const name = typeof script === 'string' ? script.toLowerCase() : '';
    const found = catalogue.find(ids.get(name) ?? name);
    return found && new Set(found.params.filter(({ secret }) => secret).map((param) => param.name));
  };
}

function isIn(folder: string, path: string): boolean {
  return path.startsWith(folder + sep);
}

async function isFolder(path: string): Promise<boolean> {
  return (await stat(path).catch(() => null))?.isDirectory() === true;
}

/** Writes a new private tar.gz file. After an error nothing more can be added. */
class ArchiveWriter {
  readonly #archive: Pack = pack();
  readonly #written: Promise<void>;
  readonly #onProgress: (bytesDone: number) => void;
  #bytes = 0;

  /** `onProgress` receives the size of all files so far, uncompressed. */
  constructor(file: string, signal: AbortSignal, onProgress: (bytesDone: number) => void) {
    this.#onProgress = onProgress;
    const output = createWriteStream(file, { flags: 'wx', mode: 0o600, flush: true });
    this.#written = pipeline(this.#archive, createGzip(), output, { signal });
    // Awaited by the caller that fails, or by `finish`.
    this.#written.catch(() => {});
  }

  async addText(name: string, text: string): Promise<void> {
    const content = Buffer.from(text);
    await this.#add({ name, sizeBytes: content.length, isExecutable: false }, content);
  }

  addFolder(name: string): void {
    this.#archive.entry({ name: `${name}/`, mode: 0o700, type: 'directory' });
  }

  /** Returns the error code if the file cannot be opened, else null. A file that grows meanwhile is cut to its announced size. */
  async addFile(
    file: string,
    entry: { name: string; sizeBytes: number; isExecutable: boolean },
  ): Promise<string | null> {
    const content = cut(file, entry.sizeBytes);
    try {
      // Opens the file before the header is written.
      const first = await content.next().catch((error: unknown) => {
        const errno = errnoOf(error);
        if (errno === undefined || isExhaustion(errno)) throw error;
        return errno;
      });
      if (typeof first === 'string') return first;
      const start = first.done === true ? Buffer.alloc(0) : first.value;
      const all = async function* () {
        yield start;
        yield* content;
      };
      await this.#add(entry, start.length === entry.sizeBytes ? start : all());
      return null;
    } finally {
      // Closes the file.
      await content.return(undefined);
    }
  }

  async finish(): Promise<void> {
    this.#archive.finalize();
    await this.#written;
  }

  /** Waits until the file is closed. */
  async abandon(): Promise<void> {
    this.#archive.destroy(new Error('abandoned'));
    await this.#written.catch(() => {});
  }

  async #add(
    { name, sizeBytes, isExecutable }: { name: string; sizeBytes: number; isExecutable: boolean },
    content: Buffer | AsyncIterable<Buffer>,
  ): Promise<void> {
    const header = { name, size: sizeBytes, mode: isExecutable ? 0o700 : 0o600, type: 'file' } as const;
    try {
      // Most files are small, and a stream of its own takes longer than all the rest.
      if (content instanceof Buffer) await this.#addBuffer(header, content);
      else await pipeline(Readable.from(content), this.#archive.entry(header));
    } catch (error) {
      // The cause is the first error, which may be that of the target, such as a full disk.
      this.#archive.destroy(error instanceof Error ? error : new Error(String(error)));
      await this.#written;
      throw error;
    }
    this.#bytes += sizeBytes;
    this.#onProgress(this.#bytes);
  }

  #addBuffer(header: Headers, content: Buffer): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#archive.entry(header, content, (error) => (error ? reject(error) : resolve()));
    });
  }
}

/** The size precedes the content, so exactly this many bytes must follow. */
async function* cut(file: string, sizeBytes: number): AsyncGenerator<Buffer> {
  let left = sizeBytes;
  for await (const chunk of readContent(file)) {
    const part = chunk.subarray(0, left);
    left -= part.length;
    if (part.length > 0) yield part;
    if (left === 0) return;
  }
  if (left > 0)
    throw new AppError('package-unreadable', {
      en: `${file} became shorter while Hob read it`,
      zh: `读取时 ${file} 变短了`,
      hint: { en: 'Try again when no program writes to it.', zh: '请在没有程序写入时重试。' },
    });
}
