import { randomUUID } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

import { DatabaseSync } from '@photostructure/sqlite';
import { expect, it } from 'vitest';

import { record } from '../support/figures.ts';
import { type Answer, tempFolder } from '../support/hob.ts';
import { writeLedgerScript } from '../support/ledger-script.ts';
import { SeededRandom } from '../support/random.ts';
import { startRestartable } from '../support/restartable.ts';
import { patiently, scaled } from '../support/scale.ts';
import { linesOf } from '../support/until.ts';

const scenario = 'idempotency';
const clients = 4;
/** How many times each client sends the same request at once. */
const copies = 3;

it('a client that retries with its key until it is answered gets exactly one run', patiently, async () => {
  const kills = scaled(6, 100);
  const wanted = scaled(30, 600);
  const random = new SeededRandom();
  const scripts = await tempFolder();
  const ledger = join(await tempFolder(), 'ledger');
  const scriptId = await writeLedgerScript(scripts, ledger);
  const service = await startRestartable({ scripts: [scripts] });

  let cutOff = 0;
  let wrong = 0;
  let repeats = 0;
  const answered: string[] = [];
  const insist = async (key: string, body: Record<string, unknown>): Promise<Answer> => {
    for (;;) {
      try {
        const answer = await service.hob.post('/api/execute', body, { 'idempotency-key': key });
        if (answer.headers.get('idempotency-replayed') !== null) repeats += 1;
        if (answer.status === 200) return answer;
        expect(answer.status, `seed ${random.seed}`).toBe(503);
      } catch {
        cutOff += 1;
      }
      await pause(random.between(1, 30));
    }
  };
  let isDone = false;
  const keepAsking = async () => {
    while (!isDone) {
      const [key, code, sync] = [randomUUID(), random.between(0, 99), random.next() < 0.5];
      const body = { script_id: scriptId, sync, params: { code, sleep: random.next() * 0.2 } };
      const answers = await Promise.all(Array.from({ length: copies }, () => insist(key, body)));
      const runIds = new Set(answers.map(({ headers }) => headers.get('x-hob-run-id') ?? ''));
      const [runId = ''] = runIds;
      if (runIds.size !== 1) wrong += 1;
      if (sync && answers.some(({ body: { exit_code } }) => exit_code !== code)) wrong += 1;
      if ((await endOf(runId)).exit_code !== code) wrong += 1;
      answered.push(runId);
    }
  };
  /** The record of a run after its end, from any service. */
  const endOf = async (runId: string): Promise<Record<string, unknown>> => {
    for (;;) {
      try {
        const { body } = await service.hob.get(`/api/runs/${runId}?wait=30`);
        if (body.ended_at) return body;
      } catch {
        // The next service will answer.
      }
      await pause(random.between(1, 30));
    }
  };
  const asking = Array.from({ length: clients }, keepAsking);
  for (let kill = 1; kill <= kills; kill++) {
    const enough = Math.ceil((wanted * kill) / kills);
    while (answered.length < enough) await pause(random.between(1, 40));
    await pause(random.between(0, 200));
    await service.restart('SIGKILL');
  }
  isDone = true;
  await Promise.all(asking);

  const begun = await linesOf(ledger);
  await service.hob.stop();
  const database = new DatabaseSync(join(service.hob.home, 'hob.db'));
  const onRecord = database
    .prepare('SELECT run_id FROM runs')
    .all()
    .map(({ run_id }) => String(run_id));
  database.close();
  const folders = await readdir(join(service.hob.home, 'runs'));

  const figure = (what: string, value: number, exactly?: number) =>
    record({ scenario, what, value, unit: '', ...(exactly !== undefined && { bound: { exactly } }) });
  figure('kills of the service', kills);
  figure('requests that got a response in the end', answered.length);
  figure('attempts that were cut off or could not connect', cutOff);
  figure('attempts answered with the run of an earlier attempt', repeats);
  figure('requests with more than one run or a wrong exit code', wrong, 0);
  figure('runs on record in excess of one per request', onRecord.length - answered.length, 0);
  figure('scripts begun in excess of one per request', begun.length - answered.length, 0);
  figure('requests whose run is not in the ledger', answered.filter((id) => !begun.includes(id)).length, 0);
  figure('run folders in excess of one per request', folders.length - answered.length, 0);
});
