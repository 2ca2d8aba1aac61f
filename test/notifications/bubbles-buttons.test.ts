import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { describe, expect, it, onTestFinished } from 'vitest';

import type { Bubble } from '../../src/notifications/desktop/desktop.ts';
import { openDesktop } from '../../src/notifications/desktop/open-desktop.ts';
import { createLogger } from '../../src/shared/log.ts';
import { findXfceNotifyd, startBus, startDaemon } from '../support/desktop.ts';
import { startHob, tempFolder } from '../support/hob.ts';
import { findProgram, has } from '../support/needs.ts';
import { type Box, cropShot, saveShot, seeNothing, seeSomething, startScreen } from '../support/screen.ts';
import { linesOf, until } from '../support/until.ts';

const notifyd = await findXfceNotifyd();
const gnomeDaemon = '/usr/lib/notification-daemon/notification-daemon';
const programs = ['Xvfb', 'dbus-daemon', 'import', 'xdotool'];
const isHere = has(
  'a desktop with xfce4-notifyd and notification-daemon',
  notifyd !== null && existsSync(gnomeDaemon) && programs.every((name) => findProgram(name) !== null),
);

/** A folder to save pictures to, for people to look at. */
const album = process.env.TEST_SHOTS;

async function startDesk(program = notifyd ?? '') {
  const folder = await tempFolder();
  const [screen, bus] = await Promise.all([startScreen(), startBus(folder)]);
  await screen.parkMouse();
  await startDaemon(program, [], { folder, bus, screen });
  return { folder, screen, bus, heard: await bus.hear(), empty: await screen.shot() };
}

describe.runIf(isHere)('a bubble with buttons', () => {
  it.each([
    ['success', 'en_GB.UTF-8'],
    ['error', 'zh_CN.UTF-8'],
    ['info', 'C.UTF-8'],
  ])('of type %s is closed by its button, long before its time', async (type, LANG) => {
    const { screen, bus, heard, empty } = await startDesk();
    const hob = await startHob({ env: { ...bus.env, ...screen.env, LANG, LC_ALL: '' } });
    const sent = { notify_type: type, message: '任务完成 👍', duration: 600_000 };
    await hob.post('/api/notify', { ...sent, show_close: true });
    const { shot, box } = await seeSomething(screen, empty);
    if (album) await saveShot(cropShot(shot, box), `${album}/xfce-${type}.png`);

    // The button is in the lower right corner.
    await screen.click(box.x + box.width - 50, box.y + box.height - 30);
    await until('the button was clicked', async () => heard.length > 0);
    expect(heard[0]).toEqual(['ActionInvoked', expect.any(Number), 'close']);
    await seeNothing(screen, empty);

    await screen.parkMouse();
    await hob.post('/api/notify', sent);
    const without = await seeSomething(screen, empty);
    expect(without.box.height).toBeLessThan(box.height - 25);
  });

  it('that is urgent is closed after its time, even if this daemon would keep it', async () => {
    const { screen, bus, empty } = await startDesk();
    const hob = await startHob({ env: { ...bus.env, ...screen.env } });
    const askedMs = performance.now();
    await hob.post('/api/notify', { notify_type: 'error', message: 'for a while', duration: 3000 });
    await seeSomething(screen, empty);
    await seeNothing(screen, empty);
    expect(performance.now() - askedMs).toBeGreaterThan(3000);
  });

  it.each([
    // One daemon draws a button for the page. For the other, the whole bubble is the button.
    ['xfce4-notifyd', notifyd, (box: Box) => [box.x + 50, box.y + box.height - 30] as const],
    ['notification-daemon', gnomeDaemon, (box: Box) => [box.x + 100, box.y + 20] as const],
  ])('of %s opens its page when it is clicked, and only a page', async (_, program, place) => {
    const { folder, screen, bus, heard, empty } = await startDesk(program ?? '');
    const bin = join(folder, 'bin');
    await mkdir(bin);
    const opened = join(folder, 'opened');
    await writeFile(
      join(bin, 'xdg-open'),
      `#!/bin/sh\nprintf '%s|' "$#" "$@" >> ${opened}\necho >> ${opened}\n`,
      {
        mode: 0o755,
      },
    );
    const environment = { ...bus.env, ...screen.env, PATH: `${bin}:${process.env.PATH}` };
    const log = await createLogger('silent');
    const desktop = openDesktop({ platform: 'linux', environment, language: 'en', log });
    onTestFinished(() => desktop.close());
    const bubble: Bubble = {
      type: 'error',
      title: 'Resize images',
      message: 'The script has failed.',
      durationMs: 600_000,
      showClose: true,
      address: null,
    };
    const clickBubble = async (address: string) => {
      heard.splice(0);
      expect(await desktop.show({ ...bubble, address })).toBe(true);
      const { box } = await seeSomething(screen, empty);
      await screen.click(...place(box));
      await until('it was clicked', async () => heard.length > 0);
      expect(heard[0]).toEqual(['ActionInvoked', expect.any(Number), 'default']);
      await seeNothing(screen, empty);
      await screen.parkMouse();
    };
    await clickBubble('file:///etc/passwd');
    await clickBubble('http://127.0.0.1:9527/runs/1?a=$(b)&c="d"');
    const [line] = await until('a page was opened', async () => {
      const lines = await linesOf(opened);
      return lines.length > 0 && lines;
    });
    expect(line).toBe('1|http://127.0.0.1:9527/runs/1?a=$(b)&c="d"|');
    expect(await linesOf(opened)).toHaveLength(1);
  });
});
