import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { constants, gzipSync } from 'node:zlib';

const compressible = /\.(?:html|js|css|svg)$/;
/** Smaller ones go in one packet either way. */
const smallestBytes = 1024;

/**
 * Puts a compressed copy beside every file that gets smaller by it, once, instead of at every request. gzip alone: without TLS browsers
 * ask for nothing better, unless the service is on their own machine, where the size does not matter.
 */
export function compressFiles(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true })) {
    if (!entry.isFile() || !compressible.test(entry.name)) continue;
    const path = join(entry.parentPath ?? entry.path, entry.name);
    const content = readFileSync(path);
    if (content.length >= smallestBytes)
      writeFileSync(`${path}.gz`, gzipSync(content, { level: constants.Z_BEST_COMPRESSION }));
  }
}
