import { rounded, Samples } from '../support/samples.mjs';
import { targetOf } from './load.mjs';
import { programsFor } from './programs.mjs';
import { idOf, withHob } from './scene.mjs';
import { longestOf } from './watch.mjs';

const callersAtOnce = [1, 8, 32];

/**
 * How many asynchronous runs are taken on in a second, each on the disk before its caller has the answer. Twice: while those that
 * were taken on are run, as ever, and while all places are taken, so that nothing but the taking on is measured.
 */
export async function measureAccept({ folder, load, extent, say }) {
  const { sh } = programsFor({ hasNumpy: false });
  const room = `max_queued = ${10 * extent.accepted}\n`;
  const script = { id: idOf(1), name: 'sh', ...sh };
  const busy = await withHob(folder, [script], room, async (hob) => {
    const taken = await takeOn(hob, { load, extent, say, what: 'while they are run' });
    await requireAllRun(hob, taken.accepted);
    return taken;
  });
  const sleeper = { id: idOf(2), name: 'sleeper', ...sh, text: 'exec sleep 3600\n' };
  const full = await withHob(
    folder,
    [script, sleeper],
    `max_runs = 1\non_stop = "stop"\n${room}`,
    async (hob) => {
      await hob.call('/api/execute', { script_id: idOf(2) });
      const taken = await takeOn(hob, { load, extent, say, what: 'while all places are taken' });
      const { queued } = await hob.call('/api/health');
      if (queued !== taken.accepted) throw new Error(`of ${taken.accepted} runs ${queued} are queued`);
      return taken;
    },
  );
  return {
    blockedMs: longestOf([busy.longestMs, full.longestMs]),
    figures: { 'accept: calls': full.most },
    tables: [
      {
        title: 'Taking on asynchronous runs of the sh script, on the disk before the answer',
        columns: [
          'meanwhile',
          'callers',
          'runs',
          'taken on in a second',
          'answer: p50, ms',
          'p99',
          'blocked, ms',
        ],
        rows: [
          ...busy.rows.map((row) => ['those taken on are run', ...row]),
          ...full.rows.map((row) => ['all places are taken', ...row]),
        ],
      },
    ],
  };
}

async function takeOn(hob, { load, extent, say, what }) {
  const rows = [];
  let [most, longestMs, accepted] = [0, null, 0];
  for (const callers of callersAtOnce) {
    say(`accept ${what}, ${callers} callers`);
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
    if (what === 'while they are run') await hob.watch.rest();
    const times = new Samples();
    times.addAll(seen.times);
    most = Math.max(most, perSecond);
    longestMs = longestOf([longestMs, blockedMs]);
    rows.push([
      callers,
      seen.times.length,
      ...[perSecond, times.at(0.5), times.at(0.99), blockedMs].map(rounded),
    ]);
  }
  return { rows, most, longestMs, accepted };
}

/** A figure counts only if everything that was taken on was run, too. */
async function requireAllRun(hob, accepted) {
  const metrics = await hob.text('/metrics');
  const [, succeeded] = /^hob_runs_ended_total\{.*state="succeeded".*\} (\d+)$/m.exec(metrics) ?? [];
  if (Number(succeeded) !== accepted)
    throw new Error(`of ${accepted} runs that were taken on, ${succeeded} succeeded`);
}
