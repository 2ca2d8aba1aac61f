import { createServer, type RequestListener } from 'node:http';
import { createServer as createTcpServer, type Socket } from 'node:net';

import { expect, it, onTestFinished } from 'vitest';

import { post } from './post.ts';

const message = { headers: { 'content-type': 'application/json' }, body: '{"title":"每晚备份"}' };
const never = new AbortController().signal;

function listen(server: ReturnType<typeof createTcpServer>): Promise<URL> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => sockets.add(socket));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      resolve(new URL(`http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/topic?key=1`));
    });
  });
}

const serve = (handler: RequestListener) => listen(createServer(handler));
const answered = (status: number, rest: object = {}) => ({
  kind: 'answered',
  status,
  retryAfterMs: null,
  redirectOrigin: null,
  ...rest,
});

it('sends the message to the path and the query of the URL, with its password', async () => {
  let seen: unknown;
  const url = await serve(async (request, response) => {
    let body = '';
    for await (const chunk of request.setEncoding('utf8')) body += chunk;
    const { method, url: target, headers } = request;
    seen = { method, target, body, type: headers['content-type'], authorization: headers.authorization };
    response.writeHead(204).end();
  });
  url.username = 'ada';
  url.password = 'p ss';
  expect(await post(url, message, never)).toEqual(answered(204));
  expect(seen).toEqual({
    method: 'POST',
    target: '/topic?key=1',
    body: message.body,
    type: 'application/json',
    authorization: `Basic ${Buffer.from('ada:p ss').toString('base64')}`,
  });
  // A token without a user, as ntfy accepts it.
  url.username = '';
  url.password = 'tk_1';
  await post(url, message, never);
  expect(seen).toMatchObject({ authorization: `Basic ${Buffer.from(':tk_1').toString('base64')}` });
});

it('does not follow a redirect, and names its origin only', async () => {
  let count = 0;
  const url = await serve((_request, response) => {
    count += 1;
    const location = count === 1 ? 'https://other.example/secret' : '/elsewhere';
    response.writeHead(307, { location }).end();
  });
  expect(await post(url, message, never)).toEqual(answered(307, { redirectOrigin: 'https://other.example' }));
  expect(await post(url, message, never)).toEqual(answered(307));
  expect(count).toBe(2);
});

it('returns the time of Retry-After', async () => {
  const url = await serve((_request, response) => void response.writeHead(429, { 'retry-after': '7' }).end());
  expect(await post(url, message, never)).toEqual(answered(429, { retryAfterMs: 7000 }));
});

it('reads only the beginning of an endless body', async () => {
  let sentBytes = 0;
  let isClosed = () => {};
  const closed = new Promise<void>((resolve) => {
    isClosed = resolve;
  });
  const url = await serve((_request, response) => {
    const chunk = Buffer.alloc(64 * 1024);
    const send = () => {
      while (!response.destroyed && response.write(chunk)) sentBytes += chunk.length;
    };
    response.on('drain', send).once('close', isClosed).writeHead(200);
    send();
  });
  expect(await post(url, message, never)).toEqual(answered(200));
  await closed;
  // The buffers of both sockets take a few megabytes.
  expect(sentBytes).toBeLessThan(32 * 1024 * 1024);
});

it('ends a request without an answer', async () => {
  let isClosed = () => {};
  const closed = new Promise<void>((resolve) => {
    isClosed = resolve;
  });
  const url = await serve((request) => void request.once('close', isClosed));
  expect(await post(url, message, never, 50)).toEqual({ kind: 'unanswered', reason: 'timeout' });
  await closed;
});

it('ends when it is aborted, also before it begins', async () => {
  const aborting = new AbortController();
  const url = await serve(() => aborting.abort());
  expect(await post(url, message, aborting.signal)).toEqual({ kind: 'unanswered', reason: 'ABORT_ERR' });
  expect(await post(url, message, aborting.signal)).toEqual({ kind: 'unanswered', reason: 'ABORT_ERR' });
});

it.each([
  ['closes the connection', '', 'ECONNRESET'],
  ['does not speak HTTP', 'SSH-2.0-x\r\n', 'HPE_INVALID_CONSTANT'],
  ['switches to another protocol', 'HTTP/1.1 101 X\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n', 'no-http'],
])('reports a server that %s', async (_what, text, reason) => {
  const url = await listen(
    createTcpServer((socket) => {
      socket.on('error', () => {});
      socket.once('data', () => socket.end(text));
    }),
  );
  expect(await post(url, message, never)).toEqual({ kind: 'unanswered', reason });
});

it('reports a port that nothing listens on, and a password that cannot be decoded', async () => {
  const url = await serve(() => {});
  url.password = '%zz';
  expect(await post(url, message, never)).toMatchObject({ kind: 'unanswered' });
  expect(await post(new URL('http://127.0.0.1:1/'), message, never)).toEqual({
    kind: 'unanswered',
    reason: 'ECONNREFUSED',
  });
});
