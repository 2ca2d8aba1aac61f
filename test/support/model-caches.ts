import { createHash } from 'node:crypto';
import { mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';

import { type LibraryOptions, ModelLibrary } from '../../src/models/model-library.ts';
import { allPlaces, type ModelFolders } from '../../src/models/places/all-places.ts';

/*
 * Caches as Python's huggingface_hub and modelscope write them. The tests build them from the published layouts, not with those
 * libraries. The layout of huggingface_hub was compared once with the one that version 2.0.0 writes.
 */

/** The files of a repo: path and content. */
export type ModelFiles = Readonly<Record<string, string>>;

export const someFiles: ModelFiles = {
  'config.json': '{}',
  'onnx/model.onnx': 'weights',
  '.gitattributes': '*.onnx filter=lfs',
};

export const [firstCommit, secondCommit] = ['a'.repeat(40), 'b'.repeat(40)] as const;

/** A model library over these folders. The other folders do not exist. */
export function libraryOf(
  folders: Partial<ModelFolders>,
  options: Partial<LibraryOptions> = {},
): ModelLibrary {
  const nowhere = '/nonexistent/hob-test';
  const places = allPlaces({
    models: nowhere,
    huggingFaceCache: nowhere,
    modelScopeCaches: { current: nowhere, old: nowhere },
    extra: [],
    ...folders,
  });
  return new ModelLibrary({ places, ...options });
}

/** An hour ahead, so that every file seems old and the library caches what it finds immediately. */
export const lateClock = { now: () => new Date(Date.now() + 3_600_000) };

interface HuggingFaceRepo {
  readonly repoId?: string;
  readonly commit?: string;
  readonly files?: ModelFiles;
  /** Names of the refs that point to the commit. */
  readonly refs?: readonly string[];
  /** Whether a list of the files exists, as versions from 1.22 on write it. */
  readonly hasTree?: boolean;
  /** Whether the files are plain files instead of links, as on Windows. */
  readonly isPlain?: boolean;
}

/** `models--OWNER--NAME` in a cache of huggingface_hub, with one snapshot. */
export async function writeHuggingFaceRepo(
  cache: string,
  {
    repoId = 'Owner/name',
    commit = firstCommit,
    files = someFiles,
    refs = ['main'],
    hasTree = false,
    isPlain = false,
  }: HuggingFaceRepo = {},
): Promise<{ repo: string; snapshot: string; blobOf: (file: string) => string }> {
  const repo = join(cache, `models--${repoId.replace('/', '--')}`);
  const snapshot = join(repo, 'snapshots', commit);
  const blobOf = (file: string) =>
    join(repo, 'blobs', createHash('sha256').update(`${file}${files[file]}`).digest('hex'));
  await mkdir(join(repo, 'blobs'), { recursive: true });
  await mkdir(snapshot, { recursive: true });
  for (const [file, content] of Object.entries(files)) {
    const path = join(snapshot, file);
    if (isPlain) {
      await writeFileAt(path, content);
      continue;
    }
    await writeFileAt(blobOf(file), content);
    await mkdir(dirname(path), { recursive: true });
    await rm(path, { force: true });
    await symlink(relative(dirname(path), blobOf(file)), path);
  }
  for (const ref of refs) await writeFileAt(join(repo, 'refs', ref), commit);
  if (hasTree) await writeFileAt(join(repo, 'trees', `${commit}.json`), fileList(files));
  return { repo, snapshot, blobOf };
}

/** `models/OWNER--NAME/snapshots/REVISION` in a cache of a newer modelscope; with or without the record that Hob's own downloads write. */
export async function writeModelScopeRepo(
  cache: string,
  { repoId = 'Owner/name', revision = 'master', files = someFiles, hasList = false } = {},
): Promise<string> {
  const snapshots = join(cache, 'models', repoId.replace('/', '--'), 'snapshots');
  await writeFiles(join(snapshots, revision), files);
  if (hasList) await writeFileAt(join(snapshots, revision, '.hob.json'), fileList(files));
  return join(snapshots, revision);
}

/** `models/OWNER/NAME` in a cache of an older modelscope. If the name has a dot, a link has the real name. */
export async function writeOldModelScopeRepo(
  cache: string,
  { repoId = 'Owner/name', files = someFiles, isFinished = true } = {},
): Promise<string> {
  const folder = join(cache, 'models', repoId.replaceAll('.', '___'));
  await writeFiles(folder, files);
  await writeFileAt(join(folder, '.msc'), 'binary index');
  await writeFileAt(join(folder, '.mdl'), 'binary name');
  const link = join(cache, 'models', repoId);
  if (isFinished && link !== folder) {
    await mkdir(dirname(link), { recursive: true });
    await symlink(folder, link);
  }
  if (isFinished) await writeFileAt(join(folder, '.mv'), 'Revision:master,CreatedAt:1718000000');
  else await writeFileAt(join(folder, '._____temp', 'model.bin'), 'half');
  return folder;
}

export async function writeFiles(folder: string, files: ModelFiles): Promise<void> {
  for (const [file, content] of Object.entries(files)) await writeFileAt(join(folder, file), content);
}

export async function writeFileAt(path: string, content = 'x'): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, content);
}

/** The record that lists the files of a repo. */
export function fileList(files: ModelFiles): string {
  const entries = Object.entries(files).map(([file, content]) => {
    return [file, { size: Buffer.byteLength(content), blob_id: '0'.repeat(40) }];
  });
  return JSON.stringify({ format_version: 1, files: Object.fromEntries(entries) });
}
