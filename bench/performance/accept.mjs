import { rounded, Samples } from '../support/samples.mjs';
import { targetOf } from './load.mjs';
import { programsFor } from './programs.mjs';
import { idOf, withHob } from './scene.mjs';

const callersAtOnce = [1, 8, 32];

/**
 * How many asynchronous runs are taken on in a second. Each is on the disk before its caller has the answer, and those that were
 * taken on are run meanwhile, as ever.
 */
export function measureAccept({ folder, load, extent, say }) {
  const { sh } = programsFor({ hasNumpy: false });
  const room = `max_queued = ${10 * extent.accepted}\n`;
  return withHob(folder, [{ id: idOf(1), name: 'sh', ...sh }], room, async (hob) => {
    const rows = [];
    let [most, longestMs, accepted] = [0, 0, 0];
    for (const callers of callersAtOnce) {
      say(`accept, ${callers} callers`);
      await hob.watch.begin();
      const target = targetOf(`${hob.url}/api/execute`, {
        body: { script_id: idOf(1) },
        expected: 'run_id',
      });
      const seen = await hob.watch.during(() =>
        load.burst({ target, callers, warmUpMs: 100, calls: extent.accepted }),
      );
      accepted += seen.allCalls;
      const perSecond = (1000 * seen.times.length) / seen.elapsedMs;
      const { blockedMs } = await hob.watch.end();
      await hob.watch.rest();
      const times = new Samples();
      for (const ms of seen.times) times.add(ms);
      most = Math.max(most, perSecond);
      longestMs = Math.max(longestMs, blockedMs);
      rows.push([callers, seen.times.length, perSecond, times.at(0.5), times.at(0.99), blockedMs]);
    }
    await requireAllRun(hob, accepted);
    return {
      blockedMs: longestMs,
      figures: { 'accept: calls': most },
      tables: [
        {
          title:
            'Taking on asynchronous runs of the sh script, on the disk before the answer, while those taken on are run',
          columns: ['callers', 'runs', 'taken on in a second', 'answer: p50, ms', 'p99', 'blocked, ms'],
          rows: rows.map(([callers, runs, ...rest]) => [callers, runs, ...rest.map(rounded)]),
        },
      ],
    };
  });
}

/** A figure counts only if everything that was taken on was run, too. */
async function requireAllRun(hob, accepted) {
  const metrics = await hob.text('/metrics');
  const [, succeeded] = /^hob_runs_ended_total\{.*state="succeeded".*\} (\d+)$/m.exec(metrics) ?? [];
  if (Number(succeeded) !== accepted)
    throw new Error(`of ${accepted} runs that were taken on, ${succeeded} succeeded`);
}
