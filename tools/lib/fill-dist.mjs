import { copyFileSync, mkdirSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

import { build as buildPages } from 'vite';

import { bundle } from './bundle.mjs';
import { buildClient } from './client-package.mjs';
import { compressFiles } from './compress-files.mjs';
import { root, sourceFiles } from './prepare.mjs';

/** `node tools/lib/fill-dist.mjs COMPILED DIST`: makes the second folder from the output of the compiler, and adds the console. */
const [compiled, dist] = process.argv.slice(2);
await bundle({ root, compiled, dist });
await buildClient({ root, compiled, target: join(dist, 'client') });
copyHosts();
await buildConsole(join(dist, 'web'));

async function buildConsole(outDir) {
  await buildPages({
    configFile: join(root, 'web', 'vite.config.ts'),
    logLevel: 'warn',
    build: { outDir, emptyOutDir: true },
  });
  compressFiles(outDir);
}

/** Copies the files that other interpreters run. */
function copyHosts() {
  const source = join(root, 'src');
  for (const path of sourceFiles(source)) {
    const place = relative(source, path).replace(/\.cts$/, '.cjs');
    if (place.endsWith('.py')) {
      mkdirSync(dirname(join(compiled, place)), { recursive: true });
      copyFileSync(path, join(compiled, place));
    }
    if (!/\.(?:py|cjs)$/.test(place)) continue;
    mkdirSync(dirname(join(dist, place)), { recursive: true });
    copyFileSync(join(compiled, place), join(dist, place));
  }
}
