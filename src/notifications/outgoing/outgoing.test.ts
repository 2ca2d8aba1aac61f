import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { createLogger } from '../../shared/log.ts';
import type { KeptNotification } from '../notification-store.ts';
import { Outgoing } from './outgoing.ts';
import type { Message, PostResult } from './post.ts';

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;

const works: PostResult = { kind: 'answered', status: 200, retryAfterMs: null, redirectOrigin: null };
const unreachable: PostResult = { kind: 'unanswered', reason: 'ECONNREFUSED' };
const answer = (status: number, retryAfterMs: number | null = null): PostResult => ({
  ...works,
  status,
  retryAfterMs,
});

function notification(id: string, rest: Partial<KeptNotification> = {}): KeptNotification {
  return {
    id,
    type: 'error',
    message: id,
    durationMs: 0,
    showClose: false,
    runId: null,
    scriptId: null,
    scriptName: null,
    end: null,
    at: new Date().toISOString(),
    ...rest,
  };
}

interface Scene {
  /** Called for each request with the id of the notification. */
  result?: (id: string) => PostResult | Promise<PostResult>;
  unsent?: KeptNotification[];
  send?: 'errors' | 'all';
  removeUnsent?: (id: string) => void;
}

async function scene({ result = () => works, unsent = [], send = 'errors', removeUnsent }: Scene = {}) {
  const log = await createLogger('silent');
  const warn = vi.spyOn(log, 'warn');
  const info = vi.spyOn(log, 'info');
  const posted: { id: string; atMs: number }[] = [];
  const marked = new Set(unsent.map(({ id }) => id));
  const startMs = Date.now();
  const outgoing = new Outgoing({
    url: new URL('https://ada:password@ntfy.example/secret-topic?auth=secret'),
    format: 'json',
    send,
    store: {
      unsent: () => unsent,
      removeUnsent: removeUnsent ?? ((id) => marked.delete(id)),
    },
    addressOf: () => null,
    clock: { now: () => new Date() },
    log,
    language: 'en',
    version: '1.2.3',
    post: async (_url: URL, { body }: Message) => {
      const { id } = JSON.parse(body);
      posted.push({ id, atMs: Date.now() - startMs });
      return result(id);
    },
  });
  const take = outgoing.take.bind(outgoing);
  // A notification is stored before it is taken.
  vi.spyOn(outgoing, 'take').mockImplementation((taken) => {
    if (outgoing.wants(taken)) marked.add(taken.id);
    take(taken);
  });
  return { outgoing, posted, marked, warn, info, ids: () => posted.map(({ id }) => id) };
}

