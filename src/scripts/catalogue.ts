import { basename, dirname, join, relative, sep } from 'node:path';

import { AppError, errnoOf, exhaustedError, isExhaustion } from '../shared/errors.ts';
import { Feed } from '../shared/feed.ts';
import { confine } from '../shared/private-files.ts';
import { fixedText, type Text } from '../shared/text.ts';
import {
  brokenText,
  duplicateProblem,
  duplicateText,
  fileOf,
  missingDependencies,
  missingEntry,
  missingRoot,
  prefixed,
} from './catalogue-problems.ts';
import { loadPackage } from './installed-version.ts';
import { type LoadedFolder, loadFolder, mayBeManifest } from './load-folder.ts';
import { describePath } from './read-manifest.ts';
import type { Problem, Script } from './script.ts';
import { folderNames, inParallel, isIgnoredFolder, parallelInGroup } from './script-folders.ts';

/** For this time after a scan without a script, a script may still be arriving, because it is copied file by file. */
const fillingMs = 5000;

/** Compares numbers in names by value. */
const byName = new Intl.Collator(undefined, { numeric: true });

/** All known scripts, by id. The disk is authoritative; this is the last known state. */
export class Catalogue {
  readonly roots: readonly string[];
  readonly changed = new Feed<void>();
  readonly #byFolder = new Map<string, LoadedFolder>();
  readonly #byId = new Map<string, LoadedFolder[]>();
  readonly #missingRoots = new Set<string>();
  #lastLook: Promise<unknown> = Promise.resolve();
  /** Scanned folders directly below a root, with the time of the last scan that found no script; null if there was one. */
  readonly #seen = new Map<string, number | null>();
  #version = 0;
  #sorted: { version: number; scripts: readonly Script[] } = { version: 0, scripts: [] };
  /** The root whose folders contain versions of a script, of which one is current. */
  readonly #packages: string | undefined;

  constructor(roots: readonly string[], { packages }: { packages?: string } = {}) {
    this.roots = packages === undefined ? roots : [...roots, packages];
    this.#packages = packages;
  }

  /** Changes with every change of the catalogue, before subscribers are notified. */
  get version(): number {
    return this.#version;
  }

  load(): Promise<void> {
    return this.#inTurn(async () => {
      const folders = await Promise.all(this.roots.map((root) => this.#allTops(root)));
      await inParallel(folders.flat(), (folder) => this.#reload(folder));
      this.changed.publish();
    });
  }

  /** Reads the folders of changed paths again. */
  refresh(paths: Iterable<string>): Promise<void> {
    return this.#inTurn(async () => {
      const folders = new Set<string>();
      for (const path of paths) {
        const root = this.roots.find((candidate) => path === candidate || path.startsWith(candidate + sep));
        if (root === undefined) continue;
        const around = this.#folderAround(root, path);
        for (const folder of around === null ? await this.#allTops(root) : [around]) folders.add(folder);
      }
      await inParallel(folders, (folder) => this.#reload(folder));
      if (folders.size > 0) this.changed.publish();
    });
  }

  /** Serializes scans, so that an older one never overwrites a newer one. */
  #inTurn(look: () => Promise<void>): Promise<void> {
    const result = this.#lastLook.then(look);
    this.#lastLook = result.catch(() => {});
    return result;
  }

  /** The folder to read again after a change of this path; null for all folders. */
  #folderAround(root: string, path: string): string | null {
    const [first, second] = relative(root, path).split(sep);
    if (!first) return null;
    const top = join(root, first);
    if (root === this.#packages) return top;
    // For a script in a group, the other scripts of the group need no scan. A folder that is or was a script is read as a whole.
    const isGroup = this.#seen.has(top) && !this.#byFolder.has(top);
    return isGroup && second !== undefined && !mayBeManifest(second) ? join(top, second) : top;
  }

