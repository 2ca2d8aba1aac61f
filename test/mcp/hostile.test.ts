import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';

import { ask as askPlainly } from '../support/ask.ts';
import { executorPid, type Hob, launchHob, startHob, tempFolder, untilGone } from '../support/hob.ts';
import {
  ask,
  beginSession,
  callTool,
  envelope,
  headersFor,
  initialize,
  leaveOpen,
  type OlderSession,
  openStream,
  refusalIn,
  sendToMcp,
} from '../support/hostile-agent.ts';
import { install } from '../support/packages.ts';
import { python, writeScript } from '../support/scripts.ts';
import { until } from '../support/until.ts';

const mostSessions = 200;
const nobody = '11111111-1111-4111-8111-111111111111';

/** Writes its parameters back as its result, and its arguments on its command line. */
const echo = python('write({"code": 0, "msg": "ok", "params": run["params"], "argv": sys.argv[1:]})');

const typedParams = `
[[service.params]]
name = "text"
type = "str"

[[service.params]]
name = "count"
type = "int"

[[service.params]]
name = "ratio"
type = "float"

[[service.params]]
name = "flag"
type = "bool"

[[service.params]]
name = "list"
type = "list"

[[service.params]]
name = "map"
type = "dict"

[[service.params]]
name = "any"

[[service.params]]
name = "choice"
choices = ["one", "two"]

[[service.params]]
name = "password"
secret = true
`;

/** Asks /mcp for its tools with the token of its own run. */
const intruder = python(`
status, answer = call("/mcp", {"jsonrpc": "2.0", "id": 1, "method": "tools/list"})
write({"code": 0, "msg": "asked", "status": status, "answer": answer})`);

/** One service for the whole file. `folder` is the working folder of the echo, in which no file may appear. */
const scene = {
  base: '',
  get scripts() {
    return join(this.base, 'scripts');
  },
  echoFolder: '',
  hob: undefined as unknown as Hob,
  executor: 0,
  withheld: '',
  intruder: '',
};

beforeAll(async () => {
  scene.base = await mkdtemp(join(tmpdir(), 'hob-test-'));
  scene.echoFolder = join(scene.scripts, 'echo');
  await writeScript(scene.scripts, 'echo', { language: 'python', entry: echo, tables: typedParams });
  await writeScript(scene.scripts, 'waiter', {
    entry: ['main.sh', 'until [ -e go ]; do sleep 0.05; done\n'],
  });
  scene.withheld = await writeScript(scene.scripts, 'withheld', {
    tables: '[service.mcp]\nenabled = false',
  });
  scene.intruder = await writeScript(scene.scripts, 'intruder', { language: 'python', entry: intruder });
  const packages = join(scene.base, 'packages');
  await writeScript(packages, 'packaged');
  const home = join(scene.base, 'home');
  await mkdir(home);
  scene.hob = await launchHob({ home, scripts: [scene.scripts] });
  scene.executor = await executorPid(home);
  expect(await install(scene.hob, join(packages, 'packaged'))).toMatchObject({ state: 'done' });
  // Loads the protocol library.
  expect(refusalIn(await ask(scene.hob, 'tools/list'))).toBeNull();
});

afterAll(async () => {
  await scene.hob.stop();
  await untilGone(scene.executor);
  await rm(scene.base, { recursive: true, force: true, maxRetries: 5 });
});

async function runIds(): Promise<unknown[]> {
  const { items } = (await scene.hob.get('/api/runs?limit=100')).body;
  return (items as { run_id: string }[]).map(({ run_id }) => run_id);
}

/** Starts a run of the waiter, which continues until the test lets it end. Returns its id. */
async function waitingRun(start: () => unknown): Promise<string> {
  await rm(join(scene.scripts, 'waiter', 'go'), { force: true });
  const before = await runIds();
  start();
  return until('the waiter runs', async () => {
    const { items } = (await scene.hob.get('/api/runs?limit=100')).body;
    const fresh = (items as { run_id: string; state: string }[]).find(
      ({ run_id, state }) => state === 'running' && !before.includes(run_id),
    );
    return fresh?.run_id;
  });
}

/** Fails if something has stopped the run. */
async function endsByItself(runId: string): Promise<void> {
  await writeFile(join(scene.scripts, 'waiter', 'go'), '');
  expect(await scene.hob.ended(runId)).toMatchObject({ state: 'succeeded', end_cause: 'exit' });
}

