import { rounded, Samples } from '../support/samples.mjs';
import { targetOf } from './load.mjs';
import { programsFor } from './programs.mjs';
import { idOf, withHob } from './scene.mjs';
import { longestOf } from './watch.mjs';

const callersAtOnce = [1, 8, 32];

/**
 * Measures how many asynchronous runs Hob accepts per second, each on the disk before its caller has the response. Once while the accepted
 * runs are executed, and once while all slots are taken, so that only the acceptance is measured.
 */
export async function measureAccept({ folder, load, extent, say }) {
  const { sh } = programsFor();
  const room = `max_queued = ${10 * extent.accepted}\n`;
  const script = { id: idOf(1), name: 'sh', ...sh };
  const busy = await withHob(folder, [script], room, async (hob) => {
    const taken = await takeOn(hob, { load, extent, say, what: 'while runs are executed' });
    const ended = await endAll(hob, { load, extent, say });
    await requireAllRun(hob, taken.accepted + ended.accepted);
    return { ...taken, ended: ended.perSecond };
  });
  const sleeper = { id: idOf(2), name: 'sleeper', ...sh, text: 'exec sleep 3600\n' };
  const full = await withHob(
    folder,
    [script, sleeper],
    `max_runs = 1\non_stop = "stop"\n${room}`,
    async (hob) => {
      await hob.call('/api/execute', { script_id: idOf(2) });
      const taken = await takeOn(hob, { load, extent, say, what: 'while all slots are taken' });
      const { queued } = await hob.call('/api/health');
      if (queued !== taken.accepted) throw new Error(`${queued} of ${taken.accepted} runs are queued`);
      return taken;
    },
  );
  return {
    blockedMs: longestOf([busy.longestMs, full.longestMs]),
    figures: { 'accept: calls': full.most, 'accept: ended': busy.ended },
    tables: [
      {
        title: 'Accepting asynchronous runs of the sh script, each on the disk before the response',
        columns: [
          'meanwhile',
          'callers',
          'runs',
          'accepted per second',
          'response: p50, ms',
          'p99',
          'blocked, ms',
        ],
        rows: [
          ...busy.rows.map((row) => ['accepted runs are executed', ...row]),
          ...full.rows.map((row) => ['all slots are taken', ...row]),
        ],
      },
      {
        title: `${extent.accepted.toLocaleString('en')} asynchronous runs of the sh script, from the first request to the end of the last run`,
        columns: ['callers', 'runs per second'],
        rows: [[callersAtOnce.at(-1), rounded(busy.ended)]],
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
    if (what === 'while runs are executed') await hob.watch.rest();
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

/** The number of runs that are accepted and executed, in all and per second. */
async function endAll(hob, { load, extent, say }) {
  const callers = callersAtOnce.at(-1);
  say(`accept and end, ${callers} callers`);
  const target = targetOf(`${hob.url}/api/execute`, { body: { script_id: idOf(1) }, expected: 'run_id' });
  const began = performance.now();
  const { allCalls } = await load.burst({ target, callers, warmUpMs: 0, calls: extent.accepted });
  await hob.watch.rest();
  return { accepted: allCalls, perSecond: (1000 * allCalls) / (performance.now() - began) };
}

/** The figure is valid only if all accepted runs were executed. */
async function requireAllRun(hob, accepted) {
  const metrics = await hob.text('/metrics');
  const [, succeeded] = /^hob_runs_ended_total\{.*state="succeeded".*\} (\d+)$/m.exec(metrics) ?? [];
  if (Number(succeeded) !== accepted) throw new Error(`${succeeded} of ${accepted} accepted runs succeeded`);
}
