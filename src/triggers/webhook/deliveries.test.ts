import { createHmac, randomUUID } from 'node:crypto';

import pino from 'pino';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { AppError } from '../../shared/errors.ts';
import type { FiringRequest, FiringResult } from '../firing-runs.ts';
import type { TriggerEntry, WebhookTrigger } from '../trigger.ts';
import type { Firing } from '../trigger-store.ts';
import { Deliveries } from './deliveries.ts';
import type { HookAnswer, HookHead } from './hook-server.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const secret = 'correct horse battery staple';

const trigger: WebhookTrigger = {
  kind: 'webhook',
  id: 'push',
  script: 'deploy',
  scriptId: 'a4d1a0e4-6a40-4d18-9a2c-0c3c2f4a4a11',
  data: undefined,
  params: {},
  retries: undefined,
  valuesProblem: null,
  signature: 'github',
  into: 'event',
  secret: 'mine',
};

/** The entry of the webhook with a mistake in this field. */
function broken(field: string): Pick<TriggerEntry, 'id' | 'problems'> {
  const text = { en: 'a mistake', zh: '错误' };
  return { id: 'push', problems: [{ field, message: text, advice: text }] };
}

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

/** A webhook whose runs start as `start` says. */
function scene({ start, hook = trigger }: { start?: () => FiringResult; hook?: WebhookTrigger } = {}) {
  const records: Firing[] = [];
  const started: FiringRequest[] = [];
  const runs = new Map<string, string>();
  const failures: string[] = [];
  const secrets = new Map([['mine', secret]]);
  const deliveries = new Deliveries({
    runs: {
      async start(request) {
        const known = runs.get(request.key ?? '');
        if (known !== undefined) return { kind: 'started', runId: known, isRepeat: true };
        started.push(request);
        const result = start?.() ?? { kind: 'started', runId: randomUUID(), isRepeat: false };
        if (result.kind === 'started' && request.key !== null) runs.set(request.key, result.runId);
        return result;
      },
      find: (_trigger, key) => runs.get(key) ?? null,
    },
    store: {
      record(firing) {
        if (firing.key !== null && records.some(({ key }) => key === firing.key)) return false;
        records.push(firing);
        return true;
      },
      find(_id, key) {
        const found = records.find((one) => one.key === key);
        return found === undefined ? null : { ...found, seq: 1 };
      },
    },
    secrets: { read: (name) => secrets.get(name) ?? null, noteUse: () => {} },
    clock: { now: () => new Date() },
    log: pino({ level: 'silent' }),
    keepIdsMs: 24 * hourMs,
    elapsedMs: () => Date.now(),
    onFailure: ({ id }) => failures.push(id),
    onSecretLost: () => {},
  });
  deliveries.update(new Map([[hook.id, hook]]), []);
  return { deliveries, records, started, runs, failures, secrets };
}

function signed(body: string, more: readonly string[] = []): HookHead {
  const digest = createHmac('sha256', secret).update(body).digest('hex');
  const headers = ['X-Hub-Signature-256', `sha256=${digest}`, ...more];
  return { method: 'POST', target: '/hook/push', headers, sender: '127.0.0.1' };
}

async function arrive(
  { deliveries }: { deliveries: Deliveries },
  head: HookHead,
  body = '',
): Promise<HookAnswer> {
  const opened = deliveries.open(head);
  return 'status' in opened ? opened : opened.accept(Buffer.from(body));
}

const deliver = (to: { deliveries: Deliveries }, body: string) => arrive(to, signed(body), body);

describe('the limit of a webhook', () => {
  it('is 60 deliveries a minute, and says when the next one has room', async () => {
    const push = scene();
    for (let n = 0; n < 60; n++) {
      expect(await deliver(push, `${n}`)).toMatchObject({ status: 202 });
      vi.advanceTimersByTime(100);
    }
    expect(await deliver(push, '60')).toEqual({ status: 429, retryAfterS: 54 });
    expect(push.records.at(-1)).toMatchObject({ outcome: 'refused', reason: 'too-many' });
    vi.advanceTimersByTime(54_000);
    expect(await deliver(push, '60')).toMatchObject({ status: 202 });
    expect(push.started).toHaveLength(61);
  });

  it('is not used up by deliveries without a valid signature', async () => {
    const push = scene();
    for (let n = 0; n < 1000; n++) expect(await arrive(push, signed('x'), 'y')).toEqual({ status: 401 });
    expect(await deliver(push, 'x')).toMatchObject({ status: 202 });
  });

  it('is not used up by repeated deliveries', async () => {
    const push = scene();
    const { runId } = await deliver(push, 'x');
    for (let n = 0; n < 1000; n++) expect(await deliver(push, 'x')).toEqual({ status: 202, runId });
    for (let n = 0; n < 59; n++) expect(await deliver(push, `${n}`)).toMatchObject({ status: 202 });
  });
});

