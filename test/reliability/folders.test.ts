import { createHash } from 'node:crypto';
import { mkdir, open, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

import { DatabaseSync } from '@photostructure/sqlite';
import { expect, it } from 'vitest';

import { record } from '../support/figures.ts';
import { startInbox } from '../support/inbox-scene.ts';
import { SeededRandom } from '../support/random.ts';
import { patiently, scaled } from '../support/scale.ts';
import { until } from '../support/until.ts';

const scenario = 'folders';
const writers = 8;
/** The `settle` of the trigger. */
const settleMs = 200;

/** Writes a file as a program would that is slow, or careful. */
type Writing = (path: string, content: Buffer, random: SeededRandom) => Promise<void>;

/** Ends of the pieces in which a file is written. */
const cuts = ({ length }: Buffer) => [length >> 2, length >> 1, length];

async function inPieces(
  path: string,
  content: Buffer,
  between: () => Promise<unknown>,
  { isReserved = false } = {},
) {
  const file = await open(path, 'w');
  if (isReserved) await file.truncate(content.length);
  let from = 0;
  for (const to of cuts(content)) {
    await file.write(content, from, to - from, from);
    from = to;
    await between();
  }
  await file.close();
}

const ways: Record<string, Writing> = {
  'at once': (path, content) => writeFile(path, content),
  'with pauses longer than settle': (path, content, random) =>
    inPieces(path, content, () => pause(random.between(0, 4 * settleMs))),
  'into space that it has reserved': (path, content, random) =>
    inPieces(path, content, () => pause(random.between(0, 3 * settleMs)), { isReserved: true }),
  'under a partial name': async (path, content, random) => {
    await inPieces(`${path}.part`, content, () => pause(random.between(0, 2 * settleMs)));
    await rename(`${path}.part`, path);
  },
  'under a hidden name': async (path, content, random) => {
    const hidden = join(dirname(path), `.${random.next()}`);
    await inPieces(hidden, content, () => pause(random.between(0, 2 * settleMs)));
    await rename(hidden, path);
  },
  'under another name that it still has open': async (path, content, random) => {
    const other = `${path}.download`;
    await writeFile(other, '');
    const file = await open(other, 'r+');
    await file.write(content.subarray(0, content.length >> 1));
    await rename(other, path);
    await pause(random.between(0, 3 * settleMs));
    await file.write(content.subarray(content.length >> 1));
    await file.close();
  },
  'elsewhere, and moves it': async (path, content) => {
    const aside = join(dirname(dirname(path)), 'aside');
    await mkdir(aside, { recursive: true });
    const place = join(aside, createHash('md5').update(path).digest('hex'));
    await writeFile(place, content);
    await rename(place, path);
  },
};

it(
  'slow writers and kills of the service lead to exactly one run for each complete file',
  patiently,
  async () => {
    const files = scaled(160, 1000);
    const kills = scaled(2, 6);
    const random = new SeededRandom();
    const scene = await startInbox({ fields: 'recursive = true' });
    await scene.watching();
    const kinds = Object.values(ways);
    const expected = new Map<string, string>();
    let next = 0;
    const write = async () => {
      for (let index = next++; index < files; index = next++) {
        const folder = join(scene.inbox, ['', 'sub', '子 folder'][index % 3] ?? '');
        await mkdir(folder, { recursive: true });
        const path = join(folder, `${index} 文件.bin`);
        const content = random.bytes(random.between(0, 4000));
        expected.set(path, createHash('sha256').update(content).digest('hex'));
        await kinds[index % kinds.length]?.(path, content, random);
      }
    };
    const startedMs = performance.now();
    const writing = Promise.all(Array.from({ length: writers }, write));
    for (let kill = 1; kill <= kills; kill++) {
      await scene.untilProcessed(Math.floor((files * kill) / (kills + 1)));
      await scene.restart('SIGKILL', () => pause(random.between(0, 300)));
    }
    await writing;
    await until(
      'every file is processed',
      async () => new Set((await scene.processed()).map(({ path }) => path)).size === files,
    );
    // A file that is handed over a second time would arrive with the next ones.
    await scene.restart('SIGKILL');
    await writeFile(join(scene.inbox, 'last.bin'), 'last');
    await until('the last file is processed', async () =>
      (await scene.processed()).some(({ path }) => path.endsWith('last.bin')),
    );
    const lastedMs = performance.now() - startedMs;
    const all = (await scene.processed()).filter(({ path }) => !path.endsWith('last.bin'));
    const incomplete = all.filter(({ path, sha256 }) => expected.get(path) !== sha256);
    for (const { path } of incomplete) console.error(`incomplete, seed ${random.seed}: ${path}`);
    const database = new DatabaseSync(join(scene.hob.home, 'hob.db'));
    const countOf = (table: string) =>
      Number(database.prepare(`SELECT count(*) AS count FROM ${table}`).get()?.count);
    await until('no handover is left', async () => countOf('trigger_handovers') === 0);
    const fired = countOf("trigger_firings WHERE outcome = 'fired'");
    database.close();

    const figure = (what: string, value: number, exactly?: number) =>
      record({ scenario, what, value, unit: '', ...(exactly !== undefined && { bound: { exactly } }) });
    figure('files written', files);
    figure('kills of the service', kills + 1);
    figure(
      'files without a run',
      [...expected.keys()].filter((path) => !all.some((one) => one.path === path)).length,
      0,
    );
    figure('files with two runs', all.length - new Set(all.map(({ path }) => path)).size, 0);
    figure('files that were not complete when their run read them', incomplete.length, 0);
    figure('arrivals on record', fired, files + 1);
    record({ scenario, what: 'time from the first file to the last run', value: lastedMs / 1000, unit: 's' });
    expect(expected.size).toBe(files);
  },
);
