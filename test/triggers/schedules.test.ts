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

const secondMs = 1000;

/** A script that writes the id of each of its runs to a file. */
async function scene(entry = '') {
  const folder = await tempFolder();
  const scripts = join(folder, 'scripts');
  const begun = join(folder, 'begun');
  const id = await writeScript(scripts, 'noted', {
    entry: ['main.sh', `echo "$HOB_RUN_ID" >> '${begun}'\n${entry}`],
  });
  const service = await startRestartable({ scripts: [scripts] });
  return { service, scripts, id, begun: () => linesOf(begun) };
}

async function put(service: Restartable, fields: Record<string, unknown>, id = 'ticks'): Promise<void> {
  const { status } = await service.hob.send('PUT', `/api/triggers/${id}`, JSON.stringify(fields));
  expect(status).toBe(200);
}

/** All slots on record, the oldest first. */
async function slotsOf(service: Restartable): Promise<Slot[]> {
  const { body } = await service.hob.get('/api/triggers/ticks/slots?limit=500');
  return (body.items as Slot[]).reverse();
}

async function untilFired(service: Restartable, count: number): Promise<Slot[]> {
  return until(`${count} slots have fired`, async () => {
    const slots = await slotsOf(service);
    return slots.filter(({ outcome }) => outcome === 'fired').length >= count && slots;
  });
}

it('starts a run each second, and no slot twice or unrecorded, through restarts and kills', async () => {
  const { service, id, begun } = await scene();
  await put(service, { script: id, kind: 'schedule', every: '1s', overlap: 'allow', missed: 'all' });
  let fired = 2;
  for (const signal of ['SIGTERM', 'SIGKILL', 'SIGKILL', 'SIGTERM', 'SIGKILL'] as const) {
    await untilFired(service, fired);
    await service.restart(signal);
    fired = (await slotsOf(service)).filter(({ outcome }) => outcome === 'fired').length + 2;
  }
  await untilFired(service, fired);
  await service.hob.send('PATCH', '/api/triggers/ticks', '{"enabled":false}');
  // A service that stops waits for a run that is being started.
  await service.restart();
  const slots = await slotsOf(service);

  const due = slots.map(({ due_at }) => Date.parse(due_at));
  expect(due).toEqual(due.map((_, index) => (due[0] ?? 0) + index * secondMs));
  const runs = slots.flatMap(({ run_id }) => run_id ?? []);
  expect(new Set(runs).size).toBe(runs.length);
  for (const { due_at, recorded_at, outcome, run_id } of slots) {
    expect([outcome, run_id === null]).toEqual(['fired', false]);
    expect(Date.parse(recorded_at)).toBeGreaterThanOrEqual(Date.parse(due_at));
  }
  for (const run of runs) await service.hob.ended(run);
  expect((await begun()).sort()).toEqual([...runs].sort());
  const { body } = await service.hob.get('/api/runs?trigger_id=ticks&limit=200');
  expect((body.items as { run_id: string }[]).map(({ run_id }) => run_id).sort()).toEqual([...runs].sort());
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
  const { service, id, scripts } = await scene();
  await put(service, { script: id, kind: 'schedule', every: '1s' });
  await untilFired(service, 1);
  const enable = (enabled: boolean) =>
    service.hob.send('PATCH', '/api/triggers/ticks', JSON.stringify({ enabled }));
  await enable(false);
  const off = Date.now();
  await until('a slot has passed', async () => Date.now() > off + 1500);
  await enable(true);
  const slots = await untilFired(service, 2);
  expect(slots.map(({ reason }) => reason)).toContain('paused');

  const state = async () => (await service.hob.get('/api/triggers/ticks')).body.state;
  await rm(join(scripts, 'noted'), { recursive: true });
  await until('the script is missing', async () => (await state()) === 'script-missing');
  const gone = Date.now();
  await until('a slot has passed', async () => Date.now() > gone + 1500);
  await writeScript(scripts, 'noted', { id });
  await until('the script is back', async () => (await state()) === 'on');
  const reasons = await until('the slots are recorded', async () => {
    const all = (await slotsOf(service)).map(({ reason }) => reason);
    return all.includes('script-missing') && all;
  });
  expect(reasons).toContain('script-missing');
});
