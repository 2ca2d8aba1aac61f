import { rm } from 'node:fs/promises';
import { join } from 'node:path';

import { beforeAll, beforeEach, describe, expect, it } from 'vitest';

import {
  deliver,
  exchange,
  githubHeaders,
  head,
  seconds,
  standardHeaders,
  stripeHeaders,
} from '../support/hook-sender.ts';
import { shareService } from '../support/shared-service.ts';
import { until } from '../support/until.ts';

const service = shareService('hooks_listen = "127.0.0.1:0"\n');
const secret = 'correct horse battery staple';
const standardSecret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const mebibyte = 1024 * 1024;

type Body = Record<string, unknown>;

async function send(method: string, path: string, body?: unknown): Promise<{ status: number; body: Body }> {
  const answer = await fetch(service.hob.url + path, {
    method,
    ...(body !== undefined && {
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json' },
    }),
  });
  return { status: answer.status, body: (await answer.json()) as Body };
}

/** Adds a webhook and returns its address. */
async function hook(id: string, fields: Body = {}): Promise<string> {
  const put = await send('PUT', `/api/triggers/${id}`, {
    script: 'receiver',
    kind: 'webhook',
    secret: 'test',
    signature: 'github',
    ...fields,
  });
  expect(put).toMatchObject({ status: 200, body: { state: 'on' } });
  return until(`the webhook ${id} has an address`, async () => {
    const { body } = await send('GET', `/api/triggers/${id}`);
    return typeof body.address === 'string' ? body.address : false;
  });
}

async function firings(id: string): Promise<Body[]> {
  return (await send('GET', `/api/triggers/${id}/slots?limit=500`)).body.items as Body[];
}

async function runsOf(id: string): Promise<Body[]> {
  return (await send('GET', `/api/runs?trigger_id=${id}`)).body.items as Body[];
}

/** Waits for a record with this reason: some refusals are recorded after the sender was answered. */
function recorded(id: string, reason: string | null): Promise<Body> {
  return until(`a firing of ${id} with the reason ${reason}`, async () =>
    (await firings(id)).find((one) => one.reason === reason),
  );
}

const github = (body: string | Buffer, id?: string) => githubHeaders(secret, body, id);
const runIdOf = ({ body }: { body: string }): string => JSON.parse(body).run_id;

beforeAll(async () => {
  await service.add('receiver', { entry: ['main.sh', 'cp "$1" received.json\n'] });
  expect((await send('PUT', '/api/secrets/test', { value: `${secret}` })).status).toBe(200);
  expect((await send('PUT', '/api/secrets/standard', { value: standardSecret })).status).toBe(200);
});

beforeEach(() => rm(join(service.hob.home, 'triggers.toml'), { force: true }));

describe('a webhook', () => {
  it('starts a run for a signed delivery, and gives the sender only the id of the run', async () => {
    const address = await hook('signed', { params: { quality: 80 } });
    const body = '{"ref":"refs/heads/main","text":"中文"}';
    const headers = { ...github(body, 'delivery-1'), 'Content-Type': 'application/json', Cookie: 'a=b' };
    const reply = await deliver(`${address}`, headers, body, { path: '/hook/signed?from=ci&from=test' });
    expect(reply).toMatchObject({ status: 202, headers: { 'content-type': 'application/json' } });
    const runId = runIdOf(reply);
    expect(JSON.parse(reply.body)).toEqual({ run_id: runId });
    expect(await service.hob.ended(runId)).toMatchObject({
      origin: 'webhook',
      trigger_id: 'signed',
      state: 'succeeded',
      params: {
        quality: 80,
        event: {
          headers: {
            host: 'hooks.example',
            'x-github-event': 'push',
            'x-github-delivery': 'delivery-1',
            'content-type': 'application/json',
            'content-length': String(Buffer.byteLength(body)),
          },
          query: { from: ['ci', 'test'] },
          body: { ref: 'refs/heads/main', text: '中文' },
          body_base64: Buffer.from(body).toString('base64'),
        },
      },
    });
    expect(await firings('signed')).toMatchObject([
      { outcome: 'fired', reason: null, run_id: runId, detail: 'delivery-1' },
    ]);
  });

  it.each([
    ['stripe', 'test', (body: string) => stripeHeaders(secret, body)],
    ['standard', 'standard', (body: string) => standardHeaders(standardSecret, body, 'msg_1')],
    ['token', 'test', () => ({ Authorization: `Bearer ${secret}` })],
  ])('accepts deliveries with the scheme %s', async (signature, name, headersOf) => {
    const address = await hook(`scheme-${signature}`, { signature, secret: name });
    const body = '{"id":"evt_1"}';
    expect(await deliver(address, headersOf(body), body)).toMatchObject({ status: 202 });
    expect(await runsOf(`scheme-${signature}`)).toHaveLength(1);
  });

  it('passes on the delivery under the name that the trigger chooses, whatever its content', async () => {
    const address = await hook('named', { into: 'delivery' });
    const body = Buffer.from([0, 1, 254, 255]);
    const runId = runIdOf(await deliver(address, github(body), body));
    expect(await service.hob.ended(runId)).toMatchObject({
      params: { delivery: { body: null, body_base64: 'AAH+/w==' } },
    });
  });

  it('accepts a delivery without Content-Length, in chunks, and after Expect: 100-continue', async () => {
    const address = await hook('chunks');
    const path = new URL(address).pathname;
    const [one, two] = ['{"a":', '1}'];
    const chunked = { ...github(one + two), 'Transfer-Encoding': 'chunked' };
    const pieces = [head('POST', path, chunked), `5\r\n${one}\r\n`, `2\r\n${two}\r\n`, '0\r\n\r\n'];
    expect(await exchange(address, pieces)).toMatchObject({ status: 202 });
    const body = '{"a":2}';
    const headers = { ...github(body), 'Content-Length': body.length, Expect: '100-continue' };
    const reply = await exchange(address, [head('POST', path, headers)], (socket) =>
      socket.once('data', () => socket.write(body)),
    );
    expect(reply.body).toContain('HTTP/1.1 202');
    expect(await runsOf('chunks')).toHaveLength(2);
  });

  it('accepts a delivery of 1 MiB and refuses a larger one, also one that hides its size', async () => {
    const address = await hook('large');
    const path = new URL(address).pathname;
    const most = Buffer.alloc(mebibyte, 'a');
    const runId = runIdOf(await deliver(address, github(most), most));
    expect(await service.hob.ended(runId)).toMatchObject({ state: 'succeeded' });
    const more = Buffer.alloc(mebibyte + 1, 'a');
    expect(await deliver(address, github(more), more)).toMatchObject({ status: 413, body: '' });
    const chunked = head('POST', path, { ...github(more), 'Transfer-Encoding': 'chunked' });
    const size = more.length.toString(16);
    expect(await exchange(address, [chunked, `${size}\r\n`, more, '\r\n0\r\n\r\n'])).toMatchObject({
      status: 413,
    });
    const expecting = head('POST', path, {
      ...github(more),
      'Content-Length': more.length,
      Expect: '100-continue',
    });
    expect(await exchange(address, [expecting])).toMatchObject({ status: 413 });
    expect(await runsOf('large')).toHaveLength(1);
    expect(await recorded('large', 'too-large')).toMatchObject({ outcome: 'refused' });
  });
});

