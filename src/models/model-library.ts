import { randomBytes } from 'node:crypto';
import { readdir, rename, rmdir, unlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

import type { ModelPlace } from '../contract/values.ts';
import { systemClock } from '../shared/clock.ts';
import { AppError, errnoOf } from '../shared/errors.ts';
import { isJsonObject } from '../shared/json.ts';
import { removeFolder } from '../shared/remove-folder.ts';
import { readAskedFiles, readFileList, readJson } from './download-records.ts';
import { Memory, Witness } from './evidence.ts';
import { compileGlob, compileGlobs } from './glob.ts';
import type { Candidate, Holding, Place } from './places/place.ts';
import { formatRepoId, type RepoId } from './repo-id.ts';
import { type DiskUse, measureDiskUse, type Scan, scanFolder } from './scan-folder.ts';

/** Prefix of folders that are being removed. No repo can have such a name. */
const aside = '.hob-removing-';

export interface LibraryOptions {
  readonly places: readonly Place[];
  /** The files of a repo that scripts need; null if no script names the repo. */
  readonly wanted?: (repo: RepoId) => Omit<Wanted, 'isDeclared'> | null;
  readonly isDownloading?: (repo: RepoId) => boolean;
  readonly clock?: { now(): Date };
}

/** The copy of a model in one place. */
interface Located {
  readonly repo: RepoId;
  readonly place: Place;
  readonly holding: Holding;
  readonly folder: string;
  readonly revision: string | null;
  readonly state: 'complete' | 'partial';
}

export interface ListedModel extends Pick<Located, 'repo' | 'folder' | 'revision' | 'state'> {
  readonly place: ModelPlace;
  readonly sizeBytes: number;
  readonly isRemovable: boolean;
  /** Whether requests for the model get this copy. */
  readonly isUsed: boolean;
}

export interface Removal {
  readonly folder: string;
  readonly freedBytes: number;
}

const everything: Wanted = { isAll: true, globs: [], isDeclared: false };
const searchesAtOnce = 8;

/** The models on this machine, in all places. The disk is authoritative: every answer is checked against it. */
export class ModelLibrary {
  readonly #options: Required<LibraryOptions>;
  readonly #located: Memory<Located | null>;
  readonly #uses: Memory<DiskUse>;

  constructor(options: LibraryOptions) {
    this.#options = { wanted: () => null, isDownloading: () => false, clock: systemClock, ...options };
    const now = () => this.#options.clock.now().getTime();
    this.#located = new Memory(now);
    this.#uses = new Memory(now);
  }

  /** The folder of a complete model, else null. */
  async folderOf(repo: RepoId): Promise<string | null> {
    const best = await this.#bestOf(repo);
    return best?.state === 'complete' ? best.folder : null;
  }

  async stateOf(repo: RepoId): Promise<Located['state'] | 'missing'> {
    return (await this.#bestOf(repo))?.state ?? 'missing';
  }

  /** All copies of all models, complete or partial. */
  async list(): Promise<ListedModel[]> {
    const pending: { repo: RepoId; place: Place }[] = [];
    for (const place of this.#options.places) {
      const repos = await place.repos(new Witness(() => 0));
      pending.push(...repos.map((repo) => ({ repo, place })));
    }
    const listed: ListedModel[] = [];
    const worker = async () => {
      for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
        const located = await this.#locate(next.repo, next.place);
        if (located !== null) listed.push(await this.#describe(located));
      }
    };
    await Promise.all(Array.from({ length: searchesAtOnce }, worker));
    const kinds = this.#options.places.map(({ kind }) => kind);
    const order = (a: ListedModel, b: ListedModel) =>
      compare(formatRepoId(a.repo), formatRepoId(b.repo)) ||
      kinds.indexOf(a.place) - kinds.indexOf(b.place) ||
      compare(a.folder, b.folder);
    listed.sort(order);
    // A folder in the setting `model_folders` may be one of the caches, so remove duplicates.
    const first = new Map<string, ListedModel>();
    for (const model of listed) if (!first.has(model.folder)) first.set(model.folder, model);
    return [...first.values()];
  }

  /** Removes the first copy that may be removed. A dry run only returns how much that would free. */
  async remove(
    repo: RepoId,
    { kind, isDryRun }: { kind: ModelPlace | null; isDryRun: boolean },
  ): Promise<Removal> {
    const copies: Located[] = [];
    for (const place of this.#options.places) {
      if (kind !== null && place.kind !== kind) continue;
      const located = await this.#locate(repo, place);
      if (located !== null) copies.push(located);
    }
    const [first] = copies;
    if (first === undefined) throw notHere(repo);
    const chosen = copies.find(({ place }) => isRemovable(place));
    if (chosen === undefined) throw notOurs(repo, first.folder);
    const { folder } = chosen.holding;
    const { freedBytes } = await this.#measure(folder);
    // Check this last, because a download may start during the measuring, which takes a while.
    if (this.#options.isDownloading(repo)) throw beingDownloaded(repo);
    if (!isDryRun) await removeHolding(repo, chosen.holding);
    return { folder, freedBytes };
  }

  /** The first complete copy, else the first partial one. */
  async #bestOf(repo: RepoId): Promise<Located | null> {
    let part: Located | null = null;
    for (const place of this.#options.places) {
      const located = await this.#locate(repo, place);
      if (located?.state === 'complete') return located;
      part ??= located;
    }
    return part;
  }

  #wanted(repo: RepoId): Wanted {
    const wanted = this.#options.wanted(repo);
    return wanted === null ? everything : { isAll: wanted.isAll, globs: wanted.globs, isDeclared: true };
  }

  #locate(repo: RepoId, place: Place): Promise<Located | null> {
    const wanted = this.#wanted(repo);
    const index = this.#options.places.indexOf(place);
    const key = JSON.stringify([index, repo.owner, repo.name, wanted]);
    return this.#located.recall(key, async (witness) => {
      const holding = await place.holding(repo, witness);
      if (holding === null) return null;
      let part: Located | null = null;
      for (const candidate of holding.candidates) {
        const { folder, revision } = candidate;
        const state = await judgeDownload(candidate, { root: place.root, wanted, witness });
        if (state === 'empty') continue;
        const located = { repo, place, holding, folder, revision, state };
        if (state === 'complete') return located;
        part ??= located;
      }
      if (part !== null) return part;
      // An empty repo folder in a cache is a download that has just started. An empty plain folder is not a model.
      const { folder, candidates } = holding;
      const isCache = candidates.every((candidate) => candidate.folder !== folder);
      return isCache ? { repo, place, holding, folder, revision: null, state: 'partial' } : null;
    });
  }

  async #describe({ repo, place, holding, folder, revision, state }: Located): Promise<ListedModel> {
    const { bytes } = await this.#measure(holding.folder);
    return {
      repo,
      place: place.kind,
      folder,
      revision,
      sizeBytes: bytes,
      state,
      isRemovable: isRemovable(place),
      isUsed: folder === (await this.folderOf(repo)),
    };
  }

  #measure(folder: string): Promise<DiskUse> {
    return this.#uses.recall(folder, (witness) => measureDiskUse(folder, witness));
  }
}

