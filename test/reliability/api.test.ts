import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { createServer, type RequestListener } from 'node:http';
import { join } from 'node:path';

import { describe, expect, it, onTestFinished } from 'vitest';

import { markerText } from '../../src/environments/builder/layout.ts';
import type { ApiAnswer, Call } from '../support/api/client.ts';
import { readErrorCatalogue, readOperations } from '../support/api/document.ts';
import { Fuzz } from '../support/api/fuzz.ts';
import { findFaults } from '../support/api/judge.ts';
import { Known } from '../support/api/known.ts';
import { record } from '../support/figures.ts';
import { HeapProbe } from '../support/heap.ts';
import { type Hob, projectRoot, tempFolder } from '../support/hob.ts';
import { writeSample } from '../support/packages-here.ts';
import { openTerminalRun } from '../support/page-terminal.ts';
import { startTraced } from '../support/processes.ts';
import { patiently, scaled } from '../support/scale.ts';
import { bash, writeScript } from '../support/scripts.ts';
import { fileThere } from '../support/until.ts';

const scenario = 'api';

/** This machine has no desktop that could open a folder, no agent asks a question, and the service must not stop during the test. */
const refused = ['POST /api/open-folder', 'POST /api/agents/questions/{id}', 'POST /api/stop'];

it('no call makes Hob fail, answer in a form that is not documented, or keep memory', patiently, async () => {
  const calls = scaled(3000, 40_000);
  const warmUp = Math.ceil(calls / 4);
  const probe = new HeapProbe(await tempFolder());
  const { hob, known } = await startService(probe.env);
  const pid = hob.process.pid;
  if (pid === undefined) throw new Error('no process id of the service');
  const fuzz = new Fuzz(
    hob,
    readOperations(JSON.stringify((await hob.get('/api/openapi.json')).body)),
    known,
  );

  await fuzz.send(warmUp);
  await fuzz.settle();
  const before = await probe.measure(pid);
  await fuzz.send(calls - warmUp);
  await fuzz.insist(500, { except: refused });
  await fuzz.settle();
  const after = await probe.measure(pid);
  const { body: stats } = await hob.get('/api/stats');

  const seen = fuzz.seen();
  const tell = (what: string, value: number, unit = '') => record({ scenario, what, value, unit });
  tell('calls answered', seen.answered);
  tell('operations called', seen.operations);
  tell('distinct error codes returned', seen.codes);
  tell('runs started by the calls', Number(Reflect.get(Object(stats.all), 'runs')));
  const none = { unit: '', bound: { exactly: 0 } };
  record({ scenario, what: 'responses with status 500 or above', value: seen.failed, ...none });
  record({ scenario, what: 'responses that do not match the document', value: seen.faults, ...none });
  record({
    scenario,
    what: 'memory in use at the end, compared with the first quarter of the calls',
    value: after.heapMib + after.externalMib - before.heapMib - before.externalMib,
    unit: 'MiB more',
    bound: { atMost: 8 },
  });
  expect(fuzz.without('2')).toEqual(refused);
  expect(fuzz.without('4')).toEqual([]);
  expect(hob.log()).not.toMatch(/failed: internal error|cannot send the output/);

  const stopped = await hob.post('/api/stop', { all: true });
  expect([stopped.status, stopped.body.status]).toEqual([200, 'success']);
  expect(await hob.stop()).toBe(0);
});

