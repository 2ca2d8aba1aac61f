import { createServer } from 'node:http';

import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';

import { type Call, Connection, type ConnectionOptions } from './connection.ts';
import { HobError } from './errors.ts';

const json = (response: Response): Promise<unknown> => response.json();

function connect(
  fetch: typeof globalThis.fetch,
  {
    locate = async () => ({ url: 'http://hob.test' }),
    patienceMs = 5000,
    ...others
  }: Partial<ConnectionOptions> = {},
): Connection {
  return new Connection({ locate, fetch, patienceMs, ...others });
}

const hang: typeof globalThis.fetch = (_, init) =>
  new Promise((_resolve, reject) => {
    init?.signal?.addEventListener('abort', () => reject(init.signal?.reason));
  });

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
    const onGone = vi.fn();
    await expect(connect(globalThis.fetch, { onGone }).ask('/', call, json)).rejects.toThrow(TypeError);
    expect(onGone).not.toHaveBeenCalled();
  });

  it('counts its patience again after a request that waited', async () => {
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

  const breaking = () =>
    new Response(
      new ReadableStream({
        start: (body) => void setTimeout(() => body.error(failed('UND_ERR_SOCKET')), 1200),
      }),
    );
  const cut = () =>
    new Promise<never>((_, reject) => void setTimeout(() => reject(failed('UND_ERR_SOCKET')), 1200));
  it.each<[string, Call, () => Promise<Response>]>([
    ['a POST that is always cut', { method: 'POST', isRepeatable: true }, cut],
    ['an answer that always breaks', {}, async () => breaking()],
  ])('loses its patience with %s', async (_, call, respond) => {
    vi.useFakeTimers();
    const fetch = vi.fn(respond);
    const asked = connect(fetch, { patienceMs: 3000 }).ask('/', call, json);
    await Promise.all([
      expect(asked).rejects.toMatchObject({ code: 'unreachable' }),
      vi.advanceTimersByTimeAsync(20_000),
    ]);
    expect(fetch.mock.calls.length).toBeLessThan(5);
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

  it('waits for a service that cannot be found for a moment, but only after its first response', async () => {
    const unusable = new HobError('The service cannot be found: EMFILE', { code: 'home-unusable' });
    const locate = vi.fn(async () => ({ url: 'http://hob.test' })).mockRejectedValueOnce(unusable);
    const connection = connect(async () => Response.json('done'), { locate });
    await expect(connection.ask('/', {}, json)).rejects.toBe(unusable);
    expect(await connection.ask('/', {}, json)).toBe('done');
    locate.mockRejectedValueOnce(unusable);
    expect(await connection.ask('/', {}, json)).toBe('done');
    locate.mockRejectedValueOnce(unusable);
    await expect(connection.ask('/', { patienceMs: 0 }, json)).rejects.toBe(unusable);
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

  it('adds its headers to each request, unless the request has its own', async () => {
    const seen: unknown[] = [];
    const connection = connect(
      async (_, init) => {
        seen.push(init?.headers);
        return Response.json('done');
      },
      { headers: () => ({ 'accept-language': 'zh', 'x-hob-origin': 'console' }) },
    );
    await connection.ask('/', { headers: { 'x-hob-origin': 'cli' } }, json);
    expect(seen).toEqual([{ 'accept-language': 'zh', 'x-hob-origin': 'cli' }]);
  });

  it('passes on the fields and the files that a refusal names', async () => {
    const said = { message: 'no', fields: ['params.a', 1], files: ['a.toml'] };
    const connection = connect(async () => Response.json(said, { status: 400 }));
    await expect(connection.ask('/', {}, json)).rejects.toMatchObject({
      fields: ['params.a'],
      files: ['a.toml'],
    });
  });

  it('names a refusal without a message', async () => {
    const connection = connect(async () => new Response('<html>', { status: 502 }));
    await expect(connection.ask('/', {}, json)).rejects.toMatchObject({ code: 'no-message', status: 502 });
  });

  it.each<[Call['refusal'], number, object]>([
    ['repeat', 2, { status: 200 }],
    ['throw', 1, { name: 'HobError', status: 503 }],
    ['return', 1, { status: 503, ok: false }],
  ])(
    'with refusal "%s" sends a request that is refused for a moment %i times',
    async (refusal, times, end) => {
      const fetch = vi
        .fn(async () => Response.json({}))
        .mockResolvedValueOnce(Response.json({}, { status: 503, headers: { 'retry-after': '0' } }));
      const opened = await connect(fetch)
        .open('/', { refusal })
        .catch((error: unknown) => error);
      expect(opened).toMatchObject(end);
      expect(fetch).toHaveBeenCalledTimes(times);
    },
  );

  it('limits the time of an attempt, but not of a response that has begun', async () => {
    vi.useFakeTimers();
    const signals: (AbortSignal | null | undefined)[] = [];
    const answers = [hang, async () => Response.json('done')];
    const connection = connect(async (input, init) => {
      signals.push(init?.signal);
      return answers.shift()?.(input, init) ?? hang(input, init);
    });
    const call = { limitMs: 1000, patienceMs: 0 };
    await Promise.all([
      expect(connection.open('/', call)).rejects.toMatchObject({
        code: 'unreachable',
        cause: { name: 'TimeoutError' },
      }),
      vi.advanceTimersByTimeAsync(1000),
    ]);
    await connection.open('/', call);
    await vi.advanceTimersByTimeAsync(5000);
    expect(signals.map((signal) => signal?.aborted)).toEqual([true, false]);
  });

  it('reports that the service is gone, and each response', async () => {
    const seen: unknown[] = [];
    const answers = [
      () => Promise.reject(failed('ECONNREFUSED')),
      async () => Response.json('done', { headers: { date: 'now' } }),
    ];
    const connection = connect(async () => answers.shift()?.() ?? Response.error(), {
      onGone: ({ code }) => seen.push(code),
      onResponse: ({ headers }) => seen.push(headers.get('date')),
    });
    await connection.ask('/', {}, json);
    expect(seen).toEqual(['unreachable', 'now']);
  });
});

describe('a stream of events', () => {
  it('resumes after the last event if the service stops sending', async () => {
    const resumedAfter: unknown[] = [];
    const server = createServer(({ headers }, response) => {
      resumedAfter.push(headers['last-event-id']);
      // The response stays open without an end.
      response.write(`: \n\nid: ${resumedAfter.length}\nevent: a\ndata: {}\n\n`);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close().closeAllConnections());
    const onGone = vi.fn<(error: HobError) => void>();
    const url = `http://127.0.0.1:${Object(server.address()).port}`;
    const connection = connect(globalThis.fetch, { locate: async () => ({ url }), onGone });
    const events = connection.events('/', {});
    expect((await events.next()).value).toMatchObject({ id: '1' });
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const second = events.next();
    await vi.advanceTimersByTimeAsync(39_000);
    expect(onGone).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1000);
    expect(onGone.mock.calls).toMatchObject([[{ cause: { name: 'TimeoutError' } }]]);
    await vi.advanceTimersByTimeAsync(1000);
    vi.useRealTimers();
    expect((await second).value).toMatchObject({ id: '2' });
    expect(resumedAfter).toEqual([undefined, '1']);
    await events.return();
  });

  it('ends with status 204', async () => {
    const connection = connect(async () => new Response(null, { status: 204 }));
    expect(await connection.events('/', { since: '5' }).next()).toEqual({ done: true, value: undefined });
  });
});