const waiterCall = { jsonrpc: '2.0', id: 7, method: 'tools/call' };
const olderCall = JSON.stringify({ ...waiterCall, params: { name: 'waiter' } });

function newerCall(client: string): string {
  const meta = { ...envelope, 'io.modelcontextprotocol/clientInfo': { name: client, version: '1' } };
  return JSON.stringify({ ...waiterCall, params: { name: 'waiter', _meta: meta } });
}

afterEach(async () => {
  await until('no run goes on', async () => {
    const { body } = await scene.hob.get('/api/health');
    return body.running === 0 && body.queued === 0;
  });
});

describe('refuses without a run', () => {
  let before: unknown[] = [];
  beforeEach(async () => {
    before = await runIds();
  });
  afterEach(async () => {
    expect(await runIds()).toEqual(before);

    expect(scene.hob.log()).not.toMatch(/"level":(?:50|60)/);
  });

  const noTool = /^There is no tool .*List the tools again\.$/s;
  it.each([
    ['an unknown tool', 'nothing', noTool],
    ['a prototype', '__proto__', noTool],
    ['a constructor', 'constructor', noTool],
    ['a method of objects', 'toString', noTool],
    ['an empty name', '', noTool],
    ['another spelling', 'ECHO', noTool],
    ['a name with NUL', 'echo\u0000', noTool],
    ['a Chinese name', '回声', noTool],
    ['a path', '../echo', noTool],
    ['a withheld script', 'withheld', noTool],
    ['a script of a package that is not enabled', 'packaged', noTool],
    ['a number', 7, /expected string/],
    ['null', null, /expected string/],
    ['a list', ['echo'], /expected string/],
    ['an object', { name: 'echo' }, /expected string/],
  ])('the tool %s', async (_title, name, text) => {
    expect(refusalIn(await callTool(scene.hob, name))).toMatch(text);
    const session = await beginSession(scene.hob);
    expect(refusalIn(await session.ask('tools/call', { name, arguments: {} }))).toMatch(text);
    await session.end();
  });

  it('a tool with a name of 1 MB, which the answer does not repeat', async () => {
    const session = await beginSession(scene.hob);
    const answer = await session.ask('tools/call', { name: 'x'.repeat(1_000_000) });
    expect(refusalIn(answer)).toMatch(noTool);
    expect(answer.text.length).toBeLessThan(1000);
    await session.end();
  });

  it.each([
    ['an unknown argument', { other: 1 }, /has no argument "other"\. It has these: text,/],
    ['a secret by its name', { password: 'x' }, /has no argument "password"/],
    ['an argument of objects', { toString: 1 }, /has no argument "toString"/],
    ['a list for a text', { text: ['x'] }, /text/],
    ['an object for a text', { text: {} }, /text/],
    ['a text for a number', { count: 'many' }, /count/],
    ['a fraction for an integer', { count: 1.5 }, /count/],
    ['a text for a fraction', { ratio: '1,5x' }, /ratio/],
    ['a number for a flag', { flag: 3 }, /flag/],
    ['an object for a list', { list: {} }, /list/],
    ['a list for an object', { map: [] }, /map/],
    ['an unknown choice', { choice: 'three' }, /choice.*one.*two/s],
    ['a list instead of arguments', [1], /expected record/],
    ['a text instead of arguments', '{}', /expected record/],
  ])('%s', async (_title, args, text) => {
    expect(refusalIn(await callTool(scene.hob, 'echo', args))).toMatch(text);
  });

  const deep = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`;
  const nested = (levels: number) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;
  it.each([
    ['`__proto__` as an argument', '{"__proto__":{"polluted":1}}', /forbidden key "__proto__"/],
    ['`constructor` as an argument', '{"constructor":{"prototype":{}}}', /forbidden key "constructor"/],
    ['`prototype` as an argument', '{"prototype":1}', /forbidden key "prototype"/],
    ['`__proto__` inside an argument', '{"any":[{"__proto__":{"polluted":1}}]}', /forbidden key/],
    ['lists in 100,000 levels', `{"any":${deep(100_000)}}`, /nested too deeply/],
    ['objects in 100,000 levels', nested(100_000), /nested too deeply/],
    ['a number that no double holds', '{"ratio":1e999}', /too large/],
    ['10 MB', JSON.stringify({ text: 'x'.repeat(10_000_000) }), /json_body_mib.*files/],
  ])('%s', async (_title, args, text) => {
    const params = `{"name":"echo","arguments":${args},"_meta":${JSON.stringify(envelope)}}`;
    const message = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${params}}`;
    const newer = await sendToMcp(scene.hob, message, { headers: headersFor('tools/call', 'echo') });
    const session = await beginSession(scene.hob);
    const older = await session.send(message.replace(/,"_meta":.*\}\}\}/, '}}'));
    await session.end();
    for (const answer of [newer, older]) {
      expect(answer.status).toBeGreaterThanOrEqual(400);
      expect(refusalIn(answer)).toMatch(text);
      expect(answer.text.length).toBeLessThan(1000);
    }
  });

  const list = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: { _meta: envelope } };
  const newer = headersFor('tools/list');
  it.each<[string, string, Record<string, string>, number, RegExp]>([
    ['no JSON', '{"jsonrpc"', newer, 400, /not valid JSON/],
    ['an empty body', '', newer, 400, /not valid JSON/],
    ['null', 'null', newer, 400, /not a valid JSON-RPC message/],
    ['a number', '42', newer, 400, /not a valid JSON-RPC message/],
    ['an object that is no message', '{}', newer, 400, /not a valid JSON-RPC message/],
    ['a batch', JSON.stringify([list, list]), newer, 400, /batches may not contain/],
    ['an empty batch', '[]', newer, 400, /empty JSON-RPC batch/],
    ['a batch that begins two sessions', `[${initialize},${initialize}]`, {}, 400, /Only one init/],
    [
      'a text body',
      JSON.stringify(list),
      { ...newer, 'content-type': 'text/plain' },
      415,
      /application\/json/,
    ],
    [
      'a form',
      'method=tools/list',
      { ...newer, 'content-type': 'application/x-www-form-urlencoded' },
      415,
      /application\/json/,
    ],
    ['an unknown version', JSON.stringify(list), { ...newer, 'mcp-protocol-version': '1' }, 400, /version/],
    [
      'another version than its body',
      JSON.stringify(list),
      { 'mcp-protocol-version': '2025-06-18' },
      400,
      /disagree/,
    ],
    [
      'another method than its body',
      JSON.stringify(list),
      { ...newer, 'mcp-method': 'ping' },
      400,
      /disagree/,
    ],
    ['no session', JSON.stringify({ ...list, params: {} }), {}, 400, /Send initialize first/],
    [
      'a guessed session',
      JSON.stringify({ ...list, params: {} }),
      { 'mcp-session-id': nobody },
      404,
      /Send initialize again/,
    ],
    [
      'a session of a client that accepts no events',
      initialize,
      { accept: 'text/html' },
      406,
      /text\/event-stream/,
    ],
  ])('a request with %s', async (_title, body, headers, status, text) => {
    const answer = await sendToMcp(scene.hob, body, { headers });
    expect([answer.status, refusalIn(answer)]).toEqual([status, expect.stringMatching(text)]);
    expect(answer.headers.get('mcp-session-id')).toBeNull();
  });

  it.each(['PUT', 'PATCH'])('the method %s', async (method) => {
    const answer = await sendToMcp(scene.hob, '{}', { method });
    expect([answer.status, refusalIn(answer)]).toEqual([405, expect.stringContaining('Allowed:')]);
  });

  it.each(['GET', 'DELETE'])('%s without a session', async (method) => {
    const answer = await sendToMcp(scene.hob, undefined, { method });
    expect([answer.status, refusalIn(answer)]).toEqual([400, expect.stringContaining('initialize')]);
  });

  it.each(['prompts/list', 'tasks/list', 'sampling/createMessage', '__proto__', 'constructor', ''])(
    'the method %j of the protocol',
    async (method) => {
      expect(refusalIn(await ask(scene.hob, method))).toEqual(expect.stringMatching(/./));
    },
  );

  it.each([
    'hob://runs/../..',
    'hob://runs/%2e%2e',
    'hob://runs/',
    'hob://runs/x/stdout',
    `hob://runs/${nobody}`,
    `hob://runs/${nobody}/../../token`,
    `hob://runs/${nobody}/stdout?x=1`,
    `hob://runs/${nobody}\u0000`,
    'HOB://RUNS/1',
    'file:///etc/passwd',
    '/etc/passwd',
    '__proto__',
  ])('the resource %j', async (uri) => {
    expect(refusalIn(await ask(scene.hob, 'resources/read', { uri }))).toMatch(/hob_runs lists the runs/);
  });

  it.each([
    ['hob_wait', { run_id: '../../token' }, /hob_runs lists them/],
    ['hob_wait', { run_id: 7 }, /Pass run_id as a text/],
    ['hob_wait', { run_id: nobody }, /There is no run .* hob_runs lists/],
    ['hob_output', { run_id: nobody }, /There is no run .* hob_runs lists/],
    ['hob_cancel', { run_id: nobody }, /There is no run .* hob_runs lists/],
    ['hob_runs', { limit: 1e9 }, /integer from 1 to 100/],
    ['hob_runs', { all: 'yes' }, /true or false/],
    ['hob_run', { tool: 'withheld' }, noTool],
    ['hob_run', { tool: 'packaged' }, noTool],
    ['hob_run', { tool: 'hob_run', arguments: { tool: 'echo' } }, noTool],
    ['hob_run', { tool: 'echo', arguments: [] }, /must be an object/],
    ['hob_run', { tool: 'echo', params: {} }, /no argument "params".* belong into `arguments`/],
    ['hob_runs', { al: true }, /no argument "al". It has these: all, limit/],
    ['hob_output', { run_id: nobody, limit: 1 }, /There is no run|integer from 4/],
  ])('%s of %j', async (name, args, text) => {
    expect(refusalIn(await callTool(scene.hob, name, args))).toMatch(text);
  });

  it('a run of a withheld script, as a resource and in all tools', async () => {
    const { headers } = await scene.hob.run(scene.withheld);
    const runId = headers.get('x-hob-run-id');
    expect(await runIds()).toContain(runId);
    before = await runIds();
    for (const part of ['', '/stdout', '/stderr', '/result']) {
      const uri = `hob://runs/${runId}${part}`;
      expect(refusalIn(await ask(scene.hob, 'resources/read', { uri }))).toContain('There is no resource');
    }
    for (const tool of ['hob_wait', 'hob_output', 'hob_cancel'])
      expect(refusalIn(await callTool(scene.hob, tool, { run_id: runId }))).toContain(
        'not offered to agents',
      );
    const listed = await callTool(scene.hob, 'hob_runs', { all: true });
    expect(listed.text).not.toContain(runId);
    expect(listed.text).not.toContain('withheld');
  });
});

