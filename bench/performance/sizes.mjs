import { spawnSync } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

import { settle } from '../support/homes.mjs';
import { ratio, rounded, Samples } from '../support/samples.mjs';
import { startService } from '../support/service.mjs';
import { programsFor, writeScript } from './programs.mjs';
import { idOf, withHob, writeParameters } from './scene.mjs';
import { blockedText, longestOf, residentMb, Watch } from './watch.mjs';
import { startWebhook } from './webhook.mjs';

const manyScripts = 2000;
const callers = 8;
/** In several turns: a disturbed turn is discarded as a whole. */
const callsAtOnce = 500;
/** Shares of the runs before memory is compared. The rest are sh. */
const shares = { python: 0.09, node: 0.01 };

/** Measures how long the service takes until it listens, with few and with many scripts. */
export async function measureStarts({ folder, hasWebhook, interpreters, extent, say }) {
  const { sh } = programsFor();
  const homes = [1, Math.round(manyScripts * extent.share)].map((count) => {
    const home = mkdtempSync(join(folder, 'starts-'));
    for (let at = 0; at < count; at++)
      writeScript(join(home, 'scripts'), { id: idOf(at), name: `script-${at}`, ...sh });
    return { home, count, starts: new Samples(), lists: new Samples(), memory: new Samples() };
  });
  settle();
  const bare = new Samples();
  const peer = new Samples();
  const peerFolder = mkdtempSync(join(folder, 'peer-'));
  const command = { file: interpreters.sh, args: ['main.sh', writeParameters(peerFolder)], cwd: peerFolder };
  let longestMs = null;
  for (let at = 0; at < extent.starts; at++) {
    say(`start-up, ${at + 1} of ${extent.starts}`);
    bare.add(timeNode());
    for (const each of homes) {
      const service = await startService(each.home, '');
      const watch = new Watch(service);
      const caller = service.caller();
      try {
        await watch.begin();
        each.starts.add(service.startMs);
        each.lists.add(await watch.during(() => caller.timed('/api/scripts')));
        await watch.during(() => caller.json('/api/execute', { script_id: idOf(0), sync: true }));
        const { blockedMs, serviceMb } = await watch.end();
        each.memory.add(serviceMb);
        longestMs = longestOf([longestMs, blockedMs]);
      } finally {
        caller.close();
        watch.close();
        await service.stop();
      }
    }
    if (!hasWebhook) continue;
    const webhook = await startWebhook(peerFolder, { sh: command });
    peer.add(webhook.startMs);
    await webhook.stop();
  }
  const [few, many] = homes;
  const median = (samples) => rounded(samples.at(0.5));
  return {
    blockedMs: longestMs,
    figures: startFigures({ bare, few: few.starts, many: many.starts }),
    tables: [
      {
        title: `Start-up: p50 of ${extent.starts} (longest block of the event loop once it listened: ${blockedText(longestMs)})`,
        columns: [
          '',
          '1 script',
          `${many.count.toLocaleString('en')} scripts`,
          'ratio',
          'webhook, 1 hook',
          '`node -e 0`',
        ],
        rows: [
          [
            'until it listens, ms',
            median(few.starts),
            median(many.starts),
            ratio(many.starts.at(0.5), few.starts.at(0.5)),
            median(peer),
            median(bare),
          ],
          ['list of all scripts, ms', median(few.lists), median(many.lists), null, null, null],
          [
            'memory of the service after one run, MB',
            median(few.memory),
            median(many.memory),
            ratio(many.memory.at(0.5), few.memory.at(0.5)),
            null,
            null,
          ],
        ],
      },
    ],
  };
}

/** The figures of `measureStarts` that have limits. */
export function startFigures({ bare, few, many }) {
  return {
    'start: 1 script': few.at(0.5) / bare.at(0.5),
    'start: 2,000 scripts': many.at(0.5),
  };
}

/** Milliseconds that a Node process takes that does nothing. */
function timeNode() {
  const began = performance.now();
  const { status } = spawnSync(process.execPath, ['-e', '0'], { stdio: 'ignore' });
  if (status !== 0) throw new Error(`node -e 0 ended with ${status}`);
  return performance.now() - began;
}

/** Measures the memory of service and executor after the start and after many runs. */
export function measureMemory({ folder, load, extent, say }) {
  const programs = programsFor();
  const names = ['sh', 'python', 'node'];
  const scripts = names.map((name, at) => ({ id: idOf(at), name, ...programs[name] }));
  return withHob(folder, scripts, '', async (hob) => {
    const read = () => ({ service: residentMb(hob.pid), executor: residentMb(hob.executorPid()) });
    say('memory, idle');
    await wait(extent.restMs);
    const idle = read();
    await hob.watch.begin();
    let left = extent.manyRuns;
    for (const [at, name] of [...names.entries()].reverse()) {
      const calls = name === 'sh' ? left : Math.round(extent.manyRuns * shares[name]);
      left -= calls;
      say(`memory, ${calls} runs of ${name}`);
      const target = hob.runTarget(idOf(at));
      for (let done = 0; done < calls; done += callsAtOnce) {
        const some = Math.min(callsAtOnce, calls - done);
        await hob.watch.during(() => load.burst({ target, callers, warmUpMs: 0, calls: some }));
      }
    }
    const seen = await hob.watch.end();
    const busy = read();
    await wait(extent.restMs);
    const after = read();
    const row = (when, { service, executor }) => [when, rounded(service), rounded(executor)];
    return {
      blockedMs: seen.blockedMs,
      figures: {
        'memory: service': idle.service,
        'memory: executor': idle.executor,
        'memory: service grown': after.service - idle.service,
        'memory: executor grown': after.executor - idle.executor,
      },
      tables: [
        {
          title: `Memory in MB (resident set including shared pages; 1 MB is a million bytes; longest block of the event loop meanwhile: ${blockedText(seen.blockedMs)})`,
          columns: ['when', 'service', 'executor'],
          rows: [
            row(`idle, ${extent.restMs / 1000} s after the start`, idle),
            row(`right after ${extent.manyRuns.toLocaleString('en')} runs by ${callers} callers`, busy),
            row(`${extent.restMs / 1000} s later`, after),
          ],
        },
      ],
    };
  });
}
