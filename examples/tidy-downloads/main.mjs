// Moves the files of a folder into subfolders by type. It has no window, so it sends a notification at its end.

import { access, mkdir, readdir, rename, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { extname, isAbsolute, join, parse } from 'node:path';

import hob from 'hob';

const kinds = {
  Archives: ['.zip', '.tar', '.gz', '.tgz', '.bz2', '.xz', '.7z', '.rar', '.zst'],
  Documents: ['.pdf', '.doc', '.docx', '.odt', '.txt', '.md', '.epub', '.ppt', '.pptx', '.odp'],
  Installers: ['.deb', '.rpm', '.appimage', '.exe', '.msi', '.dmg', '.pkg', '.iso'],
  Music: ['.mp3', '.flac', '.ogg', '.m4a', '.wav', '.opus'],
  Pictures: ['.jpg', '.jpeg', '.png', '.gif', '.webp', '.svg', '.heic', '.bmp'],
  Tables: ['.csv', '.tsv', '.xls', '.xlsx', '.ods'],
  Videos: ['.mp4', '.mkv', '.webm', '.mov', '.avi'],
};

const dayMs = 24 * 60 * 60 * 1000;

/** An error that becomes the message of the envelope. */
class Problem extends Error {}

await hob.main(async ({ inputs, params, run }) => {
  const outcome = await tidy(inputs, params).catch((error) => {
    if (error instanceof Problem) return { code: 1, msg: error.message };
    throw error;
  });
  console.log(outcome.msg);
  return { ...outcome, notified: await notify(run, outcome) };
});

async function tidy(inputs, params) {
  if (params.older_than_days < 0) throw new Problem('older_than_days must be 0 or more.');
  const folder = readFolder(inputs);
  const newestMs = Date.now() - params.older_than_days * dayMs;

  const moved = [];
  const failed = [];
  const taken = new Set();
  for (const name of await listFiles(folder)) {
    const kind = kindOf(name);
    if (kind === undefined) continue;
    const from = join(folder, name);
    try {
      if ((await stat(from)).mtimeMs > newestMs) continue;
      const to = await freePath(join(folder, kind), name, taken);
      if (!params.dry_run) {
        await mkdir(join(folder, kind), { recursive: true });
        await rename(from, to);
      }
      taken.add(to);
      moved.push({ from, to });
    } catch (error) {
      failed.push({ path: from, reason: error.message });
    }
  }

  const verb = params.dry_run ? 'would be moved (dry run)' : 'moved';
  const left = failed.length === 0 ? '' : `, ${failed.length} failed`;
  const code = moved.length === 0 && failed.length > 0 ? 2 : 0;
  return { code, msg: `${moved.length} file(s) ${verb}${left}`, dry_run: params.dry_run, moved, failed };
}

/** The main input is always a list of values, also for an input of the type str. */
function readFolder(values) {
  if (values.length > 1) throw new Problem('Only one folder can be tidied in a run.');
  const folder = (values[0] ?? '~/Downloads').replace(/^~(?=\/|$)/, homedir());
  if (!isAbsolute(folder)) throw new Problem(`The path of the folder must be absolute: ${folder}`);
  return folder;
}

/** The regular files directly in the folder, without hidden ones, which usually belong to a program. */
async function listFiles(folder) {
  try {
    const entries = await readdir(folder, { withFileTypes: true });
    return entries
      .filter((entry) => entry.isFile() && !entry.name.startsWith('.'))
      .map((entry) => entry.name)
      .sort();
  } catch (error) {
    if (error.code === 'ENOENT') throw new Problem(`There is no such folder: ${folder}`);
    throw new Problem(`The folder cannot be read: ${error.message}`);
  }
}

/** The subfolder for a file; undefined for unknown types, such as unfinished downloads (.part, .crdownload). */
function kindOf(name) {
  const extension = extname(name).toLowerCase();
  return Object.keys(kinds).find((kind) => kinds[kind].includes(extension));
}

/** A path that does not exist yet, so that no file is overwritten. */
async function freePath(folder, name, taken) {
  const { name: stem, ext } = parse(name);
  for (let number = 1; ; number++) {
    const path = join(folder, number === 1 ? name : `${stem} (${number})${ext}`);
    const exists = await access(path).then(
      () => true,
      () => false,
    );
    if (!exists && !taken.has(path)) return path;
  }
}

/** Sends the notification. A failure is no error, because the files have already been moved. */
async function notify(run, { code, msg }) {
  try {
    await run.notify(`Tidy downloads: ${msg}`, { type: code === 0 ? 'success' : 'error' });
    return true;
  } catch {
    return false;
  }
}