describe('passes unchanged, and to no shell,', () => {
  it.each([
    ['shell metacharacters', '$(touch x); `touch x` | touch x && touch x > x\n"\'\\'],
    ['the options of a command', '--help -rf /'],
    ['NUL', 'a\u0000b'],
    ['lone surrogates', 'a\ud800b\udc00c'],
    ['Chinese and an emoji', '整理照片 🖼'],
    ['invisible characters', '\u202e\u200b\ufeff'],
  ])('%s', async (_title, text) => {
    const given = { text, any: { [text]: [text] }, list: [text] };
    const { body } = await callTool(scene.hob, 'echo', given);
    const result = Reflect.get(Object(body.result), 'structuredContent');
    expect(result).toMatchObject({ code: 0, params: given });
    expect(JSON.stringify(Reflect.get(Object(result), 'argv'))).not.toContain(JSON.stringify(text));
    expect((await readdir(scene.echoFolder)).sort()).toEqual(['main.py', 'script.toml']);
  });

  it('a list of 500,000 numbers', async () => {
    const list = Array.from({ length: 500_000 }, (_, at) => at % 10);
    const answer = await callTool(scene.hob, 'echo', { list });
    expect(refusalIn(answer)).toBeNull();
    const [runId] = await runIds();
    const uri = `hob://runs/${runId}/result`;
    const { body } = await ask(scene.hob, 'resources/read', { uri });
    const { contents } = body.result as { contents: { text: string }[] };
    expect(JSON.parse(contents[0]?.text ?? '').params.list).toEqual(list);
  });
});

