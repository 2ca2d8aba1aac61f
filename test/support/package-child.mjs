import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';

import { Packages } from '../../build/packages/operations/packages.js';
import { loadFolder } from '../../build/scripts/load-folder.js';
import { systemClock } from '../../build/shared/clock.js';
import { createLogger } from '../../build/shared/log.js';

/**
 * Installs, updates, rolls back and uninstalls one package forever, in a separate process that a test may kill. Arguments: the
 * folder of packages, a folder for the source, and the id of the script. Prints a line for every step.
 */
const [, , folder, source, id] = process.argv;
const scripts = new Map();
const catalogue = {
  find: (wanted) => scripts.get(wanted) ?? null,
  isForeign: () => false,
  async refresh(paths) {
    for (const path of paths) {
      scripts.delete(basename(path));
      const text = await readFile(join(path, 'installed.json'), 'utf8').catch(() => null);
      if (text === null) continue;
      const loaded = await loadFolder(join(path, JSON.parse(text).current));
      if (loaded?.kind === 'script') scripts.set(loaded.script.id, loaded.script);
    }
  },
};
const packages = new Packages({
  folder,
  catalogue,
  fetch: async ({ location }, { into }) => {
    await cp(location, join(into, 'package'), { recursive: true });
    return { folder: join(into, 'package'), commit: null, notes: [] };
  },
  check: async (path) => {
    const loaded = await loadFolder(path);
    return { script: loaded?.kind === 'script' ? loaded.script : null, problems: [] };
  },
  prepare: async () => ({ kind: 'none' }),
  isInUse: () => false,
  parseSource: () => {
    throw new Error('nothing is parsed here');
  },
  env: {},
  clock: systemClock,
  log: await createLogger('silent'),
});
const ended = new Map();
packages.progress.subscribe((view) => {
  process.stdout.write(`${view.kind} ${view.stage ?? view.state}\n`);
  if (view.state !== 'running') ended.get(view.id)?.();
});

async function carryOut(operation) {
  await new Promise((resolve) => {
    ended.set(operation.id, resolve);
    if (packages.find(operation.id)?.state !== 'running') resolve();
  });
}

async function writeVersion(version) {
  await mkdir(source, { recursive: true });
  await writeFile(
    join(source, 'script.toml'),
    `[service.info]\nid = "${id}"\nname = "Sample"\nversion = "${version}"\n[service.runtime]\nlanguage = "bash"\nentry = "main.sh"\n`,
  );
  await writeFile(join(source, 'main.sh'), 'exit 0\n');
  for (let file = 0; file < 40; file++)
    await writeFile(join(source, `file-${file}`), `${version} `.repeat(500));
}

await packages.start();
await catalogue.refresh([join(folder, id)]);
const from = { kind: 'folder', location: source, ref: null, path: null };
for (let count = 0; ; count++) {
  await writeVersion(`1.0.${Date.now()}`);
  const [item] = await packages.installed();
  if (item === undefined) await carryOut(await packages.install({ source: from, prepare: true }));
  else if (item.previous !== null && count % 3 === 1) await carryOut(await packages.rollback(id));
  else if (count % 5 === 4) {
    await packages.uninstall(id);
    process.stdout.write('uninstall done\n');
  } else await carryOut(await packages.update(id, { source: from, prepare: true }));
}
