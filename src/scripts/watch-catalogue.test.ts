import { randomUUID } from 'node:crypto';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { pino } from 'pino';
import { expect, it } from 'vitest';

import { tempFolder } from '../../test/support/hob.ts';
import { until } from '../../test/support/until.ts';
import { Catalogue } from './catalogue.ts';
import { watchCatalogue } from './watch-catalogue.ts';

const manifest = (id: string, name: string) =>
  `[service.info]\nid = "${id}"\nname = "${name}"\n[service.runtime]\nlanguage = "bash"\nentry = "main.sh"\n`;

const [changed, removed, added] = [randomUUID(), randomUUID(), randomUUID()];
const namesOf = (catalogue: Catalogue) => catalogue.scripts().map(({ name }) => name);

/** Changes to a folder with the scripts `changed` and `removed` and an empty folder `added`, with the names of the scripts afterwards. */
const changes: readonly [what: string, make: (root: string) => void, names: readonly string[]][] = [
  [
    'changed',
    (root) => writeFileSync(join(root, 'changed', 'script.toml'), manifest(changed, 'new')),
    ['new', 'removed'],
  ],
  ['removed', (root) => rmSync(join(root, 'removed'), { recursive: true }), ['changed']],
  [
    'added',
    (root) => writeFileSync(join(root, 'added', 'script.toml'), manifest(added, 'added')),
    ['added', 'changed', 'removed'],
  ],
];

it.each(
  changes.flatMap(([what, make, names]) => [
    { what, when: 'before the watcher starts', isEarly: true, make, names },
    { what, when: 'before the watcher has read any folder', isEarly: false, make, names },
  ]),
)('notices a script that is $what $when', async ({ isEarly, make, names }) => {
  const root = await tempFolder();
  for (const folder of ['changed', 'removed', 'added']) await mkdir(join(root, folder));
  await writeFile(join(root, 'changed', 'script.toml'), manifest(changed, 'changed'));
  await writeFile(join(root, 'removed', 'script.toml'), manifest(removed, 'removed'));
  const catalogue = new Catalogue([root]);
  await catalogue.load();
  expect(namesOf(catalogue)).toEqual(['changed', 'removed']);
  if (isEarly) make(root);
  const watched = watchCatalogue(catalogue, pino({ enabled: false }));
  // The watcher reads folders asynchronously, so it has read none yet.
  if (!isEarly) make(root);
  try {
    await until('the change is noticed', async () => namesOf(catalogue).join() === names.join(), 10_000);
  } finally {
    await watched.close();
  }
});

it('detects a change right after another one, at any time of the first scan', async () => {
  const root = await tempFolder();
  const id = randomUUID();
  await mkdir(join(root, 'script'));
  const rename = (name: string) => writeFile(join(root, 'script', 'script.toml'), manifest(id, name));
  const catalogue = new Catalogue([root]);
  await catalogue.load();
  const watched = watchCatalogue(catalogue, pino({ enabled: false }));
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

it('watches a folder that is created at any moment of the first scan', async () => {
  // Each round creates the folder a little later. The watcher reads a folder before it watches it.
  for (let turns = 0; turns < 40; turns++) {
    const root = await tempFolder();
    const catalogue = new Catalogue([root]);
    await catalogue.load();
    const watched = watchCatalogue(catalogue, pino({ enabled: false }));
    try {
      for (let turn = 0; turn < turns; turn++) await new Promise((resolve) => setImmediate(resolve));
      const id = randomUUID();
      mkdirSync(join(root, 'script'));
      writeFileSync(join(root, 'script', 'script.toml'), manifest(id, 'first'));
      await until('the script is found', async () => namesOf(catalogue).join() === 'first', 10_000);
      writeFileSync(join(root, 'script', 'script.toml'), manifest(id, 'second'));
      await until('the change is noticed', async () => namesOf(catalogue).join() === 'second', 10_000);
    } finally {
      await watched.close();
    }
  }
});

it('detects a script that is added to a new folder while the watcher still reads it', async () => {
  const [root, away] = [await tempFolder(), await tempFolder()];
  // Enough folders that reading them takes the watcher far longer than the first scan.
  for (let number = 0; number < 3000; number++)
    await mkdir(join(away, 'many', `${number}`), { recursive: true });
  const catalogue = new Catalogue([root]);
  await catalogue.load();
  const watched = watchCatalogue(catalogue, pino({ enabled: false }));
  try {
    await rename(join(away, 'many'), join(root, 'many'));
    // At several times, because the watcher does not report when it has read the folder.
    for (const pause of [200, 200, 200]) {
      await sleep(pause);
      const id = randomUUID();
      await mkdir(join(root, 'many', id));
      await writeFile(join(root, 'many', id, 'script.toml'), manifest(id, 'late'));
    }
    await until('all three are seen', async () => catalogue.scripts().length === 3, 20_000);
  } finally {
    await watched.close();
  }
});
