import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';

/** Hashing a larger file takes too long. Its fingerprint is its size and modification time. */
const mostHashedBytes = 16 * 1024 * 1024;

/** Returns a value that changes with the content of a file; `missing` if the file cannot be read. */
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
