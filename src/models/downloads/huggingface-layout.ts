import { copyFile, link as hardLink, lstat, readlink, rename, rm, stat, symlink } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';

import { syncFolder } from '../../shared/sync-folder.ts';
import type { HubFile } from '../hubs/hub.ts';
import type { RepoId } from '../repo-id.ts';
import { type Layout, listingRecord, recordAsked } from './layout.ts';
import { ensureFolder, replaceFile } from './safe-folder.ts';

interface Options {
  readonly cache: string;
  readonly repo: RepoId;
  readonly snapshot: string;
  /** If it fails, plain files are used instead of links. */
  readonly link?: typeof symlink;
}

/**
 * The cache of huggingface_hub: `blobs` has one file per content, named by its hash, and each commit has a folder of links to
 * them. A blob of the right size counts as correct, because programs move a blob there only when it is complete.
 */
export async function huggingFaceLayout(options: Options): Promise<Layout> {
  const { cache, repo, snapshot, link = symlink } = options;
  const name = `models--${repo.owner}--${repo.name}`;
  const folder = await ensureFolder(cache, name);
  const blobs = await ensureFolder(cache, name, 'blobs');
  const snapshotFolder = await ensureFolder(cache, name, 'snapshots', snapshot);
  const blobOf = ({ content }: HubFile) => join(blobs, content.hex);
  const partialOf = (file: HubFile) => `${blobOf(file)}.incomplete`;
  return {
    folder,
    snapshot: snapshotFolder,
    contentKey: ({ content }) => content.hex,
    partialOf,
    async isThere(file) {
      const found = await stat(blobOf(file)).catch(() => null);
      return found?.isFile() === true && found.size === file.sizeBytes;
    },
    async begin() {},
    keep: (file) => rename(partialOf(file), blobOf(file)),
    async record(listing) {
      await syncFolder(blobs);
      const trees = await ensureFolder(cache, name, 'trees');
      await replaceFile(join(trees, `${snapshot}.json`), listingRecord(listing));
    },
    async show(file) {
      const path = join(snapshotFolder, ...file.path.split('/'));
      await ensureFolder(cache, name, 'snapshots', snapshot, ...file.path.split('/').slice(0, -1));
      await showBlob(path, blobOf(file), file.sizeBytes, link);
    },
    async finish({ ref }, asked) {
      await syncFolder(snapshotFolder);
      await recordAsked(cache, [name], snapshot, asked);
      if (ref === null) return;
      const names = ref.split('/');
      const refs = await ensureFolder(cache, name, 'refs', ...names.slice(0, -1));
      await replaceFile(join(refs, names.at(-1) ?? ''), snapshot);
    },
  };
}

/** Atomically makes a link to a blob; a hard link or a copy if the disk has no symbolic links. */
async function showBlob(path: string, blob: string, sizeBytes: number, link: typeof symlink): Promise<void> {
  const target = relative(dirname(path), blob).split(sep).join('/');
  const found = await lstat(path).catch(() => null);
  if (found?.isSymbolicLink() && (await readlink(path)) === target) return;
  const draft = `${path}.hob.tmp`;
  await rm(draft, { force: true });
  try {
    const isLinked = await link(target, draft).then(
      () => true,
      () => false,
    );
    if (!isLinked) {
      if (found?.isFile() && found.size === sizeBytes) return;
      await hardLink(blob, draft).catch(() => copyFile(blob, draft));
    }
    await rename(draft, path);
  } finally {
    await rm(draft, { force: true });
  }
}
