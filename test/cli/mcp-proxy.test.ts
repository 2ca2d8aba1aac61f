import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { expect, it } from 'vitest';

import { tempFolder } from '../support/hob.ts';
import {
  type Arrival,
  fakeService,
  type Message,
  type ProxyUnderTest,
  startProxy,
} from '../support/mcp-proxy.ts';

const version = '2025-11-25';
const initialize = { jsonrpc: '2.0', id: 0, method: 'initialize', params: { protocolVersion: version } };
const initialized = { jsonrpc: '2.0', method: 'notifications/initialized' };
const call = (id: number, params: Message = {}) => ({ jsonrpc: '2.0', id, method: 'tools/call', params });
const stateless = { _meta: { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' } };
const result = (id: unknown, value: Message = {}) => ({ jsonrpc: '2.0', id, result: value });
const lost = 'The connection to Hob was lost. A run that was started continues. To find it, call hob_runs.';

/** Answers what begins a session, as the service does. `sessions` are the ids of the sessions that it gives and knows. */
function answerSession(sessions: readonly string[]) {
  let begun = 0;
  const known = new Set<string>();
  return {
    forget: () => known.clear(),
    answer(arrival: Arrival): boolean {
      const { headers, body, response, method } = arrival;
      const id = headers['mcp-session-id'];
      if (id !== undefined && !known.has(String(id))) {
        arrival.json({ jsonrpc: '2.0', id: null, error: { code: -32001, message: 'unknown' } }, {}, 404);
        return true;
      }
      if (body.includes('"initialize"')) {
        const given = sessions[begun++] ?? 'too-many';
        known.add(given);
        const capabilities = { tools: { listChanged: true }, resources: {} };
        arrival.json(result(0, { protocolVersion: version, capabilities }), { 'mcp-session-id': given });
        return true;
      }
      if (!body.includes('notifications/initialized') || method !== 'POST') return false;
      response.writeHead(202).end();
      return true;
    },
  };
}

async function begin(proxy: ProxyUnderTest): Promise<void> {
  proxy.send(initialize);
  expect(await proxy.next()).toMatchObject({ id: 0 });
  proxy.send(initialized);
}

it('passes lines unchanged and answers in the order in which they arrive', async () => {
  const service = await fakeService();
  const proxy = startProxy(service.home);
  const line = `{ "jsonrpc":"2.0", "id":1, "method":"tools/call","params":{"n":1.0, "text":"文é\\u00e9", ${JSON.stringify(stateless).slice(1)}}  `;
  proxy.send(line);
  const first = await service.next();
  expect(first.body).toBe(line);
  proxy.send(call(2, stateless));
  const second = await service.next();
  second.json(result(2));
  expect(await proxy.next()).toEqual(result(2));
  first.events({ jsonrpc: '2.0', method: 'notifications/progress', params: {} });
  expect(await proxy.next()).toMatchObject({ method: 'notifications/progress' });
  // Line breaks between the members of an answer must not end its line.
  first.response.end('data: {"jsonrpc":"2.0",\ndata: "id":1,"result":{"n":1}}\n\n');
  expect(await proxy.next()).toEqual(result(1, { n: 1 }));
  proxy.endInput();
  expect(await proxy.ended).toEqual({ code: 0, rest: [] });
});

it('sends the headers of stateless requests', async () => {
  const service = await fakeService();
  const proxy = startProxy(service.home);
  proxy.send(call(1, { ...stateless, name: '缩放' }));
  const named = await service.next();
  expect(named.headers).toMatchObject({
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': 'tools/call',
    'mcp-name': `=?base64?${Buffer.from('缩放').toString('base64')}?=`,
    accept: 'application/json, text/event-stream',
    'content-type': 'application/json',
  });
  expect(named.headers).not.toHaveProperty('mcp-session-id');
  proxy.send({ jsonrpc: '2.0', id: 2, method: 'resources/read', params: { ...stateless, uri: 'hob://a b' } });
  expect((await service.next()).headers).toMatchObject({
    'mcp-method': 'resources/read',
    'mcp-name': 'hob://a b',
  });
  proxy.send({ jsonrpc: '2.0', method: 'notifications/other' });
  expect((await service.next()).headers).toMatchObject({ 'mcp-protocol-version': '2026-07-28' });
});

it('closes the HTTP request of a stateless request that is cancelled', async () => {
  const service = await fakeService();
  const proxy = startProxy(service.home);
  proxy.send({ jsonrpc: '2.0', id: 'l', method: 'subscriptions/listen', params: stateless });
  const listening = await service.next();
  listening.events({ jsonrpc: '2.0', method: 'notifications/subscriptions/acknowledged' });
  await proxy.next();
  proxy.send(call(1, stateless));
  const { closed } = await service.next();
  for (const requestId of [1, 'l', 'unknown'])
    proxy.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } });
  await Promise.all([closed, listening.closed]);
  proxy.send(call(2, stateless));
  const next = await service.next();
  expect(JSON.parse(next.body)).toMatchObject({ id: 2 });
  next.json(result(2));
  expect(await proxy.next()).toEqual(result(2));
});

