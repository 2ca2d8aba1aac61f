import { link, lstat, mkdir, rename, unlink } from 'node:fs/promises';
import { basename, dirname, join, parse } from 'node:path';

import { errnoOf } from '../../shared/errors.ts';

/** More files with one name are a mistake of their sender. */
const mostTwins = 10_000;
/** The limit of most file systems. Some count 255 characters, and allow for more. */
const mostNameBytes = 255;

/** Moves a file into a folder beside it, under another name if its own is taken. Returns its new path. */
export async function moveBeside(path: string, folderName: string): Promise<string> {
  const folder = join(dirname(path), folderName);
  await mkdir(folder).catch((error: unknown) => {
    if (errnoOf(error) !== 'EEXIST') throw error;
  });
  const name = basename(path);
  for (let count = 1; count <= mostTwins; count++) {
    const target = join(folder, count === 1 ? name : numbered(name, count));
    if (await moveTo(path, target)) return target;
  }
  throw new Error(`more than ${mostTwins} files named ${name} in ${folder}`);
}

/** Shortens the name if the number would make it too long. */
function numbered(fullName: string, count: number): string {
  const { name, ext } = parse(fullName);
  const number = ` (${count})`;
  const stem = cutTo(mostNameBytes - Buffer.byteLength(number + ext), name);
  if (stem !== '') return stem + number + ext;
  return cutTo(mostNameBytes - Buffer.byteLength(number), fullName) + number;
}

/** The longest beginning of a text that has at most so many bytes. It ends with a whole character. */
function cutTo(mostBytes: number, text: string): string {
  let bytes = 0;
  let cut = '';
  for (const character of text) {
    bytes += Buffer.byteLength(character);
    if (bytes > mostBytes) return cut;
    cut += character;
  }
  return cut;
}

/** Never replaces a file. Returns false if the name is taken. */
async function moveTo(path: string, target: string): Promise<boolean> {
  try {
    // Unlike `rename`, `link` fails if the target exists.
    await link(path, target);
  } catch (error) {
    if (errnoOf(error) === 'EEXIST') return completes(path, target);
    if (errnoOf(error) === 'ENOENT') throw error;
    return renameTo(path, target);
  }
  try {
    await unlink(path);
  } catch (error) {
    await unlink(target);
    throw error;
  }
  return true;
}

/** An earlier move may have been cut short after it had linked the file. */
async function completes(path: string, target: string): Promise<boolean> {
  const [source, found] = await Promise.all([path, target].map((one) => lstat(one, { bigint: true })));
  if (source?.dev !== found?.dev || source?.ino !== found?.ino) return false;
  await unlink(path);
  return true;
}

/** For file systems without hard links. */
async function renameTo(path: string, target: string): Promise<boolean> {
  const isTaken = await lstat(target).then(
    () => true,
    (error: unknown) => {
      if (errnoOf(error) === 'ENOENT') return false;
      throw error;
    },
  );
  if (!isTaken) await rename(path, target);
  return !isTaken;
}
