import { mkdtemp, rm } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Hob, launchHob } from '../support/hob.ts';
import { until } from '../support/until.ts';

let hob: Hob;
let home: string;
let port: string;

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'hob-door-'));
  hob = await launchHob({
    home,
    settings: 'extra_hosts = ["hob.test:80"]\ntrusted_origins = ["http://mine.test:3000"]\n',
  });
  port = new URL(hob.url).port;
});

afterAll(async () => {
  await hob?.stop();
  await rm(home, { recursive: true, force: true });
});

/** Sends exactly these bytes and returns everything that comes back. */
function send(...lines: string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), '127.0.0.1');
    let answer = '';
    socket.on('data', (chunk) => {
      answer += String(chunk);
    });
    socket.on('close', () => resolve(answer));
    socket.on('error', reject);
    socket.end(`${lines.join('\r\n')}\r\n\r\n`);
  });
}

const statusOf = (answer: string) => Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1]);
const codeOf = (answer: string) => /x-hob-error: (\S+)/i.exec(answer)?.[1] ?? null;
const get = (...headers: string[]) => send('GET /api/health HTTP/1.1', ...headers, 'Connection: close');
const post = (...headers: string[]) =>
  send(
    'POST /api/notify HTTP/1.1',
    `Host: 127.0.0.1:${port}`,
    ...headers,
    'Content-Length: 0',
    'Connection: close',
  );

describe('access control accepts', () => {
  it.each([['127.0.0.1'], ['localhost'], ['LOCALHOST'], ['[::1]']])(
    'a plain client with the host %s',
    async (host) => {
      expect(statusOf(await get(`Host: ${host}:${port}`))).toBe(200);
    },
  );

  it('HTTP/1.0, and a host from the settings', async () => {
    expect(statusOf(await send('GET /api/health HTTP/1.0', `Host: 127.0.0.1:${port}`))).toBe(200);
    expect(statusOf(await get('Host: hob.test:80'))).toBe(200);
  });

  it('its own pages, a typed URL and a trusted origin', async () => {
    const host = `Host: 127.0.0.1:${port}`;
    expect(statusOf(await get(host, `Origin: http://127.0.0.1:${port}`, 'Sec-Fetch-Site: same-origin'))).toBe(
      200,
    );
    expect(statusOf(await get(host, 'Sec-Fetch-Site: none'))).toBe(200);
    expect(codeOf(await post('Origin: http://mine.test:3000', 'Sec-Fetch-Site: cross-site'))).toBe(
      'notify-content-type',
    );
  });

  it('a client that waits for 100 Continue before its body', async () => {
    const body = '{"notify_type":"info"}';
    const answer = await send(
      'POST /api/notify HTTP/1.1',
      `Host: 127.0.0.1:${port}`,
      'Content-Type: application/json',
      `Content-Length: ${body.length}`,
      'Expect: 100-continue',
      'Connection: close',
      '',
      body,
    );
    expect(answer).toMatch(/^HTTP\/1\.1 100 Continue/);
    expect(answer).toContain('{"success":true}');
  });
});

describe('access control refuses', () => {
  it.each([
    ['no host', [], 400, 'door-host-missing'],
    ['two hosts', ['Host: 127.0.0.1:PORT', 'Host: 127.0.0.1:PORT'], 400, 'door-host-missing'],
    ['a rebound name', ['Host: evil.test:PORT'], 403, 'door-host'],
    ['a host without the port', ['Host: 127.0.0.1'], 403, 'door-host'],
    ['a name with the same ending', ['Host: evil.localhost:PORT'], 403, 'door-host'],
    ['a name with a dot at its end', ['Host: localhost.:PORT'], 403, 'door-host'],
    ['another spelling of the address', ['Host: 2130706433:PORT'], 403, 'door-host'],
    ['0.0.0.0', ['Host: 0.0.0.0:PORT'], 403, 'door-host'],
    ['another origin', ['Host: 127.0.0.1:PORT', 'Origin: http://evil.test'], 403, 'door-origin'],
    ['an origin of null', ['Host: 127.0.0.1:PORT', 'Origin: null'], 403, 'door-origin'],
    ['another local port', ['Host: 127.0.0.1:PORT', 'Origin: http://127.0.0.1:1'], 403, 'door-origin'],
    [
      'a request that another site caused',
      ['Host: 127.0.0.1:PORT', 'Sec-Fetch-Site: cross-site'],
      403,
      'door-fetch-site',
    ],
    [
      'a request of a subdomain',
      ['Host: 127.0.0.1:PORT', 'Sec-Fetch-Site: same-site'],
      403,
      'door-fetch-site',
    ],
  ])('%s', async (_what, headers, status, code) => {
    const answer = await get(...headers.map((header) => header.replaceAll('PORT', port)));
    expect([statusOf(answer), codeOf(answer)]).toEqual([status, code]);
    expect(answer).not.toMatch(/access-control/i);
    expect(answer).toContain('"status":"error"');
  });

  it('a write that a browser marks as not from any page', async () => {
    expect(codeOf(await post('Sec-Fetch-Site: none'))).toBe('door-fetch-site');
  });

  it('OPTIONS, absolute targets, double slashes and fragments', async () => {
    const host = `Host: 127.0.0.1:${port}`;
    expect(codeOf(await send('OPTIONS /api/execute HTTP/1.1', host, 'Connection: close'))).toBe(
      'door-method',
    );
    for (const target of [`http://127.0.0.1:${port}/api/health`, '//api/health', '/api/health#x']) {
      expect([target, codeOf(await send(`GET ${target} HTTP/1.1`, host, 'Connection: close'))]).toEqual([
        target,
        'door-protocol',
      ]);
    }
  });

  it('in the error form of the requested operation', async () => {
    const bodyOf = (answer: string) => JSON.parse(answer.slice(answer.indexOf('\r\n\r\n')));
    const text = expect.stringContaining('trusted_origins');
    expect(bodyOf(await post('Origin: http://evil.test'))).toEqual({ error: text });
    const model = await send(
      'GET /api/model/path?repo_id=a/b HTTP/1.1',
      `Host: 127.0.0.1:${port}`,
      'Origin: http://evil.test',
      'Connection: close',
    );
    expect(bodyOf(model)).toEqual({ code: 403, data: {}, message: text, success: false });
  });

  it('bytes that are not HTTP, and the service survives', async () => {
    expect(statusOf(await send('\u0000\u0001 nonsense'))).toBe(400);
    expect(statusOf(await send('GET / HTTP/9.9', `Host: 127.0.0.1:${port}`))).toBe(400);
    expect(statusOf(await get(`Host: 127.0.0.1:${port}`, `X: ${'y'.repeat(40_000)}`))).toBe(431);
    expect((await hob.get('/api/health')).status).toBe(200);
  });
});

