import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { onTestFinished } from 'vitest';

import type { FakeClock } from './fake-clock.ts';
import { type Hob, launchHob, tempFolder } from './hob.ts';
import { traceProcesses } from './processes.ts';
import { writeScript } from './scripts.ts';
import {
  type Contradictions,
  compareSlots,
  isCaughtUp,
  newestRecords,
  runsOf,
  type SlotRecord,
  type Slots,
  slotRecords,
} from './slot-records.ts';
import { linesOf, until } from './until.ts';

export interface SceneSchedule {
  readonly id: string;
  /** How long its script takes. */
  readonly seconds: number;
  /** Its fields in triggers.toml, besides `id`, `script` and `kind`. */
  readonly fields: string;
  readonly slots: Slots;
}

export interface SeenSchedule {
  readonly contradictions: Contradictions;
  readonly records: readonly SlotRecord[];
  readonly fired: number;
}

/** A service whose schedules run scripts that append the id of each run to a ledger file when they begin. */
export interface ScheduleScene {
  readonly hob: Hob;
  /** Kills the service and starts the next one on the same home. */
  kill(): Promise<void>;
  /** Waits until every schedule has recorded its slots up to a time. */
  caughtUp(time: number): Promise<void>;
  /** The records of a schedule so far. */
  records(id: string): Promise<SlotRecord[]>;
  /** Switches all schedules off, waits for their runs, and compares the records with the runs and the ledgers. */
  finish(): Promise<Map<string, SeenSchedule>>;
}

const noLimits = 'history_days = 0\nhistory_runs = 0\nhistory_mib = 0\n';

/** `clock`: the time of the service; absent: the real time. */
export async function startScene(
  schedules: readonly SceneSchedule[],
  clock: FakeClock | null,
): Promise<ScheduleScene> {
  const trace = traceProcesses();
  const [home, scripts, ledgers] = [await tempFolder(), await tempFolder(), await tempFolder()];
  const ledgerOf = (id: string) => join(ledgers, id);
  const now = () => clock?.now() ?? Date.now();
  for (const { id, seconds } of schedules)
    await writeScript(scripts, id, {
      entry: ['main.sh', `echo "$HOB_RUN_ID" >> "${ledgerOf(id)}"\nsleep ${seconds}\n`],
    });
  await writeFile(
    join(home, 'triggers.toml'),
    schedules
      .map(({ id, fields }) => `[[trigger]]\nid = "${id}"\nscript = "${id}"\nkind = "schedule"\n${fields}\n`)
      .join('\n'),
  );
  const launch = async () => {
    const env = { TZ: 'UTC', ...clock?.env, ...trace.env };
    const launched = await launchHob({ home, scripts: [scripts], settings: noLimits, env });
    clock?.noteProcess(launched.process.pid);
    return launched;
  };
  let hob = await launch();
  onTestFinished(async () => {
    hob.process.kill('SIGCONT');
    await hob.stop();
    await trace.noneLeft();
  });
  await until('all schedules are on', async () => {
    const { items } = (await hob.get('/api/triggers')).body as { items: { state: string; next: string[] }[] };
    return (
      items.length === schedules.length && items.every(({ state, next }) => state === 'on' && next.length > 0)
    );
  });
  const from = now();
  let to = from;

  return {
    get hob() {
      return hob;
    },
    async kill() {
      await hob.stop('SIGKILL');
      hob = await launch();
    },
    async caughtUp(time) {
      for (const { id, slots } of schedules)
        await until(`${id} has recorded its slots up to ${new Date(time).toISOString()}`, async () =>
          isCaughtUp(slots, await newestRecords(hob, id), from, time),
        );
      to = Math.max(to, time);
    },
    records: (id) => slotRecords(hob, id),
    async finish() {
      for (const { id } of schedules) await hob.send('PATCH', `/api/triggers/${id}`, '{"enabled":false}');
      await until('no run is left', async () => {
        const { running, queued } = (await hob.get('/api/health')).body;
        return running === 0 && queued === 0;
      });
      const seen = new Map<string, SeenSchedule>();
      for (const { id, slots } of schedules) {
        const [records, runs] = [await slotRecords(hob, id), await runsOf(hob, id)];
        const witnesses = await linesOf(ledgerOf(id));
        const contradictions = compareSlots({ slots, from, to, records, runs, witnesses });
        const fired = records.filter(({ outcome }) => outcome === 'fired').length;
        seen.set(id, { contradictions, records, fired });
      }
      return seen;
    },
  };
}
