import { afterEach, beforeEach, expect, it, vi } from 'vitest';

import { followEvents, tryAgainNow } from './follow-events.ts';

const page = Object.assign(new EventTarget(), {
  visibilityState: 'visible',
  documentElement: { lang: 'en' },
});
const respond = vi.fn<(signal: AbortSignal) => Promise<Response>>();
const ending = { controller: new AbortController() };

beforeEach(() => {
  const events = new EventTarget();
  vi.stubGlobal('document', page);
  vi.stubGlobal('location', { origin: 'http://hob.test' });
  vi.stubGlobal('fetch', (_: string, { signal }: { signal: AbortSignal }) => respond(signal));
  vi.stubGlobal('addEventListener', events.addEventListener.bind(events));
  vi.stubGlobal('removeEventListener', events.removeEventListener.bind(events));
  vi.stubGlobal('dispatchEvent', events.dispatchEvent.bind(events));
  vi.useFakeTimers();
  ending.controller = new AbortController();
});

afterEach(() => {
  ending.controller.abort();
  vi.useRealTimers();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
  respond.mockReset();
  page.visibilityState = 'visible';
});

const refuseConnection = () => Promise.reject(new TypeError('Failed to fetch'));

function turnTo(visibility: 'visible' | 'hidden'): void {
  page.visibilityState = visibility;
  page.dispatchEvent(new Event('visibilitychange'));
}

/** A stream with one event, which stays open until the request is aborted. */
async function stream(signal: AbortSignal): Promise<Response> {
  const event = new TextEncoder().encode('id: 1\nevent: run.queued\ndata: {}\n\n');
  return new Response(
    new ReadableStream({
      start(body) {
        body.enqueue(event);
        signal.addEventListener('abort', () => body.error(signal.reason));
      },
    }),
  );
}

it('adds no listener for each failed attempt', async () => {
  respond.mockImplementation(refuseConnection);
  const added = vi.spyOn(page, 'addEventListener');
  void followEvents('/api/events', { onEvent: () => {} }, ending.controller.signal);
  await vi.advanceTimersByTimeAsync(8000);
  expect(respond.mock.calls.length).toBeGreaterThan(5);
  expect(added).toHaveBeenCalledTimes(1);
});

it('does not report a lost connection if the page was hidden for a moment', async () => {
  respond.mockImplementation(stream);
  let free = () => {};
  const busy = new Promise<void>((resolve) => {
    free = resolve;
  });
  const [onEvent, onCutOff, onOpen] = [vi.fn(() => busy), vi.fn(), vi.fn()];
  void followEvents('/api/events', { onEvent, onCutOff, onOpen }, ending.controller.signal);
  await vi.waitFor(() => expect(onEvent).toHaveBeenCalled());
  turnTo('hidden');
  turnTo('visible');
  free();
  await vi.waitFor(() => expect(onOpen).toHaveBeenCalledTimes(2));
  expect(onCutOff).not.toHaveBeenCalled();
});

it('tries again soon after the page was hidden, because that is no outage', async () => {
  respond.mockImplementation(refuseConnection);
  void followEvents('/api/events', { onEvent: () => {} }, ending.controller.signal);
  await vi.advanceTimersByTimeAsync(0);
  turnTo('hidden');
  await vi.advanceTimersByTimeAsync(20_000);
  expect(respond).toHaveBeenCalledTimes(1);
  turnTo('visible');
  await vi.advanceTimersByTimeAsync(500);
  expect(respond.mock.calls.length).toBeGreaterThanOrEqual(3);
});

it('tries again at once when it is asked to, also during an outage', async () => {
  respond.mockImplementation(refuseConnection);
  void followEvents('/api/events', { onEvent: () => {} }, ending.controller.signal);
  await vi.advanceTimersByTimeAsync(60_000);
  const before = respond.mock.calls.length;
  tryAgainNow();
  await vi.advanceTimersByTimeAsync(0);
  expect(respond).toHaveBeenCalledTimes(before + 1);
});

it('sends a request that is not signed in only once before it pauses', async () => {
  respond.mockImplementation(async () => Response.json({}, { status: 401 }));
  void followEvents('/api/events', { onEvent: () => {} }, ending.controller.signal);
  await vi.advanceTimersByTimeAsync(1000);
  expect(respond).toHaveBeenCalledTimes(1);
  tryAgainNow();
  await vi.advanceTimersByTimeAsync(0);
  expect(respond).toHaveBeenCalledTimes(2);
});
