import { setTimeout as wait } from 'node:timers/promises';

import { Connection } from './connection.mjs';

/**
 * The client process. It is separate, so that it shares no event loop with the measured service. It receives one job at a time from its
 * parent and reports how long each call took.
 */
const jobs = { burst, pace };
process.on('message', ({ job, ...options }) => {
  const cpu = process.cpuUsage();
  jobs[job](options).then(
    (seen) => {
      const { user, system } = process.cpuUsage(cpu);
      process.send({ ...seen, cpuMs: (user + system) / 1000 });
    },
    (error) => process.send({ error: String(error) }),
  );
});
process.on('disconnect', () => process.exit());

/** Concurrent callers that send the next request as soon as they have a response, for a time or for a number of calls. */
async function burst({ target, callers, warmUpMs, ms = Infinity, calls = Infinity }) {
  const connections = Array.from({ length: callers }, () => new Connection(target));
  try {
    await Promise.all(connections.map((each) => each.opened()));
    const warmUp = await callAll(connections, { ms: warmUpMs, calls: Infinity });
    const seen = await callAll(connections, { ms, calls });
    return { ...seen, allCalls: warmUp.times.length + seen.times.length };
  } finally {
    for (const each of connections) each.close();
  }
}

async function callAll(connections, { ms, calls }) {
  const times = [];
  const began = performance.now();
  let begun = 0;
  let ended = began;
  await Promise.all(
    connections.map(async (connection) => {
      while (performance.now() < began + ms && begun < calls) {
        begun += 1;
        times.push(await connection.call());
        ended = performance.now();
      }
    }),
  );
  return { times, elapsedMs: ended - began };
}

/** One caller that pauses between calls. Several targets alternate. */
async function pace({ targets, everyMs, warmUp, calls }) {
  const connections = targets.map((target) => new Connection(target));
  const times = targets.map(() => []);
  try {
    await Promise.all(connections.map((each) => each.opened()));
    let due = performance.now();
    for (let at = -warmUp; at < calls; at++) {
      for (const [side, connection] of connections.entries()) {
        await wait(Math.max(0, due - performance.now()));
        due = Math.max(due, performance.now()) + everyMs / connections.length;
        const ms = await connection.call();
        if (at >= 0) times[side].push(ms);
      }
    }
    return { times, allCalls: targets.length * (warmUp + calls) };
  } finally {
    for (const each of connections) each.close();
  }
}
