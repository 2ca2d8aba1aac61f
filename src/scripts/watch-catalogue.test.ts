import { randomUUID } from 'node:crypto';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { pino } from 'pino';
import { it } from 'vitest';

import { tempFolder } from '../../test/support/hob.ts';
import { until } from '../../test/support/until.ts';
import { Catalogue } from './catalogue.ts';
import { watchCatalogue } from './watch-catalogue.ts';

it('detects a change right after another one, at any time of the first scan', async () => {
  const root = await tempFolder();
  const id = randomUUID();
  await mkdir(join(root, 'script'));
  const rename = (name: string) =>
    writeFile(
      join(root, 'script', 'script.toml'),
      `[service.info]\nid = "${id}"\nname = "${name}"\n[service.runtime]\nlanguage = "bash"\nentry = "main.sh"\n`,
    );
  const catalogue = new Catalogue([root]);
  const watched = await watchCatalogue(catalogue, pino({ enabled: false }));
  const named = (name: string) =>
    until(`the script is called ${name}`, async () => catalogue.find(id)?.name === name, 10_000);
  try {
    // The second change happens shortly before the scan that the first one triggers, the third right after it.
    for (const pause of [20, 40, 50, 60, 65, 70, 75]) {
      await rename(`first-${pause}`);
      await sleep(pause);
      await rename(`second-${pause}`);
      await named(`second-${pause}`);
      await rename(`third-${pause}`);
      await named(`third-${pause}`);
    }
  } finally {
    await watched.close();
  }
});

it('detects a script that is added to a new folder while the watcher still reads it', async () => {
  const [root, away] = [await tempFolder(), await tempFolder()];
  // Enough folders that reading them takes the watcher far longer than the first scan.
  for (let number = 0; number < 3000; number++)
    await mkdir(join(away, 'many', `${number}`), { recursive: true });
  const catalogue = new Catalogue([root]);
  const watched = await watchCatalogue(catalogue, pino({ enabled: false }));
  try {
    await rename(join(away, 'many'), join(root, 'many'));
    // At several times, because the watcher does not report when it has read the folder.
    for (const pause of [200, 200, 200]) {
      await sleep(pause);
      const id = randomUUID();
      await mkdir(join(root, 'many', id));
      await writeFile(
        join(root, 'many', id, 'script.toml'),
        `[service.info]\nid = "${id}"\nname = "late"\n[service.runtime]\nlanguage = "bash"\nentry = "main.sh"\n`,
      );
    }
    await until('all three are seen', async () => catalogue.scripts().length === 3, 20_000);
  } finally {
    await watched.close();
  }
});
