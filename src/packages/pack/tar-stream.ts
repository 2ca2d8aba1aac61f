import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';

import { type Pack, pack } from 'tar-stream';

import { unreadable } from '../fetch/package-errors.ts';
import { showName } from '../fetch/show-name.ts';
import { type PackedEntry, readContent } from './scan-folder.ts';

/** A compressed tar of these entries; the same entries give the same bytes. */
export function tarStream(folder: string, entries: readonly PackedEntry[]): Readable {
  const archive = pack();
  const compressed = createGzip();
  // Errors of all parts are reported by the last stream.
  pipeline(archive, compressed).catch((error: Error) => compressed.destroy(error));
  addAll(archive, folder, entries).then(
    () => archive.finalize(),
    (error: Error) => compressed.destroy(error),
  );
  return compressed;
}

async function addAll(archive: Pack, folder: string, entries: readonly PackedEntry[]): Promise<void> {
  const fixed = { mtime: new Date(0), uid: 0, gid: 0 };
  for (const entry of entries) {
    if (entry.kind === 'folder') {
      archive.entry({ ...fixed, name: `${entry.path}/`, type: 'directory', mode: 0o755 });
      continue;
    }
    const mode = entry.isExecutable ? 0o755 : 0o644;
    const slot = archive.entry({ ...fixed, name: entry.path, type: 'file', mode, size: entry.sizeBytes });
    let bytes = 0;
    const counted = async function* () {
      for await (const chunk of readContent(join(folder, entry.path))) {
        bytes += chunk.length;
        if (bytes > entry.sizeBytes) throw changed(entry.path);
        yield chunk;
      }
      if (bytes < entry.sizeBytes) throw changed(entry.path);
    };
    await pipeline(Readable.from(counted()), slot);
  }
}

/** The size precedes the content and cannot be corrected later. */
function changed(path: string) {
  return unreadable(
    { en: `${showName(path)} changed while Hob packed it`, zh: `打包时 ${showName(path)} 发生了变化` },
    { hint: { en: 'Try again when no program writes to it.', zh: '请在无人写入时重试。' } },
  );
}