it('every route answers behind access control, and is documented', async () => {
  const document = (await hob.get('/api/openapi.json')).body;
  expect(document.openapi).toBe('3.1.0');
  const described = JSON.parse(JSON.stringify(document));
  const headersOf = (path: string, method: string): string[] =>
    described.paths[path][method].parameters
      .filter((each: { in: string }) => each.in === 'header')
      .map(({ name }: { name: string }) => name);
  expect(headersOf('/api/execute', 'post').sort()).toEqual(['idempotency-key', 'x-hob-origin']);
  expect(headersOf('/api/runs/{id}/rerun', 'post')).toEqual(['x-hob-origin']);
  for (const path of ['/api/events', '/api/runs/{id}/events'])
    expect(headersOf(path, 'get')).toEqual(['last-event-id']);
  const paths = Object.entries(JSON.parse(JSON.stringify(document.paths)));
  expect(paths.length).toBeGreaterThanOrEqual(8);
  for (const [path, methods] of paths) {
    for (const [method, operation] of Object.entries(Object(methods))) {
      expect(Object.keys(Object(operation)), `${method} ${path}`).toEqual(
        expect.arrayContaining(['summary', 'responses']),
      );
      const target = path.replace(/\{\w+\}/, 'x');
      const answer = await send(
        `${method.toUpperCase()} ${target} HTTP/1.1`,
        'Host: evil.test',
        'Content-Length: 0',
        'Connection: close',
      );
      expect([path, codeOf(answer)]).toEqual([path, 'door-host']);
    }
  }
});

function openLine(): { socket: Socket; heard: () => string; closed: Promise<string> } {
  const socket = connect(Number(port), '127.0.0.1');
  let text = '';
  socket.on('data', (chunk) => {
    text += String(chunk);
  });
  const closed = new Promise<string>((resolve) => socket.once('close', () => resolve(text)));
  return { socket, heard: () => text, closed };
}

it('access control sees a header, however many precede it', async () => {
  const { host } = new URL(hob.url);
  for (const hidden of ['Origin: http://evil.test', 'Sec-Fetch-Site: cross-site', 'Host: evil.test']) {
    const { socket, closed } = openLine();
    const many = 'x:\r\n'.repeat(2500);
    socket.end(`GET /api/health HTTP/1.1\r\nHost: ${host}\r\n${many}${hidden}\r\nConnection: close\r\n\r\n`);
    expect(await closed, hidden).toMatch(/^HTTP\/1\.1 4/);
  }
});

it('bytes after a request do not suppress its answer', async () => {
  const { host } = new URL(hob.url);
  for (const behind of ['HTTP/1.0\r\n', 'HTTP/1.1\r\nConnection: close\r\n', 'HTTP/1.1\r\n']) {
    const { socket, closed } = openLine();
    socket.write(`GET /api/health ${behind}Host: ${host}\r\n\r\nno request\r\n\r\n`);
    expect(await closed, behind).toMatch(/^HTTP\/1\.1 200/);
  }
});

it('a client that sends many bytes after an invalid request can read the refusal', async () => {
  const head = ['POST /api/notify?\u0001 HTTP/1.1', `Host: 127.0.0.1:${port}`, 'Content-Length: 8000000'];
  const answer = await send(...head, '', 'x'.repeat(8_000_000));
  expect([statusOf(answer), answer.match(/HTTP\/1\.1/g)?.length]).toEqual([400, 1]);
});

it('an invalid request is not answered in the middle of another answer', async () => {
  const { host } = new URL(hob.url);
  const { socket, heard, closed } = openLine();
  socket.write(`GET /api/events HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
  await until('the stream has begun', async () => heard().includes('retry:'));
  socket.write('no request\r\n\r\n');
  expect(await closed).not.toContain('HTTP/1.1 400');
});

it('accepts an IPv6 address in the Host header as Ruby writes it', async () => {
  const { socket, closed } = openLine();
  socket.end(`GET /api/health HTTP/1.1\r\nHost: ::1:${new URL(hob.url).port}\r\nConnection: close\r\n\r\n`);
  expect(await closed).toMatch(/^HTTP\/1\.1 200/);
});
