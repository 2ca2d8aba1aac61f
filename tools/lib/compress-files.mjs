import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { constants, gzipSync } from 'node:zlib';

const compressible = /\.(?:html|js|css|svg)$/;
/** Smaller files fit into one packet anyway. */
const smallestBytes = 1024;

/**
 * Writes a compressed copy beside every file that becomes smaller, once at build time and not at every request. Only gzip: without TLS, browsers
 * accept nothing better, except from their own machine, where the size does not matter.
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