describe('the judge of API answers', async () => {
  const document = await readFile(join(projectRoot, 'schema', 'openapi.json'), 'utf8');
  const rules = { operations: readOperations(document), catalogue: readErrorCatalogue() };
  const call: Call = { method: 'POST', target: '/api/notify', headers: {}, body: null, hangsUp: false };
  const constant = {
    'x-content-type-options': 'nosniff',
    'cross-origin-resource-policy': 'same-origin',
    'cache-control': 'no-store',
    'content-type': 'application/json; charset=utf-8',
  };
  const refusal: ApiAnswer = {
    status: 400,
    headers: { ...constant, 'x-hob-error': 'notify-invalid' },
    body: Buffer.from('{"error":"no"}'),
    isCut: false,
  };

  it('accepts the page of the console, and only at its own paths', () => {
    const page: ApiAnswer = {
      status: 200,
      headers: { ...constant, 'content-type': 'text/html; charset=utf-8' },
      body: Buffer.from('<!doctype html>'),
      isCut: false,
    };
    const get: Call = { method: 'GET', target: '/', headers: {}, body: null, hangsUp: false };
    expect(findFaults(get, page, rules)).toEqual([]);
    for (const wrong of [{ target: '/api/nope' }, { target: '/r/token' }, { method: 'POST' }])
      expect(findFaults({ ...get, ...wrong }, page, rules)).toEqual(['the status 200 is not documented']);
  });

  it('accepts an answer that is as documented', () => {
    expect(findFaults(call, refusal, rules)).toEqual([]);
  });

  it.each<[string, Partial<ApiAnswer>, Partial<Call>?]>([
    ['it has the form of another operation', { body: Buffer.from('{"status":"error","message":"no"}') }],
    ['it has one field too many', { body: Buffer.from('{"error":"no","code":1}') }],
    ['it is not JSON', { body: Buffer.from('{"error":') }],
    ['it is of another type', { headers: { ...refusal.headers, 'content-type': 'text/plain' } }],
    [
      'it names no field',
      {
        headers: { ...constant, 'x-hob-error': 'field-invalid' },
        body: Buffer.from('{"status":"error","code":"field-invalid","message":"no","hint":""}'),
      },
      { method: 'GET', target: '/api/runs?limit=x' },
    ],
    ['it has no error code', { headers: constant }],
    ['its error code is not listed', { headers: { ...constant, 'x-hob-error': 'none' } }],
    ['its error code is listed with another status', { headers: { ...constant, 'x-hob-error': 'internal' } }],
    ['its status is 500', { status: 500, headers: { ...constant, 'x-hob-error': 'internal' } }],
    [
      'its status is not documented',
      { status: 201, headers: constant, body: Buffer.from('{"success":true}') },
    ],
    ['browsers may guess its type', { headers: { ...refusal.headers, 'x-content-type-options': undefined } }],
    ['other origins may read it', { headers: { ...refusal.headers, 'access-control-allow-origin': '*' } }],
    ['it denies an existing path', { status: 404, headers: { ...constant, 'x-hob-error': 'path-unknown' } }],
    [
      'it does not name its run',
      { status: 200, headers: constant, body: Buffer.from('{"status":"success"}') },
      { target: '/api/progress' },
    ],
    ['it has a body after HEAD', {}, { method: 'HEAD', target: '/api/health' }],
  ])('finds that %s', (_what, doctored, other = {}) => {
    expect(findFaults({ ...call, ...other }, { ...refusal, ...doctored }, rules)).not.toEqual([]);
  });
});

