import { connect, type Socket } from 'node:net';

import { describe, expect, it, onTestFinished } from 'vitest';

import { deliver, exchange, head } from '../../../test/support/hook-sender.ts';
import { until } from '../../../test/support/until.ts';
import { HookServer, type HookServerOptions } from './hook-server.ts';

/** A listener that accepts all deliveries, and remembers them. */
async function listening(options: Partial<HookServerOptions> = {}) {
  const bodies: string[] = [];
  const refusals: string[] = [];
  const invalid: string[] = [];
  const defects: string[] = [];
  const server = new HookServer({
    open: () => ({
      accept: async (body) => {
        bodies.push(body.toString());
        return { status: 202, runId: 'r1' };
      },
      refuse(reason, detail) {
        refusals.push(`${reason}: ${detail}`);
        return { status: reason === 'too-large' ? 413 : 400 };
      },
    }),
    onInvalid: (detail) => invalid.push(detail),
    onDefect: (error) => defects.push(String(error)),
    ...options,
  });
  const port = await server.listen('127.0.0.1', 0);
  onTestFinished(() => server.close());
  return { address: `http://127.0.0.1:${port}/hook/a`, port, server, bodies, refusals, invalid, defects };
}

function open(port: number): Socket {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => {});
  onTestFinished(() => {
    socket.destroy();
  });
  return socket;
}

const closed = (socket: Socket) => new Promise<void>((resolve) => socket.once('close', () => resolve()));
const post = (headers: Record<string, string | number> = {}) => head('POST', '/hook/a', headers);

