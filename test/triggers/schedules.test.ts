import { rm } from 'node:fs/promises';
import { join } from 'node:path';

import { expect, it } from 'vitest';

import { tempFolder } from '../support/hob.ts';
import { type Restartable, startRestartable } from '../support/restartable.ts';
import { writeScript } from '../support/scripts.ts';
import { linesOf, until } from '../support/until.ts';

interface Slot {
  readonly due_at: string;
  readonly recorded_at: string;
  readonly outcome: string;
  readonly reason: string | null;
  readonly run_id: string | null;
}

/** Schedules whose slots are close together, at different times. */
const intervals = { ticks: 1000, slower: 1150, slowest: 1300 };

/** A script that writes the id of each of its runs to a file, and another one. */
async function scene(entry = '') {
  const folder = await tempFolder();
  const scripts = join(folder, 'scripts');
  const begun = join(folder, 'begun');
  const id = await writeScript(scripts, 'noted', {
    entry: ['main.sh', `echo "$HOB_RUN_ID" >> '${begun}'\n${entry}`],
  });
  const other = await writeScript(scripts, 'other');
  const service = await startRestartable({ scripts: [scripts] });
  return { service, scripts, id, other, begun: () => linesOf(begun) };
}

async function put(service: Restartable, fields: Record<string, unknown>, id = 'ticks'): Promise<void> {
  const { status } = await service.hob.send('PUT', `/api/triggers/${id}`, JSON.stringify(fields));
  expect(status).toBe(200);
}

const enable = (service: Restartable, enabled: boolean, id = 'ticks') =>
  service.hob.send('PATCH', `/api/triggers/${id}`, JSON.stringify({ enabled }));

/** All slots on record, the oldest first. */
async function slotsOf(service: Restartable, id = 'ticks'): Promise<Slot[]> {
  const { body } = await service.hob.get(`/api/triggers/${id}/slots?limit=500`);
  return (body.items as Slot[]).reverse();
}

/** Waits until this many slots that are due after `from` have fired. Returns them. */
async function firedAfter(service: Restartable, from: number, { ids = ['ticks'], count = 1 } = {}) {
  return until(`${count} slots of ${ids.join(', ')} have fired`, async () => {
    const slots = (await Promise.all(ids.map((id) => slotsOf(service, id)))).flat();
    const fired = slots.filter(({ outcome, due_at }) => outcome === 'fired' && Date.parse(due_at) > from);
    return fired.length >= count && fired;
  });
}

it('fires every slot, and none twice or unrecorded, through restarts and kills', async () => {
  const { service, id, begun } = await scene();
  const ids = Object.keys(intervals);
  for (const [name, everyMs] of Object.entries(intervals))
    await put(
      service,
      { script: id, kind: 'schedule', every: `${everyMs}ms`, overlap: 'allow', missed: 'all' },
      name,
    );
  for (const signal of ['SIGTERM', 'SIGKILL', 'SIGKILL', 'SIGTERM', 'SIGKILL'] as const) {
    await firedAfter(service, Date.now(), { ids, count: 2 });
    await service.restart(signal);
  }
  await firedAfter(service, Date.now(), { ids, count: 2 });
  for (const name of ids) await enable(service, false, name);
  // A service that stops waits for a run that is being started.
  await service.restart();

  const all: string[] = [];
  for (const [name, everyMs] of Object.entries(intervals)) {
    const slots = await slotsOf(service, name);
    const due = slots.map(({ due_at }) => Date.parse(due_at));
    expect(due).toEqual(due.map((_, index) => (due[0] ?? 0) + index * everyMs));
    const runs = slots.flatMap(({ run_id }) => run_id ?? []);
    for (const { due_at, recorded_at, outcome, run_id } of slots) {
      expect([outcome, run_id === null]).toEqual(['fired', false]);
      expect(Date.parse(recorded_at)).toBeGreaterThanOrEqual(Date.parse(due_at));
    }
    const { body } = await service.hob.get(`/api/runs?trigger_id=${name}&limit=200`);
    expect((body.items as { run_id: string }[]).map(({ run_id }) => run_id).sort()).toEqual([...runs].sort());
    all.push(...runs);
  }
  expect(new Set(all).size).toBe(all.length);
  for (const run of all) await service.hob.ended(run);
  expect((await begun()).sort()).toEqual(all.sort());
});

it('skips slots while the previous run has not ended, also if that run outlives the service', async () => {
  const { service, id } = await scene('sleep 600');
  await put(service, { script: id, kind: 'schedule', every: '1s' });
  const overlapped = async () => (await slotsOf(service)).filter(({ reason }) => reason === 'overlap').length;
  await until('a slot overlaps', async () => (await overlapped()) > 0);
  await service.restart('SIGKILL');
  const before = await overlapped();
  await until('a slot overlaps again', async () => (await overlapped()) > before);
  const [first, ...others] = await slotsOf(service);
  expect(first?.outcome).toBe('fired');
  expect(others.every(({ reason }) => reason === 'overlap')).toBe(true);
  await service.hob.send('DELETE', '/api/triggers/ticks', '');
  await service.hob.post(`/api/runs/${first?.run_id}/cancel`, {});
  await service.hob.ended(first?.run_id ?? '');
});

it('records slots of a pause, and of the time in which the script was gone', async () => {
  const { service, id, other, scripts } = await scene();
  await put(service, { script: id, kind: 'schedule', every: '1s' });
  await put(service, { script: other, kind: 'schedule', every: '1s', overlap: 'allow' }, 'clock');
  /** Waits until a slot that both schedules have has passed. Returns its time. */
  const slotPasses = async () => {
    const [passed] = await firedAfter(service, Date.now(), { ids: ['clock'] });
    return passed?.due_at ?? '';
  };
  const reasonsAt = async (time: string) =>
    (await slotsOf(service)).filter(({ due_at }) => due_at === time).map(({ reason }) => reason);

  await firedAfter(service, 0);
  await enable(service, false);
  const paused = await slotPasses();
  await enable(service, true);
  await firedAfter(service, Date.parse(paused));
  expect(await reasonsAt(paused)).toEqual(['paused']);

  const state = async () => (await service.hob.get('/api/triggers/ticks')).body.state;
  await rm(join(scripts, 'noted'), { recursive: true });
  await until('the script is missing', async () => (await state()) === 'script-missing');
  const missed = await slotPasses();
  await writeScript(scripts, 'noted', { id });
  await firedAfter(service, Date.parse(missed));
  expect(await reasonsAt(missed)).toEqual(['script-missing']);
  const due = (await slotsOf(service)).map(({ due_at }) => Date.parse(due_at));
  expect(due).toEqual(due.map((_, index) => (due[0] ?? 0) + index * 1000));
});