/** Hob removes nothing from the folders of the setting `model_folders`. */
function isRemovable({ kind }: Place): boolean {
  return kind !== 'extra';
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

/** Removes a repo from a place. Renames the folder first, so that a partly removed model is never found. */
async function removeHolding(repo: RepoId, { folder, link }: Holding): Promise<void> {
  const parent = dirname(folder);
  try {
    await rename(folder, join(parent, aside + randomBytes(6).toString('hex')));
  } catch (error) {
    const errno = errnoOf(error);
    if (errno === 'ENOENT') throw notHere(repo);
    if (errno === undefined) throw error;
    throw notPermitted(repo, folder, errno, error);
  }
  // The link is broken now.
  if (link !== null) await unlink(link).catch(() => {});
  // Also finish earlier removals that were interrupted.
  const names = await readdir(parent);
  for (const name of names) if (name.startsWith(aside)) await removeFolder(join(parent, name));
  // Remove the owner's folder if it is empty. Otherwise `rmdir` fails, and the folder stays.
  if (basename(parent) === repo.owner) await rmdir(parent).catch(() => {});
}

function notHere(repo: RepoId): AppError {
  const id = formatRepoId(repo);
  return new AppError('model-not-downloaded', {
    en: `The model ${id} is not on this machine.`,
    zh: `本机没有模型 ${id}`,
  });
}

function beingDownloaded(repo: RepoId): AppError {
  const id = formatRepoId(repo);
  return new AppError('model-downloading', {
    en: `The model ${id} is being downloaded.`,
    zh: `模型 ${id} 正在下载`,
    hint: { en: 'Cancel the download, or wait for its end.', zh: '请先取消下载，或等待下载结束。' },
  });
}

function notOurs(repo: RepoId, folder: string): AppError {
  const id = formatRepoId(repo);
  return new AppError('model-not-removable', {
    en: `The model ${id} is in ${folder}, inside a folder of the setting model_folders, from which Hob removes nothing.`,
    zh: `模型 ${id} 位于 ${folder}，属于 model_folders 设置中的文件夹，Hob 不会删除其中的内容`,
    hint: { en: 'Remove that folder yourself.', zh: '请自行删除该文件夹。' },
  });
}

function notPermitted(repo: RepoId, folder: string, errno: string, cause: unknown): AppError {
  const id = formatRepoId(repo);
  return new AppError('model-not-removable', {
    en: `The model ${id} in ${folder} cannot be removed (${errno}). Nothing was changed.`,
    zh: `无法删除 ${folder} 中的模型 ${id}（${errno}），未做任何更改`,
    cause,
    hint: {
      en: 'Make sure that you can write to the folder that contains it, and that no program has it open.',
      zh: '请检查是否有写入权限，以及是否有程序正在使用它。',
    },
  });
}

/** The files of a repo that scripts need. */
interface Wanted {
  /** Whether all files are needed: a script names the repo without globs, or no script names it. */
  readonly isAll: boolean;
  readonly isDeclared: boolean;
  readonly globs: readonly string[];
}

/** `empty`: the folder has no visible files. */
type Verdict = 'complete' | 'partial' | 'empty';

const shardIndex = /\.index\.json$/;

const largestIndexBytes = 32 * 1024 * 1024;

/** Judges from the local files alone whether a folder has all needed files of a model. */
async function judgeDownload(
  candidate: Candidate,
  { root, wanted, witness }: { root: string; wanted: Wanted; witness: Witness },
): Promise<Verdict> {
  const scan = await scanFolder(candidate.folder, { root, witness });
  if (![...scan.sizes.keys()].some((path) => !path.startsWith('.'))) return 'empty';
  const list = candidate.list === null ? null : await readFileList(candidate.list, witness);
  const needed = wanted.isDeclared ? wanted : await askedFor(candidate, wanted, witness);
  const isComplete =
    list === null
      ? await looksComplete(candidate, scan, { wanted: needed, witness })
      : hasListed(list, scan.sizes, needed);
  return isComplete ? 'complete' : 'partial';
}

/** If no script names the repo, the needed files are those that users asked Hob to download. */
async function askedFor({ asked }: Candidate, wanted: Wanted, witness: Witness): Promise<Wanted> {
  const globs = asked === null ? null : await readAskedFiles(asked, witness);
  return globs === null ? wanted : { ...wanted, isAll: globs.length === 0, globs };
}

function hasListed(
  list: ReadonlyMap<string, number>,
  sizes: ReadonlyMap<string, number>,
  { isAll, globs }: Wanted,
): boolean {
  const isNeeded = isAll ? () => true : compileGlobs(globs);
  const needed = [...list].filter(([path]) => isNeeded(path));
  return needed.length > 0 && needed.every(([path, size]) => sizes.get(path) === size);
}

/** Judges by heuristics, because there is no list of files. */
async function looksComplete(
  { folder, mark }: Candidate,
  { sizes, hasFault }: Scan,
  { wanted, witness }: { wanted: Wanted; witness: Witness },
): Promise<boolean> {
  const paths = [...sizes.keys()];
  // A download of only some files also leaves the mark `finished`, so check the needed globs first.
  if (!wanted.globs.every((glob) => paths.some(compileGlob(glob)))) return false;
  if (mark !== null) return mark === 'finished';
  if (hasFault) return false;
  for (const index of paths.filter((path) => shardIndex.test(path))) {
    await witness.look(join(folder, index), { follow: true });
    const shards = await shardsOf(folder, index);
    if (!shards.every((shard) => sizes.has(shard))) return false;
  }
  return true;
}

async function shardsOf(folder: string, index: string): Promise<string[]> {
  const content = await readJson(join(folder, index), largestIndexBytes);
  if (!isJsonObject(content) || !isJsonObject(content.weight_map)) return [];
  const below = dirname(index);
  const shards = new Set(Object.values(content.weight_map).filter((shard) => typeof shard === 'string'));
  return [...shards].map((shard) => (below === '.' ? shard : `${below}/${shard}`));
}
