import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';

/** Reading what is larger would take longer than it is worth: of such a file the size and the time of its last change must do. */
const mostHashedBytes = 16 * 1024 * 1024;

/** What tells the content of a file from any other; `missing` when it cannot be read. */
export async function fingerprintFile(path: string): Promise<string> {
  try {
    const found = await stat(path);
    if (!found.isFile()) return 'missing';
    if (found.size > mostHashedBytes) return `${found.size}-${Math.round(found.mtimeMs)}`;
    const hash = createHash('sha256');
    for await (const chunk of createReadStream(path, { end: mostHashedBytes })) hash.update(chunk);
    return hash.digest('hex');
  } catch {
    return 'missing';
  }
}
