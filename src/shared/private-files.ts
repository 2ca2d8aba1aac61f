import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { link, mkdir, open, rename, rm } from 'node:fs/promises';

const createFlags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0);

/** Makes a folder that only its user can look into. The folder must not exist yet unless `existing` is allowed. */
export async function makePrivateFolder(path: string, { existing = false } = {}): Promise<void> {
  await mkdir(path, { mode: 0o700, recursive: existing });
}

/** Writes a new file that only its user can read. `durable` waits until it is on the disk. */
export async function writePrivateFile(
  path: string,
  content: string,
  { durable = false } = {},
): Promise<void> {
  const handle = await open(path, createFlags, 0o600);
  try {
    await handle.writeFile(content);
    if (durable) await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Replaces a private file in one step: a reader sees the old content or the new, never half of one. */
export async function replacePrivateFile(path: string, content: string): Promise<void> {
  await putInPlace(path, content, (draft) => rename(draft, path));
}

/** Makes a private file in one step, unless there is one already: then it fails with EEXIST. */
export async function createPrivateFile(path: string, content: string): Promise<void> {
  await putInPlace(path, content, async (draft) => {
    await link(draft, path);
    await rm(draft, { force: true });
  });
}

async function putInPlace(
  path: string,
  content: string,
  put: (draft: string) => Promise<void>,
): Promise<void> {
  const draft = `${path}.${randomBytes(6).toString('hex')}`;
  try {
    await writePrivateFile(draft, content);
    await put(draft);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}