describe('the records of a webhook', () => {
  it('of a flood are one for each of the first 60, then one a minute, and a count', async () => {
    const push = scene();
    for (let n = 0; n < 500; n++) await arrive(push, signed('x'), 'y');
    for (let n = 0; n < 7; n++) await arrive(push, { ...signed('x'), headers: [] });
    expect(push.records).toHaveLength(60);
    vi.advanceTimersByTime(minuteMs);
    expect(push.records).toHaveLength(61);
    expect(push.records.at(-1)).toMatchObject({
      reason: 'wrong-signature',
      detail: '+440 wrong-signature, +7 no-signature',
    });
    for (let n = 0; n < 500; n++) await arrive(push, signed('x'), 'y');
    expect(push.records).toHaveLength(62);
    push.deliveries.close();
    expect(push.records.at(-1)).toMatchObject({ detail: '+499 wrong-signature' });
    vi.advanceTimersByTime(hourMs);
    expect(push.records).toHaveLength(63);
  });

  it('contain nothing about requests that name no webhook', async () => {
    const push = scene();
    const heads = [
      { target: '/hook/pull' },
      { target: '/' },
      { target: '/hook/push/' },
      { target: '//hook/push' },
      { target: '/hook/%70ush' },
      { target: 'http://127.0.0.1/hook/push' },
      { target: '/api/runs' },
    ];
    for (const head of heads) expect(await arrive(push, { ...signed(''), ...head })).toEqual({ status: 404 });
    for (const method of ['GET', 'HEAD', 'PUT', 'OPTIONS', 'DELETE'])
      expect(await arrive(push, { ...signed(''), method })).toEqual({ status: 405 });
    expect(push.records).toEqual([]);
  });

  it('do not decide: a run that was started counts, even if its record cannot be written', async () => {
    const push = scene();
    Object.defineProperty(push.records, 'push', {
      value: () => {
        throw new Error('disk full');
      },
    });
    expect(await deliver(push, 'x')).toMatchObject({ status: 202, runId: expect.any(String) });
    expect(await arrive(push, signed('x'), 'y')).toEqual({ status: 401 });
  });
});