describe('notifications to a URL', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('are sent in order, one per second, and marked until they are delivered', async () => {
    const { outgoing, posted, marked } = await scene();
    for (const id of ['a', 'b', 'c']) outgoing.take(notification(id));
    expect([...marked]).toEqual(['a', 'b', 'c']);
    expect(outgoing.state.waiting).toBe(3);
    await vi.advanceTimersByTimeAsync(minute);
    expect(posted).toEqual([
      { id: 'a', atMs: 0 },
      { id: 'b', atMs: second },
      { id: 'c', atMs: 2 * second },
    ]);
    expect(marked).toEqual(new Set());
    expect(outgoing.state).toMatchObject({
      waiting: 0,
      last: { isDelivered: true, status: 200, failure: null },
    });
  });

  it('are only errors, unless the user wants all', async () => {
    const errors = await scene();
    const all = await scene({ send: 'all' });
    for (const { outgoing } of [errors, all])
      for (const type of ['success', 'error', 'info'] as const) outgoing.take(notification(type, { type }));
    await vi.advanceTimersByTimeAsync(minute);
    expect(errors.ids()).toEqual(['error']);
    expect(all.ids()).toEqual(['success', 'error', 'info']);
  });

  it('are sent one at a time, however slow the server is', async () => {
    let resolve = (_result: PostResult) => {};
    const { outgoing, ids } = await scene({
      result: () =>
        new Promise((done) => {
          resolve = done;
        }),
    });
    outgoing.take(notification('a'));
    outgoing.take(notification('b'));
    await vi.advanceTimersByTimeAsync(hour);
    expect(ids()).toEqual(['a']);
    resolve(works);
    await vi.advanceTimersByTimeAsync(second);
    expect(ids()).toEqual(['a', 'b']);
  });

  it('are sent again after growing pauses, and one warning is logged', async () => {
    let isDown = true;
    const { outgoing, posted, warn, info } = await scene({ result: () => (isDown ? unreachable : works) });
    outgoing.take(notification('a'));
    await vi.advanceTimersByTimeAsync(hour);
    const pauses = posted.slice(1).map(({ atMs }, index) => atMs - (posted[index]?.atMs ?? 0));
    expect(pauses.slice(0, 6)).toEqual([
      second,
      5 * second,
      30 * second,
      2 * minute,
      10 * minute,
      10 * minute,
    ]);
    expect(warn).toHaveBeenCalledTimes(1);
    isDown = false;
    await vi.advanceTimersByTimeAsync(10 * minute);
    expect(outgoing.state.waiting).toBe(0);
    expect(warn).toHaveBeenCalledTimes(1);
    expect(info).toHaveBeenCalledTimes(1);
  });

  it('never name more than the host of the URL in the log and in the state', async () => {
    for (const result of [
      unreachable,
      answer(404),
      answer(500),
      { ...answer(302), redirectOrigin: 'https://x' },
    ]) {
      const { outgoing, warn } = await scene({ result: () => result });
      outgoing.take(notification('a'));
      await vi.advanceTimersByTimeAsync(0);
      const text = JSON.stringify([warn.mock.calls, outgoing.state]);
      expect(text).toContain('https://ntfy.example');
      expect(text).not.toMatch(/secret|password|ada/);
    }
  });

  it.each([400, 401, 403, 404, 413, 301, 307])('are not sent again after status %i', async (status) => {
    const { outgoing, ids, marked, warn } = await scene({
      result: (id) => (id === 'a' ? answer(status) : works),
    });
    outgoing.take(notification('a'));
    outgoing.take(notification('b'));
    await vi.advanceTimersByTimeAsync(hour);
    expect(ids()).toEqual(['a', 'b']);
    expect(marked).toEqual(new Set());
    expect(warn).toHaveBeenCalledTimes(1);
  });

  it.each([408, 425, 429, 500, 502, 503])('are sent again after status %i', async (status) => {
    let count = 0;
    const { outgoing, ids } = await scene({ result: () => (++count === 1 ? answer(status) : works) });
    outgoing.take(notification('a'));
    await vi.advanceTimersByTimeAsync(hour);
    expect(ids()).toEqual(['a', 'a']);
  });

  it('wait as long as Retry-After asks', async () => {
    let count = 0;
    const { outgoing, posted } = await scene({
      result: () => (++count === 1 ? answer(429, 7 * minute) : works),
    });
    outgoing.take(notification('a'));
    await vi.advanceTimersByTimeAsync(hour);
    expect(posted.map(({ atMs }) => atMs)).toEqual([0, 7 * minute]);
  });

  it('are not held up by one that its server cannot process', async () => {
    const { outgoing, ids } = await scene({ result: (id) => (id === 'poison' ? answer(500) : works) });
    for (const id of ['poison', 'b', 'c']) outgoing.take(notification(id));
    await vi.advanceTimersByTimeAsync(minute);
    expect(ids()).toEqual(expect.arrayContaining(['b', 'c']));
    expect(outgoing.state.waiting).toBe(1);
  });

  it('are given up after a day', async () => {
    const { outgoing, marked, warn } = await scene({ result: () => unreachable });
    outgoing.take(notification('a'));
    await vi.advanceTimersByTimeAsync(23 * hour);
    expect(outgoing.state.waiting).toBe(1);
    await vi.advanceTimersByTimeAsync(2 * hour);
    expect(outgoing.state.waiting).toBe(0);
    expect(marked).toEqual(new Set());
    expect(warn).toHaveBeenCalledTimes(2);
  });

  it('are dropped from the oldest on if too many wait', async () => {
    const { outgoing, marked, warn } = await scene({ result: () => unreachable });
    for (let number = 1; number <= 1000; number++) outgoing.take(notification(String(number)));
    expect(outgoing.state.waiting).toBe(200);
    expect([...marked].slice(0, 2)).toEqual(['801', '802']);
    expect(warn).toHaveBeenCalledTimes(1);
  });

  it('that an earlier service did not deliver are sent first, once', async () => {
    const earlier = [notification('a'), notification('b')];
    const old = notification('old', { at: new Date(Date.now() - 25 * hour).toISOString() });
    const { outgoing, ids, marked } = await scene({ unsent: [old, ...earlier] });
    outgoing.take(notification('c'));
    outgoing.start();
    await vi.advanceTimersByTimeAsync(minute);
    expect(ids()).toEqual(['a', 'b', 'c']);
    expect(marked).toEqual(new Set());
  });

  it('stay marked if the service stops, and nothing is sent afterwards', async () => {
    const { outgoing, ids, marked, warn } = await scene({
      result: () => new Promise((resolve) => setTimeout(() => resolve(unreachable), second)),
    });
    outgoing.take(notification('a'));
    outgoing.take(notification('b'));
    await vi.advanceTimersByTimeAsync(0);
    outgoing.close();
    outgoing.take(notification('c'));
    await vi.advanceTimersByTimeAsync(hour);
    expect(ids()).toEqual(['a']);
    expect([...marked]).toEqual(['a', 'b', 'c']);
    expect(warn).not.toHaveBeenCalled();
  });

  it('are sent once although the database cannot be written, which is logged once', async () => {
    const { outgoing, ids, warn } = await scene({
      removeUnsent: () => {
        throw new Error('database or disk is full');
      },
    });
    outgoing.take(notification('a'));
    outgoing.take(notification('b'));
    await vi.advanceTimersByTimeAsync(minute);
    expect(ids()).toEqual(['a', 'b']);
    expect(warn).toHaveBeenCalledTimes(1);
  });

  it('can be tested: a test is sent once, and says what happened', async () => {
    const { outgoing, posted } = await scene({ result: () => unreachable });
    const signal = new AbortController().signal;
    expect(await outgoing.test(signal)).toMatchObject({
      isDelivered: false,
      status: null,
      failure: { problem: { en: 'The connection to ntfy.example failed (ECONNREFUSED)' } },
    });
    await vi.advanceTimersByTimeAsync(hour);
    expect(posted).toHaveLength(1);
  });

  it('are sent right after a test that was delivered', async () => {
    let isDown = true;
    const { outgoing, ids } = await scene({ result: () => (isDown ? unreachable : works) });
    outgoing.take(notification('a'));
    await vi.advanceTimersByTimeAsync(20 * minute);
    isDown = false;
    const before = ids().length;
    expect(await outgoing.test(new AbortController().signal)).toMatchObject({ isDelivered: true });
    await vi.advanceTimersByTimeAsync(second);
    expect(ids().slice(before + 1)).toEqual(['a']);
  });
});
