import { ratio, rounded, Samples } from '../support/samples.mjs';
import { measureFloor } from './floor.mjs';
import { withRivals } from './rivals.mjs';
import { Undisturbed } from './undisturbed.mjs';
import { residentMb } from './watch.mjs';

const callersAtOnce = [1, 8, 32];
/** A person makes two calls per second. */
const paceMs = 500;
const callsAtPace = 10;

/**
 * Runs the same script with the same interpreter by Hob, by webhook and without a service, in turn, so that disturbances of the machine
 * affect all of them. Returns the results for each number of callers, and for one caller at a person's pace.
 */
export function compareProgram(name, program, scene) {
  const { floor, load, extent, say } = scene;
  return withRivals(name, program, scene, async ({ hob, webhook, targets, smallTargets, command }) => {
    const seen = [];
    say(`${name}, warming up`);
    const settle = (target, ms) => load.burst({ target, callers: 8, warmUpMs: 0, ms });
    // Warm up with the small script first: a script that takes half a second would give the service only a hundred runs.
    for (const target of smallTargets) await settle(target, extent.settleMs / 2);
    for (const target of targets) await settle(target, extent.settleMs);
    const watched = async (callers, turns, measureSides) => {
      await hob.watch.begin();
      // Limited, so that the measurement also ends on a machine that is never quiet.
      const undisturbed = new Undisturbed({ again: turns });
      const sides = await measureSides(undisturbed);
      const medians = Object.entries(sides).map(([who, side]) => `${who} ${rounded(side?.times.at(0.5))}`);
      say(`${name}, ${callers}: p50 in ms: ${medians.join(', ')}`);
      const beside = { ...(await hob.watch.end()), webhookMb: webhook && residentMb(webhook.pid) };
      seen.push({ program: name, title: program.title, callers, ...sides, ...beside });
    };
    for (const callers of callersAtOnce)
      await watched(
        callers === 1 ? '1 caller' : `${callers} callers`,
        extent.rounds * targets.length,
        (undisturbed) =>
          inTurn({ watch: hob.watch, undisturbed, targets, floor, command, load, extent, callers }),
      );
    const paces = Math.ceil(extent.personCalls / callsAtPace);
    await watched('1, twice a second', paces, async (undisturbed) => {
      const sides = targets.map(() => new Samples());
      const calls = Math.min(callsAtPace, extent.personCalls);
      for (let turn = 0; turn < paces; turn++) {
        const pace = () => load.pace({ targets, everyMs: paceMs, warmUp: 2, calls });
        const { times } = await hob.watch.during(pace, undisturbed);
        for (const [at, side] of sides.entries()) side.addAll(times[at]);
      }
      return { hob: { times: sides[0] }, webhook: webhook && { times: sides[1] } };
    });
    return seen;
  });
}

async function inTurn({ watch, undisturbed, targets, floor, command, load, extent, callers }) {
  const { rounds, roundMs: ms, warmUpMs } = extent;
  const sides = targets.map(() => new Side());
  const system = new Side();
  for (let round = 0; round < rounds; round++) {
    for (const [at, target] of targets.entries()) {
      const burst = () => load.burst({ target, callers, warmUpMs, ms });
      const isHob = at === 0;
      sides[at].add(isHob ? await watch.during(burst, undisturbed) : (await undisturbed.take(burst)).seen);
    }
    if (floor !== null) system.add(await measureFloor(floor, command, { callers, ms: ms / 2 }));
  }
  return { hob: sides[0], webhook: sides[1] ?? null, floor: floor === null ? null : system };
}

/** Results of one of the compared services. */
class Side {
  times = new Samples();
  #elapsedMs = 0;

  add({ times, elapsedMs }) {
    this.times.addAll(times);
    this.#elapsedMs += elapsedMs;
  }

  get perSecond() {
    return (1000 * this.times.count) / this.#elapsedMs;
  }
}

/** Tables of all comparisons. */
export function comparisonTables(seen) {
  return [
    {
      title: 'A whole call, in milliseconds: the median (p50) and the 99th percentile (p99)',
      columns: [
        'script',
        'callers',
        'p50: Hob',
        'webhook',
        'ratio',
        'p99: Hob',
        'webhook',
        'ratio',
        'floor: p50',
      ],
      rows: seen.map(({ title, callers, hob, webhook, floor }) => [
        title,
        callers,
        ...pair(hob.times.at(0.5), webhook?.times.at(0.5)),
        ...pair(hob.times.at(0.99), webhook?.times.at(0.99)),
        rounded(floor?.times.at(0.5)),
      ]),
    },
    {
      title: 'Calls per second',
      columns: ['script', 'callers', 'Hob', 'webhook', 'ratio', 'floor'],
      rows: seen
        .filter(({ hob }) => hob.perSecond !== undefined)
        .map(({ title, callers, hob, webhook, floor }) => [
          title,
          callers,
          ...pair(hob.perSecond, webhook?.perSecond),
          rounded(floor?.perSecond),
        ]),
    },
    {
      title:
        'Memory in MB after each case, longest block of the event loop of the service in milliseconds, the same of a process that does nothing (idle), and runs with (hits) and without (misses) a warm interpreter',
      columns: [
        'script',
        'callers',
        'service',
        'executor',
        'warm',
        'webhook',
        'blocked',
        'idle',
        'hits',
        'misses',
      ],
      rows: seen.map((each) => [
        each.title,
        each.callers,
        rounded(each.serviceMb),
        rounded(each.executorMb),
        rounded(each.warmMb),
        rounded(each.webhookMb),
        rounded(each.blockedMs),
        rounded(each.idleMs),
        each.hits,
        each.misses,
      ]),
    },
  ];
}

function pair(hob, webhook = Number.NaN) {
  return [rounded(hob), rounded(webhook), ratio(hob, webhook)];
}

/** Figures for the limits: ratios to webhook, by program. */
export function comparisonFigures(seen) {
  const figures = {};
  for (const { program, callers, hob, webhook } of seen) {
    if (webhook === null) continue;
    figures[`${program}, ${callers}: p50`] = hob.times.at(0.5) / webhook.times.at(0.5);
    if (hob.perSecond !== undefined)
      figures[`${program}, ${callers}: calls`] = hob.perSecond / webhook.perSecond;
  }
  return figures;
}