  /** Returns the script with this id if it can run; otherwise throws the error for the caller. */
  async resolve(id: string): Promise<Script> {
    let script = this.lookUp(id);
    if (script === null) {
      // A new folder may not have been noticed yet, or another caller may just have noticed it.
      await this.lookForNew();
      script = this.lookUp(id);
    }
    // The interface fixes this text, with the id as the caller wrote it.
    if (script === null) throw new AppError('script-unknown', fixedText(`脚本不存在: ${id}`));
    const confined = confine(script.folder, script.runtime.entry);
    if (confined !== 'ok')
      throw unusable(prefixed(script.name, describePath('entry', script.runtime.entry, confined)), [
        script.manifestPath,
      ]);
    return script;
  }

  /** The script with this id; null if there is none. Throws if the script is not usable. */
  lookUp(id: string): Script | null {
    const found = this.#byId.get(id.toLowerCase()) ?? [];
    const [only, another] = found;
    if (only === undefined) return null;
    if (another !== undefined) throw unusable(duplicateText(id, [only, another]), found.map(fileOf));
    if (only.kind === 'script') return only.script;
    const [problem] = only.problems.filter(({ severity }) => severity === 'error');
    throw unusable(
      brokenText(only, problem),
      only.problems.map(({ file }) => file),
    );
  }

  /** Returns the script with this id as last read, or null. */
  find(id: string): Script | null {
    const found = this.#byId.get(id.toLowerCase()) ?? [];
    const usable = found.find((loaded) => loaded.kind === 'script');
    return usable?.kind === 'script' ? usable.script : null;
  }

  /** Whether a folder contains a script with this id, usable or not. */
  has(id: string): boolean {
    return this.#byId.has(id.toLowerCase());
  }

  /** Whether the folder of a script belongs to an installed package. */
  isPackaged(folder: string): boolean {
    return this.#packages !== undefined && folder.startsWith(this.#packages + sep);
  }