describe('a run', () => {
  const cancelled = (id: unknown) =>
    JSON.stringify({
      jsonrpc: '2.0',
      method: 'notifications/cancelled',
      params: { requestId: id },
    });

  it('is not cancelled by another session, by an unknown id, or by the end of its connection', async () => {
    const [owner, other] = [await beginSession(scene.hob), await beginSession(scene.hob)];
    let request: ReturnType<typeof leaveOpen> | undefined;
    const runId = await waitingRun(() => {
      request = leaveOpen(scene.hob, olderCall, { headers: owner.headers });
    });
    for (const id of [7, '7', 0, null, { id: 7 }]) await other.send(cancelled(id));
    for (const id of [8, '7', null, [7]]) await owner.send(cancelled(id));
    await other.end();
    const closed = new Promise((resolve) => request?.once('close', resolve));
    request?.destroy();
    await closed;
    expect(refusalIn(await owner.ask('ping'))).toBeNull();
    await endsByItself(runId);
    await owner.end();
  });

  it('is cancelled by its own session', async () => {
    const owner = await beginSession(scene.hob);
    const runId = await waitingRun(() => leaveOpen(scene.hob, olderCall, { headers: owner.headers }));
    await owner.send(cancelled(7));
    expect(await scene.hob.ended(runId)).toMatchObject({ end_cause: 'cancelled' });
    await owner.end();
  });

  it('ends with the connection of its agent in the protocol of 2026', async () => {
    let request: ReturnType<typeof leaveOpen> | undefined;
    const runId = await waitingRun(() => {
      request = leaveOpen(scene.hob, newerCall('hostile'), { headers: headersFor('tools/call', 'waiter') });
    });
    request?.destroy();
    expect(await scene.hob.ended(runId)).toMatchObject({ end_cause: 'cancelled' });
  });

  it.each([
    ['the user', () => scene.hob.post('/api/scripts/waiter/runs', {})],
    [
      'friendly',
      () => leaveOpen(scene.hob, newerCall('friendly'), { headers: headersFor('tools/call', 'waiter') }),
    ],
  ])('that was started by %s cannot be cancelled by an agent', async (owner, start) => {
    const runId = await waitingRun(start);
    const text = refusalIn(await callTool(scene.hob, 'hob_cancel', { run_id: runId }));
    expect(text).toContain(`was started by ${owner}`);
    expect(text).toContain(`hob cancel ${runId}`);
    await endsByItself(runId);
  });

  it('cannot use /mcp with its own token', async () => {
    const { body } = await scene.hob.run(scene.intruder);
    expect(body.result).toMatchObject({ status: 403, answer: { code: 'not-for-runs' } });
  });
});

