import { copyFile, link, rename, rm } from 'node:fs/promises';

/** Atomically makes a hard link to a file, or a copy if hard links are not possible. */
export async function putPlainFile(from: string, to: string): Promise<void> {
  const draft = `${to}.hob.tmp`;
  await rm(draft, { force: true });
  try {
    await link(from, draft).catch(() => copyFile(from, draft));
    await rename(draft, to);
  } finally {
    await rm(draft, { force: true });
  }
}
