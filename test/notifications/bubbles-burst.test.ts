import { describe, expect, it } from 'vitest';

import { startBus, startDunst } from '../support/desktop.ts';
import { HeapProbe } from '../support/heap.ts';
import { startHob, tempFolder } from '../support/hob.ts';
import { findProgram, has } from '../support/needs.ts';
import { NotificationFlood } from '../support/notification-flood.ts';
import { startScreen } from '../support/screen.ts';
import { until } from '../support/until.ts';

const programs = ['Xvfb', 'dbus-daemon', 'dunst'];
const isHere = has(
  'a bus and a screen',
  programs.every((name) => findProgram(name) !== null),
);

/** How many notifications a bubble represents. */
function notificationsIn(body: string): number {
  return Number(/^(\d+) more notifications$/.exec(body)?.[1] ?? 1);
}

describe.runIf(isHere)('a burst of notifications', () => {
  it('shows a handful of bubbles, delays no caller and leaves nothing behind', async () => {
    const folder = await tempFolder();
    const [screen, bus] = await Promise.all([startScreen(), startBus(folder)]);
    const dunst = await startDunst({ folder, bus, screen });
    const probe = new HeapProbe(folder);
    const hob = await startHob({ env: { ...bus.env, ...screen.env, ...probe.env, LANG: 'C', LC_ALL: '' } });
    const shown = async () => (await dunst.displayed()) + (await dunst.history()).length;
    const pid = hob.process.pid ?? 0;
    const flood = new NotificationFlood(hob.url);
    await flood.send(1);
    await until('one is shown', async () => (await shown()) === 1);
    const before = await probe.measure(pid);

    let isOver = false;
    const others = (async () => {
      let slowestMs = 0;
      while (!isOver) {
        const askedMs = performance.now();
        expect((await hob.get('/api/health')).status).toBe(200);
        slowestMs = Math.max(slowestMs, performance.now() - askedMs);
      }
      return slowestMs;
    })();
    // Rejects if one of them is not answered.
    const begunMs = performance.now();
    await flood.send(500);
    const windows = Math.ceil((performance.now() - begunMs) / 4000);
    isOver = true;
    expect(await others).toBeLessThan(2000);

    const history = await until('the summary is shown', async () => {
      // The history contains only closed bubbles.
      await dunst.closeAll();
      const items = await dunst.history();
      return items.reduce((sum, { body }) => sum + notificationsIn(body), 0) === 501 && items;
    });
    // Ten, unless this machine is so busy that the burst takes longer than the four seconds after which a summary is shown.
    expect(history.length).toBeLessThanOrEqual(9 + windows);
    expect(notificationsIn(history.at(0)?.body ?? '')).toBeGreaterThan(1);

    const after = await probe.measure(pid);
    // 500 messages of 3 kB are 1.5 MB. The buffer of the event stream has its own limit.
    expect(after.heapMib - before.heapMib).toBeLessThan(20);
    expect(after.externalMib - before.externalMib).toBeLessThan(20);
  });
});