describe('sessions', () => {
  const isKnown = async (session: OlderSession) => refusalIn(await session.ask('ping')) === null;

  it('that their client has ended are refused', async () => {
    const session = await beginSession(scene.hob);
    expect(await isKnown(session)).toBe(true);
    expect((await session.end()).status).toBe(200);
    for (const answer of [await session.ask('tools/list'), await session.end()])
      expect([answer.status, refusalIn(answer)]).toEqual([404, expect.stringContaining('initialize')]);
  });

  it('that never end are forgotten beyond 200, and those with a stream last', async () => {
    const hob = await startHob();
    const first = await beginSession(hob);
    const stream = await openStream(hob, first.headers);
    expect(stream.status).toBe(200);
    const before = await residentMib(hob);
    const sessions: OlderSession[] = [];
    const begin = async () => {
      while (sessions.length < 1000) sessions.push(await beginSession(hob));
    };
    await Promise.all(Array.from({ length: 20 }, begin));
    let known = 0;
    for (const session of sessions) if (await isKnown(session)) known++;
    // One more has the stream, and is forgotten last.
    expect(known).toBe(mostSessions - 1);
    expect(await isKnown(first)).toBe(true);
    expect((await residentMib(hob)) - before).toBeLessThan(100);
    expect(refusalIn(await ask(hob, 'tools/list'))).toBeNull();
  });

  it('with open streams make room for new ones, and cannot open a second stream', async () => {
    const hob = await startHob();
    const streams: Awaited<ReturnType<typeof openStream>>[] = [];
    const sessions: OlderSession[] = [];
    for (let count = 0; count < 1000; count++) {
      const session = await beginSession(hob);
      sessions.push(session);
      streams.push(await openStream(hob, session.headers));
    }
    expect(streams.map(({ status }) => status)).toEqual(Array(1000).fill(200));
    await Promise.all(streams.slice(0, 1000 - mostSessions).map(({ ended }) => ended));
    const [first, last] = [sessions[0], sessions.at(-1)];
    if (first === undefined || last === undefined) throw new Error('there are no sessions');
    expect([await isKnown(first), await isKnown(last)]).toEqual([false, true]);
    expect((await openStream(hob, last.headers)).status).toBe(409);
  });

  it('are not needed for the streams of the protocol of 2026, of which there are as many', async () => {
    const hob = await startHob();
    const params = { notifications: { toolsListChanged: true }, _meta: envelope };
    const listen = { jsonrpc: '2.0', id: 1, method: 'subscriptions/listen', params };
    const open = () => openStream(hob, headersFor(listen.method), JSON.stringify(listen));
    const streams: Awaited<ReturnType<typeof open>>[] = [];
    while (streams.length < mostSessions) streams.push(await open());
    expect(streams.filter(({ isOpen }) => isOpen)).toHaveLength(mostSessions);
    expect(refusalIn(await ask(hob, listen.method, params))).toContain('limit');
    streams[0]?.close();
    await until('there is room for another stream', async () => (await open()).isOpen);
  });

  it('are not pushed out by requests that begin none', async () => {
    const hob = await startHob();
    const session = await beginSession(hob);
    const junk = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
    for (let count = 0; count <= mostSessions; count++) expect((await sendToMcp(hob, junk)).status).toBe(400);
    expect(await isKnown(session)).toBe(true);
  });

  it('survive connections that are cut in the middle of a body', async () => {
    const session = await beginSession(scene.hob);
    const before = await runIds();
    const cut = Array.from({ length: 100 }, () =>
      leaveOpen(scene.hob, olderCall.slice(0, -1), { headers: session.headers, length: 10_000 }),
    );
    await Promise.all(
      cut.map(async (request) => {
        await new Promise<void>((resolve) => request.write(' ', () => resolve()));
        request.destroy();
      }),
    );
    expect(await isKnown(session)).toBe(true);
    expect(await runIds()).toEqual(before);
    await session.end();
  });
});

