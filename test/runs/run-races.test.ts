import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

import { DatabaseSync } from '@photostructure/sqlite';
import { describe, expect, it } from 'vitest';

import { type Answer, type Hob, startHob, tempFolder } from '../support/hob.ts';
import { startTraced } from '../support/processes.ts';
import { SeededRandom } from '../support/random.ts';
import { bash, writeScript } from '../support/scripts.ts';
import { until } from '../support/until.ts';

/** Actions on a run that race with others, and every answer that each may get. */
const actions = {
  cancel: {
    status: [200, 404, 409],
    of: (hob: Hob, runId: string) => hob.post(`/api/runs/${runId}/cancel`, {}),
  },
  remove: { status: [200, 404, 409], of: removeRun },
  rerun: { status: [200, 404], of: (hob: Hob, runId: string) => hob.post(`/api/runs/${runId}/rerun`, {}) },
  wait: { status: [200, 404], of: (hob: Hob, runId: string) => hob.get(`/api/runs/${runId}?wait=60`) },
  look: { status: [200, 404], of: (hob: Hob, runId: string) => hob.get(`/api/runs/${runId}`) },
} as const;
type Action = keyof typeof actions;

const rounds = 24;
const atOnce = 4;
/** How long the script runs, so that actions come before, during and after its end. */
const lastsMs = 60;

async function removeRun(hob: Hob, runId: string): Promise<Answer> {
  const answer = await fetch(`${hob.url}/api/runs/${runId}`, { method: 'DELETE' });
  const body: Record<string, unknown> = JSON.parse(await answer.text());
  return { status: answer.status, headers: answer.headers, body };
}

async function start(settings: string) {
  const scripts = await tempFolder();
  const script = await writeScript(scripts, 'short', { entry: bash(`sleep ${lastsMs / 1000}`) });
  const { hob } = await startTraced({ scripts: [scripts], settings: `stop_grace_s = 1\n${settings}` });
  return { hob, script };
}

interface Done {
  readonly action: Action;
  readonly answer: Answer;
}

/** Starts runs, performs all actions on each at random moments, and returns the answers when all have ended. */
async function play(hob: Hob, script: string, plan: readonly Action[], latestMs: number) {
  const random = new SeededRandom();
  const seen = new Map<string, Done[]>();
  const playOne = async () => {
    for (let round = 0; round < rounds / atOnce; round++) {
      const accepted = await hob.post('/api/execute', { script_id: script });
      const runId = String(accepted.body.run_id);
      const moments = plan.map((action) => ({ action, afterMs: random.next() * latestMs }));
      const done = await Promise.all(
        moments.map(async ({ action, afterMs }): Promise<Done> => {
          await pause(afterMs);
          return { action, answer: await actions[action].of(hob, runId) };
        }),
      );
      for (const { action, answer } of done) {
        expect(actions[action].status, `${action} of ${runId}, seed ${random.seed}`).toContain(answer.status);
        if (action === 'rerun' && answer.status === 200) await ended(hob, String(answer.body.run_id));
      }
      await ended(hob, runId);
      seen.set(runId, done);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, playOne));
  return seen;
}

async function ended(hob: Hob, runId: string): Promise<void> {
  const { status, body } = await hob.get(`/api/runs/${runId}?wait=60`);
  if (status === 200) expect(body.ended_at).not.toBeNull();
  else expect(status).toBe(404);
}

/** In any case each run has one end and one cause, and exists completely or not at all. */
async function checkAll(hob: Hob, seen: ReadonlyMap<string, readonly Done[]>): Promise<void> {
  await hob.stop();
  const lines = hob
    .log()
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line): Record<string, unknown> => JSON.parse(line));
  expect(lines.filter(({ level }) => Number(level) >= 50)).toEqual([]);
  const ends = lines.filter(({ msg }) => msg === 'run ended');
  expect(new Set(ends.map(({ run }) => run)).size).toBe(ends.length);

  const database = new DatabaseSync(join(hob.home, 'hob.db'));
  const rows = database.prepare('SELECT run_id, end_cause, ended_at FROM runs').all();
  const counted = database
    .prepare('SELECT sum(outcome.value ->> 2) AS runs FROM run_days, json_each(outcomes) AS outcome')
    .get()?.runs;
  const kept = database.prepare('SELECT runs FROM history').get()?.runs;
  database.close();
  const onRecord = rows.map(({ run_id }) => String(run_id));
  expect((await readdir(join(hob.home, 'runs'))).sort()).toEqual([...onRecord].sort());
  expect([counted, kept]).toEqual([ends.length, onRecord.length]);
  for (const { run_id, end_cause } of rows) {
    expect(ends.find(({ run }) => run === run_id)?.cause).toBe(end_cause);
  }
  for (const [runId, done] of seen) {
    const removals = done.filter(({ action, answer }) => action === 'remove' && answer.status === 200);
    expect(removals.length).toBeLessThanOrEqual(1);
    expect([runId, onRecord.includes(runId)]).toEqual([runId, removals.length === 0]);
    const cause = String(ends.find(({ run }) => run === runId)?.cause);
    expect(['exit', 'cancelled']).toContain(cause);
    // A run that no caller has cancelled is never reported as being stopped.
    if (!done.some(({ action, answer }) => action === 'cancel' && answer.status === 200)) {
      expect(cause).toBe('exit');
    }
  }
}