describe('the definition of a webhook', () => {
  it('is refused if the param of the script cannot receive a delivery', async () => {
    const tables = '[[service.params]]\nname = "event"\ntype = "str"\n';
    await service.add('takes-text', { tables });
    const fields = { script: 'takes-text', kind: 'webhook', secret: 'test' };
    expect(await send('PUT', '/api/triggers/text', fields)).toMatchObject({
      status: 400,
      body: { fields: ['into'], message: expect.stringContaining('must be str'), hint: expect.any(String) },
    });
    expect(await send('PUT', '/api/triggers/text', { ...fields, into: 'other' })).toMatchObject({
      status: 200,
    });
  });
});

describe('a delivery that is not signed correctly', () => {
  it.each([
    ['has no signature', {}, 'no-signature'],
    ['has another signature', githubHeaders('guess', '{}'), 'wrong-signature'],
    ['was changed', githubHeaders(secret, '{"changed":true}'), 'wrong-signature'],
  ])('starts no run: it %s', async (_what, headers, reason) => {
    const address = await hook('unsigned');
    expect(await deliver(address, headers, '{}')).toMatchObject({ status: 401, body: '' });
    expect(await recorded('unsigned', reason)).toMatchObject({ outcome: 'refused', run_id: null });
    expect(await runsOf('unsigned')).toEqual([]);
    await send('DELETE', '/api/triggers/unsigned');
  });

  it('starts no run if it is older or newer than five minutes', async () => {
    const [stripe, standard] = [
      await hook('late-stripe', { signature: 'stripe' }),
      await hook('late-standard', { signature: 'standard', secret: 'standard' }),
    ];
    for (const time of [seconds() - 310, seconds() + 310]) {
      expect(await deliver(stripe, stripeHeaders(secret, '{}', time), '{}')).toMatchObject({ status: 401 });
      const headers = standardHeaders(standardSecret, '{}', `msg-${time}`, time);
      expect(await deliver(standard, headers, '{}')).toMatchObject({ status: 401, body: '' });
    }
    for (const id of ['late-stripe', 'late-standard']) {
      expect((await firings(id)).map(({ reason }) => reason)).toEqual(['too-old', 'too-old']);
      expect(await runsOf(id)).toEqual([]);
    }
  });

  it('starts no run if the token is in the query', async () => {
    const address = await hook('query', { signature: 'token' });
    const token = encodeURIComponent(secret);
    for (const path of [
      `/hook/query?token=${token}`,
      `/hook/query?access_token=${token}&authorization=${token}`,
    ])
      expect(await deliver(address, {}, '{}', { path })).toMatchObject({ status: 401 });
    expect(await deliver(address, { Authorization: 'Bearer x' }, '{}')).toMatchObject({ status: 401 });
    expect(await runsOf('query')).toEqual([]);
  });

  it('starts no run if a signature is given twice', async () => {
    const address = await hook('twice');
    const headers = { ...github('{}'), 'x-hub-signature-256': 'sha256=00' };
    expect(await deliver(address, headers, '{}')).toMatchObject({ status: 400, body: '' });
    expect(await recorded('twice', 'malformed')).toMatchObject({ outcome: 'refused' });
  });
});

