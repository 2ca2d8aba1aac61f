import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { pino } from 'pino';
import { afterEach, describe, expect, it, vi } from 'vitest';

import { tempFolder } from '../../../test/support/hob.ts';
import { systemClock } from '../../shared/clock.ts';
import { HistoryKeeper } from './history-keeper.ts';
import type { FolderSize } from './retention-store.ts';

const runId = '11111111-1111-4111-8111-111111111111';

afterEach(() => {
  vi.useRealTimers();
});

async function keeperOf({ untended = [] as string[], settle = async () => {} } = {}) {
  const runsFolder = await tempFolder();
  const seen = { rounds: 0, sizes: [] as FolderSize[] };
  let asked = () => {};
  const isAsked = new Promise<void>((resolve) => {
    asked = resolve;
  });
  const keeper = new HistoryKeeper({
    store: {
      untended: () => {
        asked();
        return untended.splice(0);
      },
      tend: (sizes) => seen.sizes.push(...sizes),
      tidy: () => false,
      expired: () => [],
      forgetDays: () => {
        seen.rounds++;
      },
    },
    removal: { forgetRuns: () => [] },
    isKnown: () => false,
    settle,
    runsFolder,
    clock: systemClock,
    log: pino({ level: 'silent' }),
    limits: { days: null, runs: null, bytes: null },
  });
  const folder = join(runsFolder, runId);
  await mkdir(folder);
  for (let file = 0; file < 500; file++) await writeFile(join(folder, `${file}`), 'x');
  return { keeper, runsFolder, seen, isAsked };
}

describe('the keeper of the history', () => {
  it('leaves a folder that it is removing when it is closed', async () => {
    const { keeper, runsFolder } = await keeperOf();
    keeper.start([runId]);
    await keeper.close();
    expect(await readdir(runsFolder)).toEqual([runId]);
  });

  it('records no size of a folder that it is measuring when it is closed', async () => {
    const { keeper, seen, isAsked } = await keeperOf({ untended: [runId] });
    keeper.start([]);
    await isAsked;
    await keeper.close();
    expect(seen.sizes).toEqual([]);
  });

  it('has at most one round waiting while another one lasts', async () => {
    let settled = () => {};
    const settle = () => new Promise<void>((resolve) => (settled = resolve));
    const { keeper, seen } = await keeperOf({ untended: [runId], settle });
    keeper.start([]);
    await vi.waitFor(() => expect(seen.sizes).toHaveLength(1));
    vi.useFakeTimers({ toFake: ['setTimeout'] });
    for (let second = 0; second < 10; second++) {
      keeper.wake();
      await vi.advanceTimersByTimeAsync(1000);
    }
    vi.useRealTimers();
    expect(seen.rounds).toBe(1);
    settled();
    await vi.waitFor(() => expect(seen.rounds).toBe(2));
    await keeper.close();
    expect(seen.rounds).toBe(2);
  });
});
