import { basename, dirname, join, relative, sep } from 'node:path';

import { AppError, errnoOf, exhaustedError, isExhaustion } from '../shared/errors.ts';
import { Feed } from '../shared/feed.ts';
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
import { confine } from './confine.ts';
import { loadPackage } from './installed-version.ts';
import { type LoadedFolder, loadFolder, mayBeManifest } from './load-folder.ts';
import { describePath } from './read-manifest.ts';
import type { Problem, Script } from './script.ts';
import { folderNames, inParallel, isIgnoredFolder, parallelInGroup } from './script-folders.ts';

/** So long after a look at a folder without a script one may be on its way there: it is copied file by file. */
const fillingMs = 5000;

/** Numbers in a name count as such. */
const byName = new Intl.Collator(undefined, { numeric: true });

/** All scripts known, by id. What is on disk is the truth; this is what was last seen of it. */
export class Catalogue {
  readonly roots: readonly string[];
  readonly changed = new Feed<void>();
  readonly #byFolder = new Map<string, LoadedFolder>();
  readonly #byId = new Map<string, LoadedFolder[]>();
  readonly #missingRoots = new Set<string>();
  #lastLook: Promise<unknown> = Promise.resolve();
  /** Folders directly below a root that were read, and when there was last no script in them: null when there was one. */
  readonly #seen = new Map<string, number | null>();
  #version = 0;
  #sorted: { version: number; scripts: readonly Script[] } = { version: 0, scripts: [] };
  /** The root whose folders hold versions of a script, of which one counts. */
  readonly #packages: string | undefined;

  constructor(roots: readonly string[], { packages }: { packages?: string } = {}) {
    this.roots = packages === undefined ? roots : [...roots, packages];
    this.#packages = packages;
  }

  /** Another number whenever something else is known, also before anybody is told. */
  get version(): number {
    return this.#version;
  }

  /** Reads everything anew. */
  load(): Promise<void> {
    return this.#inTurn(() => this.#load());
  }

  /** Looks again at what lies around changed paths. */
  refresh(paths: Iterable<string>): Promise<void> {
    return this.#inTurn(() => this.#refresh(paths));
  }