const plans: [what: string, plan: Action[], latestMs: number][] = [
  ['cancelled while it starts', ['cancel'], 10],
  ['cancelled around its end', ['cancel'], 3 * lastsMs],
  ['cancelled twice at once', ['cancel', 'cancel'], 2 * lastsMs],
  ['deleted before, at and after its end', ['remove', 'remove', 'remove'], 4 * lastsMs],
  ['cancelled and deleted at once', ['cancel', 'remove', 'remove'], 3 * lastsMs],
  ['rerun while it is deleted', ['rerun', 'remove', 'cancel', 'remove'], 3 * lastsMs],
  ['awaited while it is deleted', ['wait', 'wait', 'cancel', 'remove', 'remove', 'look'], 3 * lastsMs],
];

describe('a run that is', () => {
  it.each(plans)('%s has one end, and each caller gets a clear answer', async (_what, plan, latestMs) => {
    const { hob, script } = await start('');
    await checkAll(hob, await play(hob, script, plan, latestMs));
  });

  it('queued during all actions has one end, and each caller gets a clear answer', async () => {
    const { hob, script } = await start('max_runs = 1\n');
    const plan: Action[] = ['cancel', 'remove', 'rerun', 'wait', 'remove'];
    await checkAll(hob, await play(hob, script, plan, 4 * lastsMs));
  });
});

describe('a run that has ended', () => {
  it('is deleted by one of several concurrent callers, and the others find nothing', async () => {
    const { hob, script } = await start('');
    for (let round = 0; round < 10; round++) {
      const { headers } = await hob.run(script);
      const runId = headers.get('x-hob-run-id') ?? '';
      expect(await actions.cancel.of(hob, runId)).toMatchObject({ status: 409, body: { code: 'run-ended' } });
      const answers = await Promise.all(Array.from({ length: 5 }, () => removeRun(hob, runId)));
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 404, 404, 404, 404]);
      expect(answers.find(({ status }) => status === 200)).toMatchObject({
        body: { status: 'success', message: expect.any(String), run_id: runId },
      });
      for (const action of ['cancel', 'remove', 'rerun', 'wait', 'look'] as const) {
        expect(await actions[action].of(hob, runId)).toMatchObject({
          status: 404,
          body: { code: 'run-unknown' },
        });
      }
    }
    expect(await readdir(join(hob.home, 'runs'))).toEqual([]);
  });

  it('can be deleted, and one that has not ended gets an error with advice', async () => {
    const scripts = await tempFolder();
    const patient = await writeScript(scripts, 'patient', { entry: bash('exec sleep 600') });
    const { hob } = await startTraced({ scripts: [scripts], settings: 'max_runs = 1\nstop_grace_s = 1\n' });
    const submit = async () => String((await hob.post('/api/execute', { script_id: patient })).body.run_id);
    const runIds = [await submit(), await submit()];
    for (const runId of runIds) {
      expect(await removeRun(hob, runId.toUpperCase())).toMatchObject({
        status: 409,
        body: { code: 'run-not-ended', hint: expect.stringContaining(`/api/runs/${runId}/cancel`) },
      });
    }
    for (const runId of runIds.reverse()) {
      await hob.post(`/api/runs/${runId}/cancel`, {});
      await hob.get(`/api/runs/${runId}?wait=60`);
      expect((await removeRun(hob, runId.toUpperCase())).status).toBe(200);
    }
  });

  it('and whose folder was left by a killed service is removed by the next', async () => {
    const { hob, script } = await start('');
    const { headers } = await hob.run(script);
    const runId = headers.get('x-hob-run-id') ?? '';
    await hob.stop();
    const database = new DatabaseSync(join(hob.home, 'hob.db'));
    database.exec(`DELETE FROM runs WHERE run_id = '${runId}'`);
    database.close();
    await startHob({ home: hob.home });
    await until('it is removed', async () => (await readdir(join(hob.home, 'runs'))).length === 0);
  });
});