it('keeps a session, passes messages of the service on, and ends the session', async () => {
  const session = answerSession(['one']);
  const service = await fakeService(session.answer);
  const proxy = startProxy(service.home);
  // Without waiting for the answer, as a script may do it.
  for (const message of [initialize, initialized, call(1)]) proxy.send(message);
  const arrivals = [await service.next(), await service.next()];
  const called = arrivals.find(({ method }) => method === 'POST');
  const stream = arrivals.find(({ method }) => method === 'GET');
  const ofSession = { 'mcp-session-id': 'one', 'mcp-protocol-version': version };
  expect(called?.headers).toMatchObject(ofSession);
  expect(stream?.headers).toMatchObject({ ...ofSession, accept: 'text/event-stream' });
  expect(await proxy.next()).toMatchObject({ id: 0 });
  stream?.events({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' });
  expect(await proxy.next()).toMatchObject({ method: 'notifications/tools/list_changed' });

  proxy.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } });
  const cancellation = await service.next();
  expect(JSON.parse(cancellation.body)).toMatchObject({ method: 'notifications/cancelled' });
  cancellation.response.writeHead(202).end();
  await called?.closed;

  proxy.endInput();
  const last = await service.next();
  expect([last.method, last.headers['mcp-session-id']]).toEqual(['DELETE', 'one']);
  last.response.end();
  expect(await proxy.ended).toEqual({ code: 0, rest: [] });
});

it('begins a session again that the service has forgotten', async () => {
  const session = answerSession(['one', 'two']);
  const service = await fakeService(session.answer);
  const proxy = startProxy(service.home);
  await begin(proxy);
  expect((await service.next()).method).toBe('GET');
  session.forget();
  proxy.send(call(1));
  proxy.send(call(2));
  for (const arrival of [await service.next(), await service.next()]) {
    expect(arrival.headers['mcp-session-id']).toBe('two');
    arrival.json(result(JSON.parse(arrival.body).id));
  }
  const received = [await proxy.next(), await proxy.next(), await proxy.next()];
  expect(received).toEqual(
    expect.arrayContaining([
      result(1),
      result(2),
      { jsonrpc: '2.0', method: 'notifications/tools/list_changed' },
    ]),
  );
});

it('reports a connection that breaks, and works again afterwards', async () => {
  const session = answerSession(['one', 'two']);
  const service = await fakeService(session.answer);
  const proxy = startProxy(service.home);
  await begin(proxy);
  const stream = await service.next();
  expect(stream.method).toBe('GET');
  proxy.send(call(1));
  proxy.send(call(2));
  const [first] = [await service.next(), await service.next()];
  first.events({ jsonrpc: '2.0', method: 'notifications/progress' });
  await proxy.next();
  session.forget();
  service.breakConnections();
  const answers = [await proxy.next(), await proxy.next()];
  expect(answers).toEqual(
    expect.arrayContaining(
      [1, 2].map((id) => ({ jsonrpc: '2.0', id, error: { code: -32603, message: lost } })),
    ),
  );
  // The stream of notifications begins the session again without a message of the client.
  expect(await proxy.next()).toMatchObject({ method: 'notifications/tools/list_changed' });
  const again = await service.next();
  expect([again.method, again.headers['mcp-session-id']]).toEqual(['GET', 'two']);
});

