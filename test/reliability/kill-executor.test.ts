import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

import { expect, it } from 'vitest';

import { record } from '../support/figures.ts';
import { executorPid, tempFolder } from '../support/hob.ts';
import { writeLedgerScript } from '../support/ledger-script.ts';
import { startTraced } from '../support/processes.ts';
import { SeededRandom } from '../support/random.ts';
import { patiently, scaled } from '../support/scale.ts';
import { linesOf, until } from '../support/until.ts';

const scenario = 'kill-executor';
const atOnce = 10;

it(
  'repeated kills of the executor leave every run with one true end, and no process',
  patiently,
  async () => {
    const kills = scaled(5, 100);
    const runs = scaled(20, 1000);
    const random = new SeededRandom();
    const scripts = await tempFolder();
    const ledger = join(await tempFolder(), 'ledger');
    const scriptId = await writeLedgerScript(scripts, ledger);
    const { hob, trace } = await startTraced({ scripts: [scripts] });
    const counts = { kills: 0, runs: 0, exited: 0, lost: 0, dishonest: 0, left: 0 };
    const killExecutor = async () => {
      const executor = await executorPid(hob.home);
      process.kill(executor, 'SIGKILL');
      counts.kills += 1;
      const isReplaced = async () => (await executorPid(hob.home).catch(() => executor)) !== executor;
      await until('the next executor is there', isReplaced);
    };

    while (counts.kills < kills || counts.runs < runs) {
      const accepted = new Map<string, number>();
      const posting = Array.from({ length: atOnce }, async () => {
        const code = random.between(0, 99);
        // Half of the runs sleep so long that only the death of their executor ends them.
        const params = { code, sleep: random.next() < 0.5 ? random.next() * 0.3 : 600 };
        const { body } = await hob.post('/api/execute', { script_id: scriptId, params });
        accepted.set(String(body.run_id), code);
      });
      await pause(random.between(0, 200));
      await killExecutor();
      await Promise.all(posting);
      const anyLasts = async () => {
        const records = await Promise.all([...accepted.keys()].map((id) => hob.get(`/api/runs/${id}`)));
        return records.some(({ body }) => body.ended_at === null);
      };
      // The next executor runs the queued runs, and is killed in turn.
      while (await anyLasts()) {
        await pause(random.between(0, 400));
        await killExecutor();
      }

      for (const [runId, code] of accepted) {
        const { end_cause, exit_code } = await hob.ended(runId);
        counts.runs += 1;
        if (end_cause === 'exit' && exit_code === code) counts.exited += 1;
        else if (end_cause === 'lost' && exit_code === null) counts.lost += 1;
        else counts.dishonest += 1;
      }
      const gone = until('no script is left', async () => (await trace.scripts()).length === 0, 10_000);
      counts.left += await gone.then(() => 0).catch(async () => (await trace.scripts()).length);
      const later = await hob.run(scriptId, { params: { code: 7, sleep: 0 } });
      expect(later.body, `after kill ${counts.kills}, seed ${random.seed}`).toMatchObject({ exit_code: 7 });
      expect(hob.process.exitCode, `the service died, seed ${random.seed}`).toBeNull();
    }

    const begun = await linesOf(ledger);
    const figure = (what: string, value: number, exactly?: number) =>
      record({ scenario, what, value, unit: '', ...(exactly !== undefined && { bound: { exactly } }) });
    figure('kills of the executor', counts.kills);
    figure('accepted runs', counts.runs);
    figure('runs that ended with their true exit code', counts.exited);
    figure('runs that ended as lost', counts.lost);
    figure('runs that ended otherwise', counts.dishonest, 0);
    figure('runs that began twice', begun.length - new Set(begun).size, 0);
    figure('processes of scripts left behind', counts.left, 0);
  },
);