describe('the access rules', () => {
  it.each([
    ['a page of another site', { origin: 'https://evil.example' }, 403, 'door-origin'],
    ['a page without an origin', { origin: 'null' }, 403, 'door-origin'],
    ['a rebound name', { host: 'evil.example' }, 403, 'door-host'],
  ])('refuse %s', async (_title, headers, status, code) => {
    for (const method of ['POST', 'GET', 'DELETE']) {
      const { status: answered, text } = await askPlainly(`${scene.hob.url}/mcp`, method, headers);
      expect([answered, JSON.parse(text).code]).toEqual([status, code]);
    }
  });

  it('require the token in token mode', async () => {
    const hob = await startHob({ settings: 'token = true\n' });
    const token = (await readFile(join(hob.home, 'token'), 'utf8')).trim();
    for (const authorization of ['', 'Bearer ', `Bearer ${'x'.repeat(43)}`, `Basic ${token}`]) {
      const answer = await ask(hob, 'tools/list', {}, authorization === '' ? {} : { authorization });
      expect([answer.status, refusalIn(answer)]).toEqual([401, expect.stringContaining('hob token')]);
      expect((await sendToMcp(hob, initialize, { headers: { authorization } })).status).toBe(401);
    }
    const allowed = await ask(hob, 'tools/list', {}, { authorization: `Bearer ${token}` });
    expect([allowed.status, refusalIn(allowed)]).toEqual([200, null]);
  });
});

it('hob_find and hob_run, which exist beside many scripts, reach no withheld one', async () => {
  const scripts = await tempFolder();
  await Promise.all(Array.from({ length: 41 }, (_, at) => writeScript(scripts, `plain-${at}`)));
  const hidden = await writeScript(scripts, 'hidden', { tables: '[service.mcp]\nenabled = false' });
  const hob = await startHob({ scripts: [scripts] });
  const listed = (await ask(hob, 'tools/list')).body.result as { tools: { name: string }[] };
  const names = listed.tools.map(({ name }) => name);
  expect(names.slice(0, 2)).toEqual(['hob_find', 'hob_run']);
  expect(names).not.toContain('hidden');
  for (const query of ['hidden', hidden]) {
    const { text } = await callTool(hob, 'hob_find', { query });
    expect(text).toContain('No script matches');
  }
  for (const tool of ['hidden', hidden, 'nothing', '__proto__', 'hob_find'])
    expect(refusalIn(await callTool(hob, 'hob_run', { tool }))).toContain('There is no tool');
  expect((await hob.get('/api/runs')).body.items).toEqual([]);
  expect(refusalIn(await callTool(hob, 'hob_run', { tool: 'plain-7' }))).toBeNull();
});

async function residentMib({ process: { pid } }: Hob): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) / 1024;
}