it('answers with an error if the service refuses, ends too early or does not run', async () => {
  const service = await fakeService();
  await writeFile(join(service.home, 'token'), 'a-token-of-twenty-characters\n', { mode: 0o600 });
  const proxy = startProxy(service.home);
  const answerTo = async (answer: (arrival: Arrival) => void) => {
    proxy.send(call(7, stateless));
    answer(await service.next());
    return proxy.next();
  };
  const failure = (code: number, message: unknown) => ({ jsonrpc: '2.0', id: 7, error: { code, message } });
  expect(
    await answerTo((arrival) => arrival.json({ message: 'No.', error: 'No.', hint: 'Do this.' }, {}, 401)),
  ).toEqual(failure(-32603, 'No. Do this.'));
  expect(
    await answerTo((arrival) =>
      arrival.json({ jsonrpc: '2.0', id: null, error: { code: -32000, message: 'Busy.' } }, {}, 503),
    ),
  ).toEqual(failure(-32000, 'Busy.'));
  expect(
    await answerTo((arrival) =>
      arrival.json({ jsonrpc: '2.0', id: 7, error: { code: -32601, message: 'x', data: 1 } }, {}, 404),
    ),
  ).toMatchObject({ error: { code: -32601, data: 1 } });
  expect(await answerTo(({ response }) => response.writeHead(200).end('<html>'))).toEqual(
    failure(-32603, expect.stringContaining('without an answer')),
  );

  const missing = await tempFolder();
  const alone = startProxy(missing);
  alone.send(initialize);
  expect(await alone.next()).toEqual({
    jsonrpc: '2.0',
    id: 0,
    error: { code: -32603, message: `Hob is not running (home: ${missing}). Start it with: hob start` },
  });
});

it('sends the token of the home', async () => {
  const service = await fakeService(() => false, { token: true });
  const token = 'a-token-of-twenty-characters';
  await writeFile(join(service.home, 'token'), `${token}\n`, { mode: 0o600 });
  const proxy = startProxy(service.home);
  proxy.send(call(1, stateless));
  const { headers } = await service.next();
  expect(headers.authorization).toBe(`Bearer ${token}`);
});

it('refuses lines that are no message, and takes the next one', async () => {
  const service = await fakeService();
  const proxy = startProxy(service.home);
  const refused = async (line: string | Uint8Array) => {
    proxy.send(line);
    return proxy.next();
  };
  expect(await refused('{"jsonrpc":')).toMatchObject({ id: null, error: { code: -32700 } });
  expect(await refused(Buffer.from('{"a":"\xff"}', 'latin1'))).toMatchObject({ error: { code: -32700 } });
  expect(await refused('[1]')).toMatchObject({ error: { code: -32600 } });
  expect(await refused('x'.repeat(10 * 1024 * 1024 + 1))).toMatchObject({ error: { code: -32600 } });
  const text = 'y'.repeat(10 * 1024 * 1024 - 200);
  proxy.send(call(1, { ...stateless, text }));
  const arrival = await service.next();
  arrival.json(result(1, { text }));
  expect(await proxy.next()).toEqual(result(1, { text }));
});

it('ends when its client leaves or ends it, even if the client reads nothing', async () => {
  const service = await fakeService(({ method, response }) => {
    if (method === 'DELETE') response.end();
    return method === 'DELETE';
  });
  for (const leave of ['SIGTERM', 'SIGINT', 'input'] as const) {
    const proxy = startProxy(service.home);
    proxy.send(call(1, stateless));
    const arrival = await service.next();
    if (leave === 'input') proxy.endInput();
    else proxy.kill(leave);
    await arrival.closed;
    expect(await proxy.ended).toEqual({ code: 0, rest: [] });
  }
  const proxy = startProxy(service.home);
  proxy.stopReading();
  proxy.send(call(1, stateless));
  const arrival = await service.next();
  arrival.json(result(1, { text: 'z'.repeat(5_000_000) }));
  await arrival.closed;
  proxy.kill('SIGTERM');
  await proxy.exited;
});
