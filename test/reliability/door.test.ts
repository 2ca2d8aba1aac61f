import { readFile } from 'node:fs/promises';
import { networkInterfaces } from 'node:os';

import { describe, expect, it } from 'vitest';

import { record } from '../support/figures.ts';
import { has } from '../support/needs.ts';
import { startTraced } from '../support/processes.ts';
import { SeededRandom } from '../support/random.ts';
import { patiently, scaled } from '../support/scale.ts';
import { type Blindness, blindnesses } from '../support/wire/blindnesses.ts';
import { knock, type Tally } from '../support/wire/knock.ts';
import { openLaxDoor } from '../support/wire/lax-door.ts';

const scenario = 'door';
const settings = 'extra_hosts = ["hob.test:80"]\ntrusted_origins = ["http://mine.test:3000"]\n';
const mostUndecided = 25;
const mostGrowthMib = 100;

const hasIPv6 = Object.values(networkInterfaces())
  .flat()
  .some((each) => each?.address === '::1');
const addresses = ['127.0.0.1', ...(has('IPv6', hasIPv6) ? ['::1'] : [])];

async function residentMib(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) / 1024;
}

it(
  'hostile bytes pass access control only where the rules allow it, and break nothing',
  patiently,
  async () => {
    const count = scaled(10_000, 250_000);
    const { hob } = await startTraced({ settings });
    const pid = hob.process.pid ?? 0;
    const port = Number(new URL(hob.url).port);
    const names = ['127.0.0.1', 'localhost', '[::1]', '::1'].map((name) => `${name}:${port}`);
    const house = { hosts: [...names, 'hob.test:80'], trustedOrigins: ['http://mine.test:3000'] };
    const random = new SeededRandom();

    // After a tenth of the connections, all caches are filled.
    const warm = await knock({ house, addresses, port, random, count: Math.ceil(count / 10) });
    const warmMib = await residentMib(pid);
    const began = performance.now();
    const rest = await knock({ house, addresses, port, random, count: count - Math.ceil(count / 10) });
    const seconds = (performance.now() - began) / 1000;
    const growthMib = (await residentMib(pid)) - warmMib;

    const disagreements = [...warm.disagreements, ...rest.disagreements];
    expect(disagreements.slice(0, 10), `TEST_SEED=${random.seed} brings them back`).toEqual([]);
    const figure = (what: string, value: number, unit = '') => record({ scenario, what, value, unit });
    const none = (what: string, value: number) =>
      record({ scenario, what, value, unit: '', bound: { exactly: 0 } });
    const atMost = (what: string, value: number, unit: string, most: number) =>
      record({ scenario, what, value, unit, bound: { atMost: most } });
    figure('connections', count);
    figure('requests, complete or not', warm.requests + rest.requests);
    figure('requests per second', rest.requests / seconds);
    figure('responses to admitted requests', warm.letIn + rest.letIn);
    figure('responses to refused requests', warm.turnedAway + rest.turnedAway);
    figure('responses to invalid HTTP', warm.noRequests + rest.noRequests);
    figure('valid requests whose response was cut off by later bytes', warm.overtaken + rest.overtaken);
    none('connections with a response that violates the rules', disagreements.length);
    none('responses with status 500 or above', warm.serverErrors + rest.serverErrors);
    const undecided = (100 * (warm.undecided + rest.undecided)) / count;
    atMost('connections for which the rules allow several responses', undecided, '%', mostUndecided);

    const health = await hob.get('/api/health');
    expect([health.status, health.body.status]).toEqual([200, 'ok']);
    none('exits of the service', hob.process.exitCode === null && hob.process.signalCode === null ? 0 : 1);
    const defects = hob
      .log()
      .split('\n')
      .filter((line) => line.includes('failed: internal error'));
    expect(defects.slice(0, 10)).toEqual([]);
    none('internal errors in its log', defects.length);
    figure('memory of the service after a tenth of the connections', warmMib, 'MiB');
    atMost('memory growth from there to the end', growthMib, 'MiB', mostGrowthMib);
  },
);

/** Always the same seed, so that every run finds the same. */
async function knockOn(blindness: Blindness, count: number, isEnough?: (tally: Tally) => boolean) {
  const { port, house } = await openLaxDoor(blindness);
  const options = { house, addresses: ['127.0.0.1'], port, random: new SeededRandom(1), count };
  return knock(isEnough === undefined ? options : { ...options, isEnough });
}

describe('a defect in access control', () => {
  it.each(blindnesses)('is detected if it ignores %s', patiently, async (_what, blindness) => {
    const isBreach = (wrong: string) => /^a request that must be out for [a-z, -]+ got 200/.test(wrong);
    const tally = await knockOn(blindness, 6000, ({ disagreements }) => disagreements.some(isBreach));
    expect(tally.disagreements.some(isBreach)).toBe(true);
  });

  it('is not reported where there is none', patiently, async () => {
    expect((await knockOn((seen) => seen, 2000)).disagreements).toEqual([]);
  });
});
