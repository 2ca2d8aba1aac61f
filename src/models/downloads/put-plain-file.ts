import { copyFile, link, rename, rm } from 'node:fs/promises';

/** Gives a file a second name, or makes a copy where even that is not possible, in one step. */
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