describe('the listener for webhooks', () => {
  it('answers each delivery on a connection of its own', async () => {
    const { address, bodies } = await listening();
    const reply = await deliver(address, {}, 'hello');
    expect(reply).toEqual({
      status: 202,
      headers: expect.objectContaining({ connection: 'close', 'cache-control': 'no-store' }),
      body: '{"run_id":"r1"}',
    });
    expect(Object.keys(reply.headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
    const twice = `${post({ 'Content-Length': 1 })}a${post({ 'Content-Length': 1 })}b`;
    expect((await exchange(address, [twice])).status).toBe(202);
    expect(bodies).toEqual(['hello', 'a']);
  });

  it.each([
    ['a body that is shorter than announced', post({ 'Content-Length': 9 }), 'abc'],
    ['chunks without an end', post({ 'Transfer-Encoding': 'chunked' }), '3\r\nabc\r\n'],
  ])('takes no part of a delivery: %s', async (_what, header, part) => {
    for (const end of [(socket: Socket) => socket.end(), (socket: Socket) => socket.resetAndDestroy()]) {
      const { port, bodies, refusals } = await listening();
      const socket = open(port);
      socket.write(header + part, () => end(socket));
      await until('the delivery is refused', async () => refusals.length > 0);
      expect(refusals).toEqual([expect.stringMatching(/^malformed: (?:\d+ B|[A-Z_]+)$/)]);
      expect(bodies).toEqual([]);
    }
  });

  it.each([
    ['no HTTP', 'hello\r\n\r\n', 400],
    ['two lengths', `${post({ 'Content-Length': 1, 'content-length': 2 })}ab`, 400],
    ['a length and chunks', `${post({ 'Content-Length': 1, 'Transfer-Encoding': 'chunked' })}0\r\n\r\n`, 400],
    ['a chunk without a size', `${post({ 'Transfer-Encoding': 'chunked' })}x\r\n`, 400],
    ['a line break in a header', post({ 'X-A': 'a\nb: c' }).replace('\r\nb', '\nb'), 400],
    ['a header of 20 KiB', post({ 'X-A': 'a'.repeat(20_000) }), 431],
  ])('refuses %s', async (_what, bytes, status) => {
    const { address, bodies } = await listening();
    expect((await exchange(address, [bytes])).status).toBe(status);
    expect(bodies).toEqual([]);
  });

  it('closes a tunnel and ignores an upgrade', async () => {
    const { address, bodies } = await listening();
    expect(await exchange(address, ['CONNECT example.com:443 HTTP/1.1\r\nHost: a\r\n\r\n'])).toMatchObject({
      status: 0,
    });
    const upgrade = post({ Connection: 'Upgrade', Upgrade: 'websocket', 'Content-Length': 1 });
    expect((await exchange(address, [`${upgrade}x`])).status).toBe(202);
    expect(bodies).toEqual(['x']);
  });

  it('accepts requests with any host, and without one', async () => {
    const { address, bodies } = await listening();
    for (const version of ['1.0', '1.1'])
      for (const host of ['', 'Host: evil.test\r\n', 'Host: a\r\nHost: b\r\n']) {
        const request = `POST /hook/a HTTP/${version}\r\n${host}Content-Length: 1\r\n\r\nx`;
        expect((await exchange(address, [request])).status).toBe(202);
      }
    expect(bodies).toHaveLength(6);
  });

  it('answers with 500 after a mistake in Hob, and goes on', async () => {
    const mistake = () => {
      throw new Error('mistake');
    };
    const refuse = () => ({ status: 400 });
    for (const open of [mistake, () => ({ accept: async () => mistake(), refuse })]) {
      const { address, defects } = await listening({ open });
      for (let n = 0; n < 2; n++)
        expect(await deliver(address, {}, 'a')).toMatchObject({ status: 500, body: '' });
      expect(defects).toEqual(['Error: mistake', 'Error: mistake']);
    }
  });

  it('ends a connection on which nothing arrives', async () => {
    const { address, invalid } = await listening({ limits: { headerMs: 200, requestMs: 400 } });
    expect((await exchange(address, [])).status).toBe(408);
    expect(invalid).toEqual(['ERR_HTTP_REQUEST_TIMEOUT']);
  });

  it('ends a request that does not arrive in time', async () => {
    const limits = { headerMs: 200, requestMs: 400 };
    const { address, bodies, refusals, invalid } = await listening({ limits });
    expect((await exchange(address, ['POST /hook/a HTTP/1.1\r\nHost: a\r\n'])).status).toBe(408);
    expect(invalid).toEqual(['ERR_HTTP_REQUEST_TIMEOUT']);
    const pieces = [post({ 'Content-Length': 9 }), 'abc'];
    expect((await exchange(address, pieces)).status).toBe(408);
    expect(refusals).toEqual(['malformed: ERR_HTTP_REQUEST_TIMEOUT']);
    expect(bodies).toEqual([]);
  });

  it('gives the place of an idle connection to a new one', async () => {
    const { address, port, bodies } = await listening({ limits: { connections: 3 } });
    const idle = [open(port), open(port), open(port)];
    await Promise.all(idle.map((socket) => new Promise((resolve) => socket.once('connect', resolve))));
    const ends = idle.map(closed);
    expect((await deliver(address, {}, 'a')).status).toBe(202);
    await Promise.race(ends);
    expect(bodies).toEqual(['a']);
  });

  it('keeps a connection whose delivery is being accepted', async () => {
    let accept = (): void => {};
    const accepting = new Promise<void>((resolve) => (accept = resolve));
    const arrived: string[] = [];
    const { address } = await listening({
      limits: { connections: 1 },
      open: () => ({
        async accept(body) {
          arrived.push(body.toString());
          await accepting;
          return { status: 202, runId: 'r3' };
        },
        refuse: () => ({ status: 400 }),
      }),
    });
    const first = deliver(address, {}, 'first');
    await until('the delivery is being accepted', async () => arrived.length === 1);
    const second = await deliver(address, {}, 'second').catch(() => ({ status: 0 }));
    expect(second.status).toBe(0);
    accept();
    expect(await first).toMatchObject({ status: 202, body: '{"run_id":"r3"}' });
    expect(arrived).toEqual(['first']);
  });

  it('shows the answer to a sender that still sends a large body', async () => {
    const { address } = await listening({ open: () => ({ status: 401 }) });
    const body = Buffer.alloc(8 * 1024 * 1024, 'a');
    expect(await deliver(address, {}, body)).toMatchObject({ status: 401, body: '' });
  });

  it('finishes accepted deliveries when it closes, and drops unfinished ones', async () => {
    let accept = (): void => {};
    const accepting = new Promise<void>((resolve) => (accept = resolve));
    let opened = 0;
    const { address, port, server } = await listening({
      open: () => {
        opened += 1;
        return {
          accept: async () => {
            await accepting;
            return { status: 202, runId: 'r2' };
          },
          refuse: () => ({ status: 400 }),
        };
      },
    });
    const accepted = deliver(address, {}, 'a');
    const unfinished = open(port);
    unfinished.write(`${post({ 'Content-Length': 9 })}abc`);
    await until('both have arrived', async () => opened === 2);
    const ended = closed(unfinished);
    const closing = server.close();
    await ended;
    accept();
    expect(await accepted).toMatchObject({ status: 202 });
    await closing;
  });
});