  /** Whether another root contains a script with this id, usable or not. */
  isOutside(id: string, root: string): boolean {
    return (this.#byId.get(id.toLowerCase()) ?? []).some(({ folder }) => !folder.startsWith(root + sep));
  }

  scripts(): Script[] {
    if (this.#sorted.version !== this.#version) {
      const loaded = [...this.#byFolder.values()].filter((entry) => entry.kind === 'script');
      const scripts = loaded.map(({ script }) => script).sort((a, b) => byName.compare(a.name, b.name));
      this.#sorted = { version: this.#version, scripts };
    }
    return [...this.#sorted.scripts];
  }

  async problems(): Promise<Problem[]> {
    const problems: Problem[] = [];
    for (const root of this.#missingRoots) problems.push(missingRoot(root));
    for (const entry of this.#byFolder.values()) {
      problems.push(...(entry.kind === 'script' ? entry.notes : entry.problems));
    }
    for (const [id, entries] of this.#byId) {
      if (entries.length > 1) problems.push(...entries.map((entry) => duplicateProblem(id, entry, entries)));
    }
    const scripts = this.scripts();
    const missing = new Map<Script, Problem>();
    await inParallel(scripts, async (script) => {
      const problem = await missingEntry(script);
      if (problem !== null) missing.set(script, problem);
    });
    problems.push(...scripts.map((script) => missing.get(script)).filter((problem) => problem !== undefined));
    for (const script of scripts) problems.push(...missingDependencies(script, (id) => this.find(id)));
    return problems.sort((a, b) => a.severity.localeCompare(b.severity));
  }

  /** Folders that are in a root now, or were before. */
  async #allTops(root: string): Promise<string[]> {
    const known = [...this.#byFolder.keys()]
      .filter((folder) => folder.startsWith(root + sep))
      .map((folder) => topOf(root, folder))
      .filter((top) => top !== null);
    return [...new Set([...(await this.#topFolders(root)), ...known])];
  }

  /** Reads folders that were not noticed yet. */
  async lookForNew(): Promise<void> {
    try {
      await this.#inTurn(() => this.#readNew());
    } catch (error) {
      const errno = errnoOf(error);
      // The root could not be read, so "no such script" might be wrong.
      throw isExhaustion(errno) ? exhaustedError(errno, error) : error;
    }
  }

  /** Reads folders below the roots that were never scanned, or perhaps too early. Without such folders, it only lists the roots. */
  async #readNew(): Promise<void> {
    const folders = (await Promise.all(this.roots.map((root) => this.#topFolders(root)))).flat();
    const since = performance.now() - fillingMs;
    const isNew = (emptyAt: number | null | undefined) =>
      emptyAt === undefined || (emptyAt !== null && emptyAt > since);
    const fresh = folders.filter((folder) => isNew(this.#seen.get(folder)));
    await inParallel(fresh, (folder) => this.#reload(folder));
  }

  async #topFolders(root: string): Promise<string[]> {
    const folders = await subfolders(root);
    if (folders === null) this.#missingRoots.add(root);
    else this.#missingRoots.delete(root);
    return folders ?? [];
  }

  /** A folder below a root is a script, or a group with scripts one level below. */
  async #reload(folder: string): Promise<void> {
    const isTop = this.roots.some((root) => dirname(folder) === root);
    const found = isIgnoredFolder(basename(folder)) ? [] : await this.#read(folder, isTop);
    // Replace the state only now: a scan that failed for lack of file handles must not change it.
    if (!isTop || this.#seen.has(folder)) {
      for (const known of [...this.#byFolder.keys()]) {
        if (known === folder || known.startsWith(folder + sep)) this.#remove(known);
      }
    }
    const hasScript = found.some(({ kind }) => kind === 'script');
    if (isTop) this.#seen.set(folder, hasScript ? null : performance.now());
    for (const loaded of found) this.#add(loaded);
  }

  async #read(folder: string, isTop: boolean): Promise<LoadedFolder[]> {
    const isPackage = dirname(folder) === this.#packages;
    const loaded = await (isPackage ? loadPackage(folder) : loadFolder(folder));
    if (loaded !== null) return [loaded];
    if (!isTop || isPackage) return [];
    const found: LoadedFolder[] = [];
    const load = async (inner: string) => {
      const script = await loadFolder(inner);
      if (script !== null) found.push(script);
    };
    await inParallel((await subfolders(folder)) ?? [], load, parallelInGroup);
    return found;
  }

  #add(loaded: LoadedFolder): void {
    this.#version++;
    this.#byFolder.set(loaded.folder, loaded);
    for (const id of idsOf(loaded)) this.#byId.set(id, [...(this.#byId.get(id) ?? []), loaded]);
  }

  #remove(folder: string): void {
    const loaded = this.#byFolder.get(folder);
    if (loaded === undefined) return;
    this.#version++;
    this.#byFolder.delete(folder);
    for (const id of idsOf(loaded)) {
      const others = (this.#byId.get(id) ?? []).filter((entry) => entry !== loaded);
      if (others.length > 0) this.#byId.set(id, others);
      else this.#byId.delete(id);
    }
  }
}

/** The subfolders that may contain scripts; null if there is no such folder. */
async function subfolders(folder: string): Promise<string[] | null> {
  try {
    return (await folderNames(folder)).map((name) => join(folder, name));
  } catch (error) {
    if (isExhaustion(errnoOf(error))) throw error;
    return null;
  }
}

/** The folder directly below `root` that contains `path`; null for the root itself. */
function topOf(root: string, path: string): string | null {
  const [top] = relative(root, path).split(sep);
  return top ? join(root, top) : null;
}

function idsOf(loaded: LoadedFolder): readonly string[] {
  return loaded.kind === 'script' ? [loaded.script.id] : [...new Set(loaded.ids)];
}

/** `files` lists the files that the entries in `problems` name. */
function unusable(text: Text, files: readonly string[]): AppError {
  return new AppError('script-unusable', { ...text, files: [...new Set(files)] });
}