  /** One look at a time, so that an older one never overwrites a newer. */
  #inTurn<Result>(look: () => Promise<Result>): Promise<Result> {
    const result = this.#lastLook.then(look);
    this.#lastLook = result.catch(() => {});
    return result;
  }

  async #load(): Promise<void> {
    const folders = await Promise.all(this.roots.map((root) => this.#allTops(root)));
    await inParallel(folders.flat(), (folder) => this.#reload(folder));
    this.changed.publish();
  }

  async #refresh(paths: Iterable<string>): Promise<void> {
    const folders = new Set<string>();
    for (const path of paths) {
      const root = this.roots.find((candidate) => path === candidate || path.startsWith(candidate + sep));
      if (root === undefined) continue;
      const around = this.#folderAround(root, path);
      for (const folder of around === null ? await this.#allTops(root) : [around]) folders.add(folder);
    }
    await inParallel(folders, (folder) => this.#reload(folder));
    if (folders.size > 0) this.changed.publish();
  }

  /** The folder that has to be read again when this path has changed; null for all of them. */
  #folderAround(root: string, path: string): string | null {
    const [first, second] = relative(root, path).split(sep);
    if (!first) return null;
    const top = join(root, first);
    if (root === this.#packages) return top;
    // One of many scripts in a group: the others need not be looked at. What is or was a script itself is read as a whole.
    const isGroup = this.#seen.has(top) && !this.#byFolder.has(top);
    return isGroup && second !== undefined && !mayBeManifest(second) ? join(top, second) : top;
  }

  /** The script with this id, ready to run; throws the refusal a caller should see otherwise. */
  async resolve(id: string): Promise<Script> {
    let script = this.lookUp(id);
    if (script === null) {
      // A folder that was made a moment ago may not have been noticed yet, or just now by somebody else.
      await this.#findNew();
      script = this.lookUp(id);
    }
    // The id as the caller wrote it: the interface fixes this text.
    if (script === null) throw new AppError('script-unknown', fixedText(`脚本不存在: ${id}`));
    const confined = await confine(script.folder, script.runtime.entry);
    if (confined !== 'ok')
      throw unusable(prefixed(script.name, describePath('entry', script.runtime.entry, confined)), [
        script.manifestPath,
      ]);
    return script;
  }

  /** The script with this id; null when there is none. Throws when what is there is no usable script. */
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

  /** The script with this id as it was last read, if it can be read at all. */
  find(id: string): Script | null {
    const found = this.#byId.get(id.toLowerCase()) ?? [];
    const usable = found.find((loaded) => loaded.kind === 'script');
    return usable?.kind === 'script' ? usable.script : null;
  }

  /** Whether a script of this id, usable or not, lies somewhere else than in this root. */
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

  /** Everything a person should know of, errors first. */
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

  /** What is in a root now, and what was there before. */
  async #allTops(root: string): Promise<string[]> {
    const known = [...this.#byFolder.keys()]
      .filter((folder) => folder.startsWith(root + sep))
      .map((folder) => topOf(root, folder))
      .filter((top) => top !== null);
    return [...new Set([...(await this.#topFolders(root)), ...known])];
  }

  async #findNew(): Promise<void> {
    try {
      await this.#inTurn(() => this.#lookForNew());
    } catch (error) {
      const errno = errnoOf(error);
      // "No such script" would be a guess.
      throw isExhaustion(errno) ? exhaustedError(errno, error) : error;
    }
  }

  /** Reads the folders below the roots that were never looked at, or maybe too early: one listing a root when there are none. */
  async #lookForNew(): Promise<void> {
    const folders = (await Promise.all(this.roots.map((root) => this.#topFolders(root)))).flat();
    const since = performance.now() - fillingMs;
    const isNew = (emptyAt: number | null | undefined) =>
      emptyAt === undefined || (emptyAt !== null && emptyAt > since);
    const fresh = folders.filter((folder) => isNew(this.#seen.get(folder)));
    await inParallel(fresh, (folder) => this.#reload(folder));
  }

  async #topFolders(root: string): Promise<string[]> {
    try {
      const names = await folderNames(root);
      this.#missingRoots.delete(root);
      return names.map((name) => join(root, name));
    } catch (error) {
      if (isExhaustion(errnoOf(error))) throw error;
      this.#missingRoots.add(root);
      return [];
    }
  }

  /** A folder below a root is a script, or a group that holds scripts one level further down. */
  async #reload(folder: string): Promise<void> {
    const isTop = this.roots.some((root) => dirname(folder) === root);
    const found = isIgnoredFolder(basename(folder)) ? [] : await this.#read(folder, isTop);
    // Only now: a look that failed for lack of handles leaves what was known as it was.
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
    await inParallel(await this.#subfolders(folder), load, parallelInGroup);
    return found;
  }

  async #subfolders(top: string): Promise<string[]> {
    try {
      return (await folderNames(top)).map((name) => join(top, name));
    } catch (error) {
      if (isExhaustion(errnoOf(error))) throw error;
      // Not a folder, or gone again.
      return [];
    }
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

/** The folder directly below `root` that `path` lies in; null for the root itself. */
function topOf(root: string, path: string): string | null {
  const [top] = relative(root, path).split(sep);
  return top ? join(root, top) : null;
}

function idsOf(loaded: LoadedFolder): readonly string[] {
  return loaded.kind === 'script' ? [loaded.script.id] : [...new Set(loaded.ids)];
}

/** The files are those under which `problems` has all that is wrong. */
function unusable(text: Text, files: readonly string[]): AppError {
  return new AppError('script-unusable', text, { files: [...new Set(files)] });
}