describe('a delivery', () => {
  it('with a known id is repeated for as long as ids are kept', async () => {
    const push = scene();
    const id = ['X-GitHub-Delivery', 'd1'];
    const first = await arrive(push, signed('a', id), 'a');
    expect(await arrive(push, signed('b', id), 'b')).toEqual(first);
    vi.advanceTimersByTime(24 * hourMs);
    const later = await arrive(push, signed('b', id), 'b');
    expect(later.status).toBe(202);
    expect(later.runId).not.toBe(first.runId);
    expect(push.records.filter(({ outcome }) => outcome === 'fired')).toHaveLength(2);
  });

  it.each([
    ['Origin', 'http://evil.test'],
    ['Origin', 'null'],
    ['origin', ''],
    ['Sec-Fetch-Site', 'none'],
    ['Sec-Fetch-Site', 'same-origin'],
  ])('of a browser is refused: %s %j', async (name, value) => {
    const push = scene();
    expect(await arrive(push, signed('x', [name, value]), 'x')).toEqual({ status: 403 });
    expect(push.records).toMatchObject([{ reason: 'browser' }]);
    // The same answer for a path without a webhook.
    expect(await arrive(push, { ...signed('x', [name, value]), target: '/x' })).toEqual({ status: 403 });
  });

  it('that is refused because of a header has the header on record, and the address of the sender', async () => {
    const push = scene();
    expect(await arrive(push, signed('x', ['X-GitHub-Delivery', '\u00e9']), 'x')).toEqual({ status: 400 });
    expect(await arrive(push, { ...signed('x'), headers: [] }, 'x')).toEqual({ status: 401 });
    expect(await arrive(push, signed('x'), 'y')).toEqual({ status: 401 });
    expect(push.records).toMatchObject([
      { reason: 'malformed', detail: 'x-github-delivery, 127.0.0.1' },
      { reason: 'no-signature', detail: 'x-hub-signature-256, 127.0.0.1' },
      { reason: 'wrong-signature', detail: '127.0.0.1' },
    ]);
  });

  it('is refused if its webhook is switched off while the body arrives', async () => {
    const push = scene();
    const opened = push.deliveries.open(signed('x'));
    push.deliveries.update(new Map(), []);
    expect('accept' in opened && (await opened.accept(Buffer.from('x')))).toEqual({ status: 404 });
    expect(push.started).toEqual([]);
  });

  it('is refused for a while, and recorded, if the script of its webhook is gone', async () => {
    const push = scene();
    const opened = push.deliveries.open(signed('x'));
    push.deliveries.update(new Map(), [broken('script')]);
    expect(await deliver(push, 'x')).toEqual({ status: 503, retryAfterS: 30 });
    expect(await arrive(push, { ...signed('x'), headers: [] })).toEqual({ status: 503, retryAfterS: 30 });
    // The script disappeared while the body arrived.
    expect('accept' in opened && (await opened.accept(Buffer.from('x')))).toMatchObject({ status: 503 });
    const refusal = { outcome: 'refused', reason: 'script-missing', detail: '127.0.0.1', runId: null };
    expect(push.records).toMatchObject(
      [refusal, refusal, refusal].map((one) => ({ ...one, triggerId: 'push' })),
    );
    expect([push.started, push.failures]).toEqual([[], []]);

    expect(await arrive(push, { ...signed('x'), method: 'GET' })).toEqual({ status: 405 });
    expect(await arrive(push, signed('x', ['Origin', 'null']))).toEqual({ status: 403 });
    expect(await arrive(push, { ...signed('x'), target: '/hook/other' })).toEqual({ status: 404 });
    for (let n = 0; n < 100; n++) await deliver(push, 'x');
    expect(push.records).toHaveLength(60);

    push.deliveries.update(new Map([['push', trigger]]), []);
    expect(await deliver(push, 'x')).toMatchObject({ status: 202 });
  });

  it('is refused for a while if the entry of its webhook has a mistake, and the record names the field', async () => {
    const push = scene();
    push.deliveries.update(new Map(), [broken('into')]);
    expect(await deliver(push, 'x')).toEqual({ status: 503, retryAfterS: 30 });
    expect(push.records).toMatchObject([{ reason: 'cannot-start', detail: 'into, 127.0.0.1' }]);
  });

  it('is refused for a while if its secret is gone', async () => {
    const push = scene();
    push.secrets.clear();
    expect(await deliver(push, 'x')).toEqual({ status: 503, retryAfterS: 30 });
    expect(push.records).toMatchObject([{ reason: 'secret-missing', detail: 'mine' }]);
  });

  it('with a wrong token is refused before its body is read', () => {
    const push = scene({ hook: { ...trigger, signature: 'token' } });
    const head = { ...signed(''), headers: ['Authorization', 'Bearer wrong'] };
    expect(push.deliveries.open(head)).toEqual({ status: 401 });
  });

  it('without a known run asks the sender to try again if the reason passes', async () => {
    const text = { en: 'The queue is full.', zh: '队列已满。' };
    const refused = (retryAfterS?: number, isLasting = false): FiringResult => ({
      kind: 'refused',
      reason: isLasting ? 'bad-input' : 'cannot-start',
      error: new AppError('queue-full', text, retryAfterS === undefined ? {} : { retryAfterS }),
      isLasting,
    });
    const results = [refused(), refused(7), refused(undefined, true)];
    const push = scene({ start: () => results.shift() ?? refused() });
    expect(await deliver(push, '1')).toEqual({ status: 503, retryAfterS: 30 });
    expect(await deliver(push, '2')).toEqual({ status: 503, retryAfterS: 7 });
    expect(await deliver(push, '3')).toEqual({ status: 500 });
    expect(push.failures).toEqual(['push', 'push', 'push']);
    expect(push.records.map(({ reason, detail }) => `${reason} ${detail}`)).toEqual([
      'cannot-start queue-full',
      'cannot-start queue-full',
      'bad-input queue-full',
    ]);
  });
});
