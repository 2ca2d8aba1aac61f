import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

import { DatabaseSync } from '@photostructure/sqlite';
import { expect, it, onTestFinished } from 'vitest';

import { record } from '../support/figures.ts';
import { type Hob, launchHob, tempFolder } from '../support/hob.ts';
import { writeLedgerScript } from '../support/ledger-script.ts';
import { traceProcesses } from '../support/processes.ts';
import { SeededRandom } from '../support/random.ts';
import { patiently, scaled } from '../support/scale.ts';
import { linesOf } from '../support/until.ts';

const scenario = 'kill-service';
const clients = 4;

it(
  'repeated kills of the service lose no run, start none twice, and keep every exit code',
  patiently,
  async () => {
    const kills = scaled(8, 100);
    const wanted = scaled(80, 1000);
    const random = new SeededRandom();
    const trace = traceProcesses();
    const scripts = await tempFolder();
    const ledger = join(await tempFolder(), 'ledger');
    const scriptId = await writeLedgerScript(scripts, ledger);
    const home = await tempFolder();
    const launch = (): Promise<Hob> => launchHob({ home, scripts: [scripts], env: trace.env });
    let hob = await launch();
    onTestFinished(async () => {
      await hob.stop();
      await trace.noneLeft();
    });

    /** The exit code requested of each accepted run. */
    const accepted = new Map<string, number>();
    let unanswered = 0;
    let isDone = false;
    const keepPosting = async () => {
      while (!isDone) {
        const code = random.between(0, 99);
        const params = { code, sleep: random.next() * 0.4 };
        try {
          const answer = await hob.post('/api/execute', { script_id: scriptId, params });
          if (answer.status === 200) accepted.set(String(answer.body.run_id), code);
          else expect(answer.status, `seed ${random.seed}`).toBe(503);
        } catch {
          // The service was killed before it answered, so it may or may not have accepted the run.
          unanswered += 1;
        }
        await pause(random.between(0, 60));
      }
    };
    const posting = Array.from({ length: clients }, keepPosting);

    for (let kill = 1; kill <= kills; kill++) {
      const enough = Math.ceil((wanted * kill) / kills);
      while (accepted.size < enough) await pause(random.between(1, 40));
      await hob.stop('SIGKILL');
      hob = await launch();
    }
    isDone = true;
    await Promise.all(posting);

    let wrong = 0;
    for (const [runId, code] of accepted) {
      const { ended_at, end_cause, exit_code } = await hob.ended(runId);
      if (typeof ended_at === 'string' && end_cause === 'exit' && exit_code === code) continue;
      wrong += 1;
      console.error(`run ${runId}: ${JSON.stringify({ ended_at, end_cause, exit_code })}, not exit ${code}`);
    }
    const begun = await linesOf(ledger);
    let unknown = 0;
    for (const runId of begun) if ((await hob.get(`/api/runs/${runId}`)).status !== 200) unknown += 1;
    const health = (await hob.get('/api/health')).body;
    await hob.stop();
    const database = new DatabaseSync(join(home, 'hob.db'));
    const integrity = String(database.prepare('PRAGMA integrity_check').get()?.integrity_check);
    const endless = database
      .prepare('SELECT count(*) AS count FROM runs WHERE ended_at IS NULL')
      .get()?.count;
    database.close();

    const figure = (what: string, value: number, exactly?: number) =>
      record({ scenario, what, value, unit: '', ...(exactly !== undefined && { bound: { exactly } }) });
    expect(health).toMatchObject({ running: 0, queued: 0 });
    expect(accepted.size).toBeGreaterThanOrEqual(wanted);
    figure('kills of the service', kills);
    figure('accepted runs', accepted.size);
    figure('requests whose response was cut off', unanswered);
    figure('accepted runs without their true exit code', wrong, 0);
    figure(
      'accepted runs that never began',
      [...accepted.keys()].filter((id) => !begun.includes(id)).length,
      0,
    );
    figure('runs that began twice', begun.length - new Set(begun).size, 0);
    figure('runs that began and are not on record', unknown, 0);
    figure('runs on record without an end', Number(endless), 0);
    record({
      scenario,
      what: 'integrity check of the database',
      value: integrity,
      unit: '',
      bound: { exactly: 'ok' },
    });
  },
);