/** A service with scripts of all kinds, and one run that lasts as long as the test. */
async function startService(env: Record<string, string>): Promise<{ hob: Hob; known: Known }> {
  const [scripts, home] = [await tempFolder(), await tempFolder()];
  const address = join(await tempFolder(), 'address');
  for (const name of ['tiny', 'spare']) {
    const model = join(home, 'models', 'acme', name);
    await mkdir(model, { recursive: true });
    await writeFile(join(model, 'model.onnx'), 'x');
  }
  const cache = await tempFolder();
  const hub = await startEmptyHub();
  const notified = await startServer((_request, response) => response.end());
  const said = bash('echo out; echo err >&2; echo \'{"code":0,"msg":"中文"}\' > "$output"');
  const input = '[[service.inputs]]\nname = "files"\n';
  const succeeds = await writeScript(scripts, 'quick', {
    entry: said,
    icon: 'icon.svg',
    node: true,
    tables: input,
  });
  const fails = await writeScript(scripts, 'fails', { entry: bash('echo no >&2; exit 3'), node: true });
  const noNode = await writeScript(scripts, 'no-node', { entry: bash('exit 0') });
  const typed = await writeScript(scripts, 'typed', { entry: said, node: true, tables: input + typedParams });
  const lasting = await writeScript(scripts, 'lasting', { entry: bash('exec sleep 5') });
  const anchor = await writeScript(scripts, 'anchor', {
    entry: bash(
      `trap '' INT QUIT TSTP; sed -n 's/.*"api_base": "\\(.*\\)",*/\\1/p' "$1" > "${address}.new"; mv "${address}.new" "${address}"; exec sleep 7200`,
    ),
  });
  await writeFile(join(scripts, 'quick', 'icon.svg'), '<svg xmlns="http://www.w3.org/2000/svg"/>');
  const broken = await writeScript(scripts, 'broken', { runtime: 'timeout = "soon"' });
  const sources = await tempFolder();
  const packages = Array.from({ length: 12 }, () => randomUUID());
  for (const id of packages) await writeInstalled(join(home, 'packages'), sources, id);
  const environments = Array.from({ length: 12 }, () => randomUUID().replaceAll('-', ''));
  for (const key of environments) await writeEnvironment(join(home, 'environments', key), key);
  const { hob } = await startTraced({
    home,
    scripts: [scripts],
    // Separate caches, so that no model of the developer is removed.
    env: { ...env, HF_HUB_CACHE: cache, MODELSCOPE_CACHE: cache, HF_ENDPOINT: hub, MODELSCOPE_ENDPOINT: hub },
    // Limits so high that no call is refused. No process of a run may be left when the service stops.
    settings: `max_runs = 64\nmax_queued = 100000\nqueue_wait_s = 600\non_stop = "stop"\nstop_grace_s = 1\nnotify_url = "${notified}"\n`,
  });
  // It has a terminal, and no typed key ends it.
  const runId = await openTerminalRun(hob, anchor);
  await fileThere(address);
  const prefix = new URL((await readFile(address, 'utf8')).trim()).pathname;
  const known = new Known(
    {
      quick: [succeeds, fails, noNode],
      typed,
      lasting,
      unusable: [broken],
      packages: {
        ids: packages,
        sources: [...packages.map((id) => sourceOf(sources, id)), `${hub}/slow.git`],
      },
      environments,
    },
    { runId, prefix },
  );
  return { hob, known };
}

/** An environment that no script needs and that was used just now. */
async function writeEnvironment(folder: string, key: string): Promise<void> {
  const made = 'b-00000000';
  await mkdir(join(folder, made, 'node_modules'), { recursive: true });
  const marker = {
    key,
    kind: 'node',
    madeAt: new Date().toISOString(),
    madeWith: 'npm',
    folder: made,
  } as const;
  await writeFile(join(folder, 'environment.json'), markerText({ ...marker, requirements: [] }));
}

/** A package with two versions, and its source folder. */
async function writeInstalled(folder: string, sources: string, id: string): Promise<void> {
  const source = { kind: 'folder', location: sourceOf(sources, id), ref: null, path: null };
  const version = (name: string) => ({
    version: name,
    installed_at: '2026-05-01T12:00:00.000Z',
    source,
    commit: null,
    content: null,
  });
  for (const place of [source.location, join(folder, id, 'v1'), join(folder, id, 'v2')])
    await writeSample(place, { id });
  const versions = { v1: version('1.0.0'), v2: version('2.0.0') };
  const record = { format: 1, id, current: 'v2', previous: 'v1', versions };
  await writeFile(join(folder, id, 'installed.json'), JSON.stringify(record));
}

function sourceOf(sources: string, id: string): string {
  return join(sources, id);
}

/** A hub without any model. It answers slowly, so that a download can be cancelled before it fails. */
function startEmptyHub(): Promise<string> {
  return startServer((_request, response) => {
    setTimeout(() => response.writeHead(404).end(), 300);
  });
}

async function startServer(answer: RequestListener): Promise<string> {
  const server = createServer(answer);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  return `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`;
}

const typedParams = `
[[service.params]]
name = "title"
type = "str"
required = true
[[service.params]]
name = "quality"
type = "int"
default = 85
[[service.params]]
name = "ratio"
type = "float"
[[service.params]]
name = "isOn"
type = "bool"
[[service.params]]
name = "mode"
type = "str"
choices = ["fast", "good"]
default = "good"
[[service.params]]
name = "password"
type = "str"
secret = true
`;
