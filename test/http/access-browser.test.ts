import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { type Read, startAttacker } from '../browser/attacker.ts';
import { startControl } from '../browser/control.ts';
import { nameVectors } from '../browser/name-vectors.ts';
import type { Exchange } from '../browser/net-log.ts';
import { pageVectors } from '../browser/page-vectors.ts';
import { requestVectors } from '../browser/request-vectors.ts';
import { besiege, startBrowser } from '../browser/siege.ts';
import { type Exposition, parseExposition } from '../support/exposition.ts';
import { type Hob, startHob, tempFolder } from '../support/hob.ts';
import { findProgram, has } from '../support/needs.ts';
import { bash, writeScript } from '../support/scripts.ts';
import { linesOf, until } from '../support/until.ts';

const vectors = [...requestVectors, ...pageVectors, ...nameVectors];
const executablePath = findProgram('chromium') ?? '';
const quietMs = 1000;

/** Starts a service with a script that writes a line to a file on each run. */
async function startMarkedHob() {
  const scripts = await tempFolder();
  const marks = join(await tempFolder(), 'marks');
  const scriptId = await writeScript(scripts, 'mark', { entry: bash(`echo ran >> "${marks}"`) });
  return { hob: await startHob({ scripts: [scripts] }), scriptId, marks };
}

async function scrape(hob: Hob): Promise<Exposition> {
  return parseExposition(await (await fetch(`${hob.url}/metrics`)).text());
}

function sum(metrics: Exposition, name: string, route?: string): number {
  const series = metrics.series(name).filter(({ labels }) => route === undefined || labels.route === route);
  return series.reduce((total, { value }) => total + value, 0);
}

/** Waits until no request has arrived for a while, because some requests have no observable end. */
function quietly(arrived: () => Promise<number>): Promise<void> {
  let last = -1;
  let since = performance.now();
  return until('nothing more arrives', async () => {
    const count = await arrived();
    if (count !== last) since = performance.now();
    last = count;
    return performance.now() - since > quietMs;
  }).then(() => {});
}

/** Fires every vector at Hob and at an unprotected service. */
async function siege(isGuarded: boolean) {
  const { hob, scriptId, marks } = await startMarkedHob();
  const control = await startControl();
  const attacker = await startAttacker();
  const targets = { hob: hob.url, control: control.origin };
  const folder = await tempFolder();
  const refusals = async () => sum(await scrape(hob), 'hob_door_refusals_total');
  const quiet = () => quietly(async () => control.hits.length + (await refusals()));
  const options = { executablePath, attacker, targets, scriptId, vectors, folder, isGuarded, quiet };
  const sent = await besiege(options);
  const { port } = new URL(hob.url);
  const exchanges = sent.filter(({ url }) => url.port === port);
  const arrived = new Set(control.hits.map(({ vector }) => vector).filter((vector) => vector !== ''));
  return { hob, marks, control, reads: attacker.reads, exchanges, arrived };
}

/** Browsers request the icon of any document themselves. The page cannot choose this URL. */
const isIcon = ({ url, method }: Exchange) => method === 'GET' && url.pathname === '/favicon.ico';
const isRefusal = ({ url, status, rule }: Exchange) =>
  status === 403 && (rule?.startsWith('door-') ?? url.protocol === 'ws:');
const wasRead = (reads: readonly Read[], target: string) =>
  reads.filter((each) => each.target === target && each.read !== '');

describe.runIf(has('chromium', executablePath !== ''))('in a browser', () => {
  it.each([
    { pages: 'pages that count as local', isGuarded: false, reachable: 100, bodies: 30 },
    {
      pages: 'pages that the browser keeps from the local network',
      isGuarded: true,
      reachable: 20,
      bodies: 3,
    },
  ])('requests of other sites are refused, and their responses cannot be read: $pages', async (mode) => {
    const { hob, marks, control, reads, exchanges, arrived } = await siege(mode.isGuarded);

    // An attack that does not reach an unprotected service proves nothing.
    expect(arrived.size).toBeGreaterThanOrEqual(mode.reachable);
    const withBody = control.hits.filter(({ method, body }) => method === 'POST' && body !== '');
    expect(withBody.length).toBeGreaterThanOrEqual(mode.bodies);
    expect(wasRead(reads, 'control').length).toBeGreaterThanOrEqual(3);

    const refused = exchanges.filter(isRefusal);
    const refusedVectors = new Set(refused.map(({ url }) => url.searchParams.get('vector')));
    expect([...arrived].filter((vector) => !refusedVectors.has(vector))).toEqual([]);
    const icons = exchanges.filter(isIcon);
    const others = exchanges.filter((each) => each.status !== null && !isRefusal(each) && !isIcon(each));
    expect(others.map(({ method, url, status }) => `${method} ${url} ${status}`)).toEqual([]);

    // The metrics confirm it: only the scraper and the icon requests of the browser were answered.
    const metrics = await scrape(hob);
    expect(sum(metrics, 'hob_door_refusals_total')).toBeGreaterThanOrEqual(refused.length);
    const answered = metrics
      .series('hob_http_answers_total')
      .map(({ labels }) => `${labels.method} ${labels.route}`);
    expect(['GET /metrics', 'GET unmatched']).toEqual(expect.arrayContaining(answered));
    expect(sum(metrics, 'hob_http_answers_total', 'unmatched')).toBeLessThanOrEqual(icons.length);
    expect(await linesOf(marks)).toEqual([]);
    expect((await hob.get('/api/runs')).body).toMatchObject({ items: [] });

    // A rebound page shares the origin of the response, so it can read the refusal and nothing else.
    for (const { vector, read } of wasRead(reads, 'hob')) {
      expect(vector).toMatch(/^rebound-/);
      expect(JSON.parse(read)).toMatchObject({
        status: 'error',
        message: expect.stringContaining('access rule 3'),
      });
    }
  });

  it("typed URLs and the service's own pages have full access", async () => {
    const { hob, scriptId, marks } = await startMarkedHob();
    const browser = await startBrowser(executablePath);
    const page = await browser.newPage();
    const { port } = new URL(hob.url);
    for (const host of ['localhost', '[::1]', '127.0.0.1']) {
      const typed = await page.goto(`http://${host}:${port}/api/health`);
      expect([host, typed?.status()]).toEqual([host, 200]);
    }
    const call = (path: string, init: string) =>
      page.evaluate(`fetch('${path}', ${init}).then(async (answer) => [answer.status, await answer.json()])`);
    expect(await call('/api/scripts', '{}')).toEqual([
      200,
      expect.objectContaining({ scripts: [expect.objectContaining({ id: scriptId })] }),
    ]);
    const fields = `{ script_id: '${scriptId}', sync: true }`;
    const json = `{ method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(${fields}) }`;
    expect(await call('/api/execute', json)).toEqual([200, expect.objectContaining({ status: 'success' })]);
    const form = `{ method: 'POST', body: new URLSearchParams(${fields}) }`;
    expect(await call('/api/execute', form)).toEqual([200, expect.objectContaining({ status: 'success' })]);
    expect(await linesOf(marks)).toEqual(['ran', 'ran']);
  });
});
