import { readdir, readFile, realpath, stat } from 'node:fs/promises';
import { join, relative } from 'node:path';

import { isCompleteDownload } from './complete-download.ts';
import type { RepoId } from './repo-id.ts';

interface LibraryFolders {
  /** Hob's own: `owner/name` below it. */
  models: string;
  /** The cache that Python's huggingface_hub keeps. */
  huggingFaceCache: string;
}

/** Finds the folder of a downloaded model. */
export class ModelLibrary {
  readonly #folders: LibraryFolders;

  constructor(folders: LibraryFolders) {
    this.#folders = folders;
  }

  /** The folder with the files of the model; null when there is none, or only a part of one. */
  async find(repo: RepoId): Promise<string | null> {
    for await (const { root, folder } of this.#candidates(repo)) {
      if ((await isInside(root, folder)) && (await isCompleteDownload(folder))) return folder;
    }
    return null;
  }

  async *#candidates({ owner, name }: RepoId): AsyncGenerator<{ root: string; folder: string }> {
    const { models, huggingFaceCache } = this.#folders;
    yield { root: models, folder: join(models, owner, name) };
    const repo = join(huggingFaceCache, `models--${owner}--${name}`);
    for (const snapshot of await listSnapshots(repo))
      yield { root: huggingFaceCache, folder: join(repo, 'snapshots', snapshot) };
  }
}

/** The snapshots of a repo in the Hugging Face cache: the one that `main` points to, then the newest. */
async function listSnapshots(repo: string): Promise<string[]> {
  let names: string[];
  try {
    names = (await readdir(join(repo, 'snapshots'))).filter((name) => /^[0-9a-f]{40}$/.test(name));
  } catch {
    return [];
  }
  const main = (await readFile(join(repo, 'refs', 'main'), 'utf8').catch(() => '')).trim();
  const dated = await Promise.all(
    names.map(async (name) => ({ name, at: await modifiedAt(join(repo, 'snapshots', name)) })),
  );
  const rank = ({ name, at }: { name: string; at: number }) =>
    name === main ? Number.POSITIVE_INFINITY : at;
  return dated.sort((a, b) => rank(b) - rank(a)).map(({ name }) => name);
}

/** When it was last changed; a link that leads nowhere is as old as can be. */
async function modifiedAt(path: string): Promise<number> {
  const stats = await stat(path).catch(() => null);
  return stats?.mtimeMs ?? 0;
}

/** Whether a folder exists under exactly this name (some disks ignore case) and is not a link to somewhere else. */
async function isInside(root: string, folder: string): Promise<boolean> {
  try {
    const [realRoot, realFolder] = await Promise.all([realpath(root), realpath(folder)]);
    return realFolder === join(realRoot, relative(root, folder));
  } catch {
    return false;
  }
}
