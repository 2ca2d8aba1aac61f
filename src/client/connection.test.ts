import { createServer } from 'node:http';

import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';

import { type Address, type Call, Connection } from './connection.ts';

const json = (response: Response): Promise<unknown> => response.json();

function connect(
  fetch: typeof globalThis.fetch,
  { locate = async () => ({ url: 'http://hob.test' }), patienceMs = 5000 } = {} as {
    locate?: () => Promise<Address | null>;
    patienceMs?: number;
  },
): Connection {
  return new Connection({ locate, fetch, patienceMs });
}

function failed(code: string): TypeError {
  return new TypeError('fetch failed', { cause: Object.assign(new Error(code), { code }) });
}

/** The address of a server that answers each request in the same way, and the paths of these requests. */
async function listen(status: number, headers: Record<string, string>): Promise<[string, string[]]> {
  const paths: string[] = [];
  const server = createServer((request, response) => {
    paths.push(String(request.url));
    response.writeHead(status, headers).end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close().closeAllConnections());
  return [`http://127.0.0.1:${Object(server.address()).port}`, paths];
}

afterEach(() => {
  vi.useRealTimers();
});

describe('a connection', () => {
  const circle: Record<string, unknown> = {};
  circle.self = circle;
  it.each<[string, Call]>([
    ['a header with other characters', { headers: { 'idempotency-key': '订单-42' } }],
    ['a body with a BigInt', { method: 'PUT', body: { count: 1n } }],
    ['a body that contains itself', { method: 'PUT', body: circle }],
    ['a method with a space', { method: 'GET IT' }],
  ])('reports %s to the caller at once', async (_, call) => {
    const send = vi.fn(globalThis.fetch);
    await expect(connect(send).ask('/', call, json)).rejects.toThrow(TypeError);
    expect(send).not.toHaveBeenCalled();
  });

  it('counts its patience again after a connection that was open', async () => {
    vi.useFakeTimers();
    const openTimes = [10_000, 10_000, 10_000];
    const connection = connect(async () => {
      const openMs = openTimes.shift();
      if (openMs === undefined) return Response.json('done');
      await new Promise((resolve) => setTimeout(resolve, openMs));
      throw failed('UND_ERR_SOCKET');
    });
    const asked = connection.ask('/', {}, json);
    await Promise.all([expect(asked).resolves.toBe('done'), vi.advanceTimersByTimeAsync(60_000)]);
  });

  it.each([
    ['closes each connection at once', 0, 'ECONNRESET'],
    ['accepts no connection', 10_000, 'UND_ERR_CONNECT_TIMEOUT'],
  ])('loses its patience with a service that %s', async (_, openMs, code) => {
    vi.useFakeTimers();
    const connection = connect(async () => {
      await new Promise((resolve) => setTimeout(resolve, openMs));
      throw failed(code);
    });
    const asked = connection.ask('/', {}, json);
    await Promise.all([
      expect(asked).rejects.toMatchObject({ code: 'unreachable' }),
      vi.advanceTimersByTimeAsync(60_000),
    ]);
  });

  it('finds the service before each request, and sends no token to an older address', async () => {
    const seen: unknown[] = [];
    const found = ['http://first.test', 'http://second.test'];
    const locate = async () => ({ url: found.shift() ?? '', token: 'secret' });
    const connection = connect(
      async (input) => {
        seen.push(input);
        return Response.json('done');
      },
      { locate },
    );
    await connection.ask('/', {}, json);
    await connection.ask('/', {}, json);
    expect(seen).toEqual(['http://first.test/', 'http://second.test/']);
  });

  it('does not follow a redirect', async () => {
    const [target, reached] = await listen(200, {});
    const [url, asked] = await listen(307, { location: `${target}/elsewhere` });
    const connection = connect(globalThis.fetch, { locate: async () => ({ url }) });
    const call = { method: 'POST', body: { password: 'secret' }, isRepeatable: true };
    await expect(connection.ask('/api', call, json)).rejects.toMatchObject({ name: 'HobError', status: 307 });
    expect(asked).toEqual(['/api']);
    expect(reached).toEqual([]);
  });
});