describe('a delivery to a webhook without its script', () => {
  it('is refused for a while, and is on record', async () => {
    await service.add('vanishes');
    await hook('stays');
    const address = await hook('lost', { script: 'vanishes' });
    await rm(join(service.scripts, 'vanishes'), { recursive: true });
    await until('the script is gone', async () => {
      const { body } = await send('GET', '/api/triggers/lost');
      return body.state === 'script-missing';
    });
    expect(await deliver(address, github('{}'), '{}')).toMatchObject({
      status: 503,
      headers: { 'retry-after': '30' },
      body: '',
    });
    expect(await recorded('lost', 'script-missing')).toMatchObject({
      outcome: 'refused',
      message: 'the script does not exist, or cannot run',
      detail: '127.0.0.1',
    });
    expect(await deliver(address, {}, '', { method: 'GET' })).toMatchObject({ status: 405 });
  });
});

describe('a repeated delivery', () => {
  it('gets the run of the first one', async () => {
    const address = await hook('again');
    const first = await deliver(address, github('{"n":1}', 'same'), '{"n":1}');
    const second = await deliver(address, github('{"n":1}', 'same'), '{"n":1}');
    expect(second).toMatchObject({ status: 202, body: first.body });
    expect(await runsOf('again')).toHaveLength(1);
    expect(await recorded('again', 'repeated')).toMatchObject({ outcome: 'skipped', run_id: runIdOf(first) });
  });

  it('is known by its signature, because the id of GitHub is not signed, and by its id', async () => {
    const address = await hook('replayed');
    const first = await deliver(address, github('{"n":2}', 'one'), '{"n":2}');
    expect(await deliver(address, github('{"n":2}', 'two'), '{"n":2}')).toMatchObject({ body: first.body });
    expect(await deliver(address, github('{"n":3}', 'one'), '{"n":3}')).toMatchObject({ body: first.body });
    expect(await deliver(address, github('{"n":4}', 'four'), '{"n":4}')).toMatchObject({ status: 202 });
    expect(await runsOf('replayed')).toHaveLength(2);
  });

  it('of Stripe is known by the id of its event, although each attempt has another signature', async () => {
    const address = await hook('event', { signature: 'stripe' });
    const body = '{"id":"evt_7"}';
    const first = await deliver(address, stripeHeaders(secret, body), body);
    expect(await deliver(address, stripeHeaders(secret, body, seconds() - 60), body)).toMatchObject({
      status: 202,
      body: first.body,
    });
  });

  it('starts one run if both arrive at once', async () => {
    const address = await hook('both');
    const replies = await Promise.all(
      Array.from({ length: 20 }, () => deliver(address, github('{"n":5}', 'both'), '{"n":5}')),
    );
    expect(new Set(replies.map(({ status, body }) => `${status} ${body}`)).size).toBe(1);
    expect(replies[0]?.status).toBe(202);
    expect(await runsOf('both')).toHaveLength(1);
  });

  it('is not mistaken for a request to the service with the same key', async () => {
    const address = await hook('keyed', { signature: 'token' });
    const { body } = await send('GET', '/api/triggers/keyed');
    const answer = await fetch(`${service.hob.url}/api/execute`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'Idempotency-Key': 'webhook:keyed:one' },
      body: JSON.stringify({ script_id: body.script_id }),
    });
    const other = (await answer.json()) as Body;
    const headers = { Authorization: `Bearer ${secret}`, 'Idempotency-Key': 'one' };
    const reply = await deliver(address, headers, '{}');
    expect(reply.status).toBe(202);
    expect(runIdOf(reply)).not.toBe(other.run_id);
  });

  it('with a token may have an id with spaces, but no other unusable id', async () => {
    const address = await hook('spaces', { signature: 'token' });
    const named = (id: string) => ({ Authorization: secret, 'Idempotency-Key': id });
    const first = await deliver(address, named('one two'));
    expect(await deliver(address, named('one two'))).toMatchObject({ status: 202, body: first.body });
    for (const id of ['k'.repeat(256), 'a\tb', '中'])
      expect(await deliver(address, named(id))).toMatchObject({ status: 400, body: '' });
    expect(await deliver(address, { ...named('k9'), 'idempotency-key': 'k10' })).toMatchObject({
      status: 400,
    });
    expect(await recorded('spaces', 'malformed')).toMatchObject({ detail: 'idempotency-key, 127.0.0.1' });
    expect(await runsOf('spaces')).toHaveLength(1);
  });

  it('with a token is known only if the sender names an id', async () => {
    const address = await hook('tokens', { signature: 'token' });
    const headers = { Authorization: secret };
    const named = { ...headers, 'Idempotency-Key': 'k1' };
    const bodies = [headers, headers, named, named].map(async (each) => (await deliver(address, each)).body);
    expect(new Set(await Promise.all(bodies)).size).toBe(3);
  });
});
