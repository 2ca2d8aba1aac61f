import { describe, expect, it, onTestFinished } from 'vitest';

import { DbusDesktop } from '../../src/notifications/desktop/dbus-desktop.ts';
import type { Bubble } from '../../src/notifications/desktop/desktop.ts';
import { createLogger } from '../../src/shared/log.ts';
import { startBus } from '../support/desktop.ts';
import { FakeDaemon } from '../support/fake-daemon.ts';
import { tempFolder } from '../support/hob.ts';
import { findProgram, has } from '../support/needs.ts';
import { until } from '../support/until.ts';

const isHere = has('a bus', findProgram('dbus-daemon') !== null);
const everything = ['actions', 'body', 'body-markup'];

const bubble: Bubble = {
  type: 'success',
  title: 'Resize <images>',
  message: 'a < b & c',
  durationMs: 0,
  showClose: false,
  address: null,
};

async function startScene(capabilities: readonly string[], language: 'en' | 'zh' = 'en') {
  const bus = await startBus(await tempFolder());
  const daemon = await FakeDaemon.start(bus, capabilities);
  const opened: string[] = [];
  const desktop = new DbusDesktop({
    environment: bus.env,
    language,
    log: await createLogger('silent'),
    openAddress: (address) => void opened.push(address),
  });
  onTestFinished(() => desktop.close());
  return { bus, daemon, desktop, opened };
}

describe.runIf(isHere)('the request to a daemon', () => {
  it('contains no markup and no buttons if the daemon supports neither', async () => {
    const { daemon, desktop } = await startScene(['body']);
    await desktop.show({ ...bubble, showClose: true, address: 'http://127.0.0.1:9527/' });
    expect(daemon.notified).toMatchObject([
      { app: 'Hob', summary: 'Resize <images>', body: 'a < b & c', actions: [] },
    ]);
  });

  it('contains both if the daemon supports them, in the language of the user', async () => {
    const { daemon, desktop } = await startScene(everything, 'zh');
    await desktop.show({ ...bubble, showClose: true, address: 'http://127.0.0.1:9527/' });
    expect(daemon.notified).toMatchObject([
      {
        summary: 'Resize <images>',
        body: 'a &lt; b &amp; c',
        actions: ['default', '打开', 'close', '关闭'],
      },
    ]);
  });

  it.each([
    [0, 0],
    [1500, 1500],
    [2 ** 31, 2 ** 31 - 1],
    [Number.MAX_SAFE_INTEGER, 2 ** 31 - 1],
  ])('with a duration of %d ms sets a timeout of %d', async (durationMs, expireMs) => {
    const { daemon, desktop } = await startScene(everything);
    await desktop.show({ ...bubble, durationMs });
    expect(daemon.notified).toMatchObject([{ expireMs }]);
    expect(daemon.closed).toEqual([]);
  });
});

describe.runIf(isHere)('a bubble that a daemon does not close by itself', () => {
  it('is closed once, after its time', async () => {
    const { daemon, desktop } = await startScene(everything);
    await desktop.show({ ...bubble, durationMs: 100 });
    await desktop.show({ ...bubble, durationMs: 600 });
    await until('both are closed', async () => daemon.closed.length === 2);
    expect(daemon.closed).toEqual([1, 2]);
  });

  it('is not touched after the user has closed it', async () => {
    const { daemon, desktop } = await startScene(everything);
    await desktop.show({ ...bubble, durationMs: 400 });
    daemon.say('NotificationClosed', 'uu', [1, 2]);
    await desktop.show({ ...bubble, durationMs: 600 });
    await until('one is closed', async () => daemon.closed.length > 0);
    expect(daemon.closed).toEqual([2]);
  });

  it('closes by its own button and opens its own page, not by events of other programs', async () => {
    const { daemon, desktop, opened } = await startScene(everything);
    await desktop.show({ ...bubble, showClose: true, address: 'http://127.0.0.1:9527/runs/1' });
    await desktop.show({ ...bubble, showClose: true });
    daemon.say('ActionInvoked', 'us', [77, 'close']);
    daemon.say('ActionInvoked', 'us', [77, 'default']);
    daemon.say('ActionInvoked', 'us', [2, 'default']);
    daemon.say('ActionInvoked', 'us', [1, 'other']);
    daemon.say('ActionInvoked', 'us', [1, 'default']);
    daemon.say('ActionInvoked', 'us', [2, 'close']);
    await until('it is closed', async () => daemon.closed.length > 0);
    expect(daemon.closed).toEqual([2]);
    expect(opened).toEqual(['http://127.0.0.1:9527/runs/1']);
  });

  it('opens its page once, however many clicks the daemon reports', async () => {
    const { daemon, desktop, opened } = await startScene(everything);
    await desktop.show({ ...bubble, showClose: true, address: 'http://127.0.0.1:9527/runs/1' });
    for (let n = 0; n < 100; n++) daemon.say('ActionInvoked', 'us', [1, 'default']);
    for (let n = 0; n < 100; n++) daemon.say('ActionInvoked', 'us', [1, 'close']);
    await until('it is closed', async () => daemon.closed.length > 0);
    await desktop.show(bubble);
    expect([opened.length, daemon.closed]).toEqual([1, [1]]);
  });

  it('is one of at most fifty: the oldest is closed when there are more', async () => {
    const { daemon, desktop } = await startScene(everything);
    for (let n = 0; n < 52; n++) await desktop.show(bubble);
    await until('two are closed', async () => daemon.closed.length === 2);
    expect(daemon.closed).toEqual([1, 2]);
  });

  it('is closed later if the daemon did not answer in time', async () => {
    const { daemon, desktop } = await startScene(everything);
    await desktop.show({ ...bubble, durationMs: 300 });
    daemon.isMute = true;
    expect(await desktop.show(bubble)).toBe(false);
    expect(desktop.state).toBe('unreachable');
    expect(daemon.closed).toEqual([]);
    daemon.isMute = false;
    await until('it shows again', () => desktop.show(bubble));
    await until('the old one is closed', async () => daemon.closed.length > 0);
    expect(daemon.closed).toEqual([1]);
  });

  it('is forgotten when its daemon exits, because the next daemon reuses its ids', async () => {
    const { bus, daemon, desktop } = await startScene(everything);
    await desktop.show({ ...bubble, durationMs: 500 });
    daemon.stop();
    const next = await FakeDaemon.start(bus, ['body']);
    await desktop.show({ ...bubble, showClose: true });
    await desktop.show({ ...bubble, durationMs: 1000 });
    await until('one is closed', async () => next.closed.length > 0);
    expect(next.closed).toEqual([2]);
    // The capabilities of the new daemon were queried again.
    expect(next.notified[0]).toMatchObject({ body: 'a < b & c', actions: [] });
  });
});
