import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';

import { ZipFile } from 'yazl';

import { type PackedEntry, readContent } from './scan-folder.ts';

/** A zip of these entries; the same entries give the same bytes. */
export function zipStream(folder: string, entries: readonly PackedEntry[]): Readable {
  const zip = new ZipFile();
  const output = new PassThrough();
  zip.on('error', (error: Error) => output.destroy(error));
  // A consumer that stops early leaves no file open.
  let current: Readable | null = null;
  output.on('close', () => current?.destroy());
  // The format has no time zone: use its earliest time, which is the same everywhere.
  const fixed = { mtime: new Date(1980, 0, 1), forceDosTimestamp: true };
  for (const entry of entries) {
    if (entry.kind === 'folder') zip.addEmptyDirectory(entry.path, { ...fixed, mode: 0o040755 });
    else {
      const mode = entry.isExecutable ? 0o100755 : 0o100644;
      zip.addReadStreamLazy(entry.path, { ...fixed, mode }, (give) => {
        const content = Readable.from(readContent(join(folder, entry.path)));
        content.on('error', (error) => output.destroy(error));
        current = content;
        give(null, content);
      });
    }
  }
  zip.end();
  zip.outputStream.pipe(output);
  return output;
}
