import { setTimeout as pause } from 'node:timers/promises';

import { expect, it, onTestFinished } from 'vitest';

import { EventFollower, findFaults, listenTo } from '../support/event-client.ts';
import { record } from '../support/figures.ts';
import { type Hob, launchHob, startHob, tempFolder } from '../support/hob.ts';
import { NotificationFlood } from '../support/notification-flood.ts';
import { peakMemoryMib, traceProcesses } from '../support/processes.ts';
import { SeededRandom } from '../support/random.ts';
import { patiently, scaled } from '../support/scale.ts';
import { bash, writeScript } from '../support/scripts.ts';
import { until } from '../support/until.ts';

const scenario = 'events';
const clients = 4;

it(
  'a client that resumes receives each event of each run once and in order, however often the service is killed',
  patiently,
  async () => {
    const kills = scaled(5, 100);
    const wanted = scaled(50, 1000);
    const random = new SeededRandom();
    const trace = traceProcesses();
    const scripts = await tempFolder();
    const scriptId = await writeScript(scripts, 'short', { entry: bash('sleep 0.0$((RANDOM % 10))') });
    const home = await tempFolder();
    const launch = (): Promise<Hob> => launchHob({ home, scripts: [scripts], env: trace.env });
    let hob = await launch();
    onTestFinished(async () => {
      await hob.stop();
      await trace.noneLeft();
    });
    const follower = new EventFollower(() => `${hob.url}/api/events`, '0');

    const accepted = new Set<string>();
    let isDone = false;
    const keepPosting = async () => {
      while (!isDone) {
        // The service was killed before it could answer, so it may or may not have accepted the run.
        const answer = await hob.post('/api/execute', { script_id: scriptId }).catch(() => null);
        if (answer?.status === 200) accepted.add(String(answer.body.run_id));
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

    await until('no run is active', async () => {
      const { running, queued } = (await hob.get('/api/health')).body;
      return running === 0 && queued === 0;
    });
    // An event from now on comes after all events of the runs.
    await hob.post('/api/notify', { notify_type: 'info' });
    const isLast = ({ type }: { type: string }) => type === 'notification';
    await until('all events have arrived', async () => follower.events.some(isLast));
    await follower.stop();
    const { events } = follower;
    const endedRuns = new Set(
      events.filter(({ type }) => type === 'run.ended').map(({ data }) => data.run_id),
    );
    const faults = findFaults(events);
    for (const fault of faults) console.error(fault);
    const say = (what: string, value: number, exactly?: number) =>
      record({ scenario, what, value, unit: '', ...(exactly !== undefined && { bound: { exactly } }) });
    say('kills of the service', kills);
    say('runs announced by events', endedRuns.size);
    say('events received', events.length);
    say('connections of the client', follower.connections);
    say('accepted runs without a received end', [...accepted].filter((id) => !endedRuns.has(id)).length, 0);
    say('runs with a missing, repeated or misplaced event', faults.length, 0);
  },
);

it(
  'clients that do not read are disconnected, use no memory, and learn what they missed',
  patiently,
  async () => {
    const stuckClients = scaled(5, 50);
    // More events than the service keeps, also in a partial run of the test.
    const floods = Math.max(12_000, scaled(12_000, 50_000));
    const hob = await startHob({ settings: 'heartbeat_s = 0.5\nlog_level = "info"\n' });
    const pid = hob.process.pid ?? 0;
    const flood = new NotificationFlood(hob.url);
    await flood.send(2000);
    const before = await peakMemoryMib(pid);
    const stuck = await Promise.all(
      Array.from({ length: stuckClients }, () => listenTo(`${hob.url}/api/events`)),
    );
    for (const client of stuck) client.pause();
    const reader = await listenTo(`${hob.url}/api/events`);
    await flood.send(floods);
    const drops = () => hob.log().split('closed an event stream: the client does not read').length - 1;
    await until('all were dropped', async () => drops() === stuckClients);
    await reader.until('all are there', ({ events }) => events.length === floods);
    const grownMib = (await peakMemoryMib(pid)) - before;

    const [first] = stuck;
    first?.resume();
    await first?.closed;
    const back = await listenTo(`${hob.url}/api/events`, first?.lastId);
    await back.until('the newest is there', ({ lastId }) => lastId === reader.lastId);
    const [missed, ...kept] = back.events;
    expect(missed?.type).toBe('events.missed');
    expect(kept).toEqual(reader.events.slice(-kept.length));
    const say = (what: string, value: number, unit: string, atMost?: number) =>
      record({ scenario, what, value, unit, ...(atMost !== undefined && { bound: { atMost } }) });
    say('clients that read nothing', stuckClients, '');
    say('events of 3 kB published meanwhile', floods, '');
    say('memory growth of the service', grownMib, 'MiB', 150);
    say('events received by one of them after it resumed', kept.length, '');
  },
);
