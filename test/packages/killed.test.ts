import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

import { expect, it, onTestFinished } from 'vitest';
import { namedIn, versionOf } from '../../src/packages/store/installed-record.ts';
import { hashTree, PackageStore } from '../../src/packages/store/package-store.ts';
import { tempFolder } from '../support/hob.ts';
import { packagesHere } from '../support/packages-here.ts';
import { SeededRandom } from '../support/random.ts';

const child = fileURLToPath(new URL('../support/package-child.mjs', import.meta.url));
const id = '2f0c5c5e-8f43-4b0e-9d0e-3f2d6a1f7c11';
const kills = 15;

/** Works on a package until it has reported this many steps, and is then killed. Returns the last step. */
async function workAndDie(folder: string, source: string, steps: number): Promise<string> {
  const worker = spawn(process.execPath, [child, folder, source, id], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => {
    worker.kill('SIGKILL');
  });
  const ended = once(worker, 'exit');
  let reported = 0;
  let last = '';
  for await (const line of createInterface(worker.stdout)) {
    last = line;
    if (++reported >= steps) break;
  }
  worker.kill('SIGKILL');
  await ended;
  return last;
}

it('a process that is killed at any moment leaves complete packages', {
  timeout: 240_000,
}, async () => {
  const folder = join(await tempFolder(), 'packages');
  const source = join(await tempFolder(), 'source');
  const random = new SeededRandom();
  const store = new PackageStore(folder);
  const diedAt = new Set<string>();
  let installed = 0;
  for (let kill = 0; kill < kills; kill++) {
    diedAt.add(await workAndDie(folder, source, random.between(1, 30)));
    const { packages } = await packagesHere({ folder });
    await packages.start();
    const seed = `TEST_SEED=${random.seed}, kill ${kill}`;
    expect(await readdir(join(folder, '.staging')).catch(() => []), seed).toEqual([]);
    const items = await packages.installed();
    expect(await store.ids(), seed).toEqual(items.map(({ scriptId }) => scriptId));
    if (items.length === 0) continue;
    installed++;
    expect(items, seed).toEqual([expect.objectContaining({ scriptId: id, state: 'ready' })]);
    const reading = await store.read(id);
    if (reading.kind !== 'record') throw new Error(`the record is ${reading.kind} (${seed})`);
    const named = namedIn(reading.record);
    expect((await readdir(join(folder, id))).sort(), seed).toEqual(['installed.json', ...named].sort());
    for (const name of named) {
      const content = await hashTree(store.versionFolder(id, name), new AbortController().signal);
      expect(content, `${name}, ${seed}`).toBe(versionOf(reading.record, name).content);
    }
  }
  // The kills must come at different moments, and not before anything exists.
  expect(diedAt.size).toBeGreaterThan(3);
  expect(installed).toBeGreaterThan(kills / 4);
});
