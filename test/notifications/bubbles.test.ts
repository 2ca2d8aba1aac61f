import { describe, expect, it } from 'vitest';

import { type Dunst, onlyFonts, startBus, startDunst } from '../support/desktop.ts';
import { type Hob, startHob, tempFolder } from '../support/hob.ts';
import { findProgram, has } from '../support/needs.ts';
import {
  compareShots,
  cropShot,
  type Shot,
  saveShot,
  seeNothing,
  seeSomething,
  startScreen,
} from '../support/screen.ts';
import { until } from '../support/until.ts';

const programs = ['Xvfb', 'dbus-daemon', 'dunst', 'import', 'xdotool'];
const isHere = has(
  'a desktop with dunst',
  programs.every((name) => findProgram(name) !== null),
);

/** A folder to save pictures to, for people to look at. */
const album = process.env.TEST_SHOTS;

async function startDesk(env: Record<string, string> = {}) {
  const folder = await tempFolder();
  const [screen, bus] = await Promise.all([startScreen(), startBus(folder)]);
  await screen.parkMouse();
  const dunst = await startDunst({ folder, bus, screen, env });
  const hob = await startHob({ env: { ...bus.env, ...screen.env } });
  return { screen, bus, dunst, hob, empty: await screen.shot() };
}

/** The last text that dunst showed. Dunst interprets markup, so this decodes the sent text to what a person saw. */
async function lastText(dunst: Dunst): Promise<{ summary: string; body: string }> {
  const item = await until('it is in the history', async () => (await dunst.history())[0]);
  const plain = (text: string) =>
    text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
  return { summary: item.summary, body: plain(item.body) };
}

/** The emoji are the only yellow on this screen. */
function countYellow({ pixels }: Shot): number {
  let count = 0;
  for (let at = 0; at < pixels.length; at += 3) {
    const [red = 0, green = 0, blue = 0] = pixels.subarray(at, at + 3);
    if (red > 200 && green > 150 && blue < 120) count++;
  }
  return count;
}

describe.runIf(isHere)('a notification on the screen', () => {
  it.each([
    ['success', '图片已缩放：共 12 张 ✅', 'd0d7de'],
    ['error', '磁盘已满，无法写入 “结果.txt” 💥', 'd1242f'],
    ['info', '正在下载模型……\n还剩 3 分钟', 'd0d7de'],
  ])(
    'of type %s is a bubble with its text and icon, and closes after its time',
    async (type, message, frame) => {
      const { screen, dunst, hob, empty } = await startDesk();
      const askedMs = performance.now();
      const answer = await hob.post('/api/notify', { notify_type: type, message, duration: 4000 });
      expect(answer.body).toEqual({ success: true });

      const { shot, box } = await seeSomething(screen, empty);
      expect(box.width).toBeGreaterThan(200);
      expect(box.width).toBeLessThan(400);
      expect(box.height).toBeGreaterThan(40);
      expect(box.height).toBeLessThan(150);
      // The colour of dunst's frame shows the urgency, as its settings say.
      const edge = cropShot(shot, { x: box.x, y: box.y + Math.floor(box.height / 2), width: 1, height: 1 });
      expect(edge.pixels.toString('hex')).toBe(frame);
      if (album) await saveShot(cropShot(shot, box), `${album}/dunst-${type}.png`);

      await seeNothing(screen, empty);
      const tookMs = performance.now() - askedMs;
      expect(tookMs).toBeGreaterThan(4000);
      expect(tookMs).toBeLessThan(20_000);

      expect(await lastText(dunst)).toEqual({ summary: 'Hob', body: message });
      const [item] = await dunst.history();
      expect(item).toMatchObject({ appname: 'Hob' });
      expect(item?.icon_path).toMatch(new RegExp(`/assets/icons/${type}\\.png$`));
      expect((await hob.get('/api/health')).body.desktop).toBe('ready');
    },
  );

  it('has a different icon for each type', async () => {
    const { screen, dunst, hob, empty } = await startDesk();
    const pictures: Shot[] = [];
    for (const type of ['success', 'error', 'info']) {
      await hob.post('/api/notify', { notify_type: type, message: 'the same', duration: 0 });
      const { shot, box } = await seeSomething(screen, empty);
      // Without the frame, whose colour depends on the urgency.
      pictures.push(cropShot(shot, { x: box.x + 5, y: box.y + 5, width: 60, height: box.height - 10 }));
      await dunst.closeAll();
      await seeNothing(screen, empty);
    }
    const [success, error, info] = pictures;
    if (!success || !error || !info) throw new Error('a picture is missing');
    for (const [one, other] of [
      [success, error],
      [error, info],
      [info, success],
    ] as const) {
      expect(compareShots(one, other).pixels).toBeGreaterThan(500);
    }
  });

  it('shows Chinese characters and emoji, not the boxes of missing glyphs', async () => {
    const desk = await startDesk(await onlyFonts(await tempFolder(), 'dejavu', 'wqy', 'noto'));
    const poor = await startDesk(await onlyFonts(await tempFolder(), 'dejavu'));
    const picture = async ({ screen, dunst, hob, empty }: typeof desk, message: string) => {
      await hob.post('/api/notify', { notify_type: 'info', message, duration: 0 });
      const { shot } = await seeSomething(screen, empty);
      await dunst.closeAll();
      await seeNothing(screen, empty);
      return shot;
    };
    // Without Chinese text both pictures are equal, so the differences below are the characters.
    const latin = await picture(desk, 'finished');
    expect(compareShots(latin, await picture(poor, 'finished')).pixels).toBe(0);

    const done = await picture(desk, '任务完成');
    const failed = await picture(desk, '任务失败');
    const boxes = await picture(poor, '任务完成');
    expect(compareShots(done, await picture(desk, '任务完成')).pixels).toBe(0);
    expect(compareShots(done, boxes).pixels).toBeGreaterThan(200);
    expect(compareShots(failed, boxes).pixels).toBeGreaterThan(200);
    const { pixels, box } = compareShots(done, failed);
    expect(pixels).toBeGreaterThan(50);
    // Two of four characters are the same.
    const whole = compareShots(done, latin).box;
    expect(box?.x).toBeGreaterThan((whole?.x ?? 0) + 10);

    const thumb = await picture(desk, 'ok 👍');
    expect(countYellow(thumb)).toBeGreaterThan(20);
    expect(countYellow(await picture(poor, 'ok 👍'))).toBe(0);
  });

  it('does not appear if the settings say so, and is in the list', async () => {
    const { bus, screen, dunst, hob } = await startDesk();
    const silent = await startHob({ env: { ...bus.env, ...screen.env, HOB_DESKTOP_NOTIFICATIONS: 'false' } });
    const send = (to: Hob, message: string) =>
      to.post('/api/notify', { notify_type: 'info', message, duration: 0 });
    expect((await send(silent, 'listed')).body).toEqual({ success: true });
    await send(hob, 'shown');
    await until('a bubble appears', async () => (await dunst.displayed()) === 1);
    await dunst.closeAll();
    expect(await lastText(dunst)).toEqual({ summary: 'Hob', body: 'shown' });
    expect(await dunst.history()).toHaveLength(1);
    expect((await silent.get('/api/notifications')).body).toMatchObject({ items: [{ message: 'listed' }] });
  });

  it('shows hostile text as text', async () => {
    const { screen, dunst, hob, empty } = await startDesk();
    for (const message of [
      '<b>bold</b> & <a href="http://x">link</a> &amp; <img src="/etc/passwd"/>',
      `"quotes" 'single' \`backticks\` $(touch /tmp/x) %s %n \\n`,
      '<unclosed & broken',
    ]) {
      await hob.post('/api/notify', { notify_type: 'info', message, duration: 0 });
      await seeSomething(screen, empty);
      await dunst.closeAll();
      await seeNothing(screen, empty);
      expect((await lastText(dunst)).body).toBe(message);
    }
    const shown = async (message: string | null) => {
      await hob.post('/api/notify', { notify_type: 'info', message, duration: 0 });
      const { box } = await seeSomething(screen, empty);
      await dunst.closeAll();
      await seeNothing(screen, empty);
      return { box, ...(await lastText(dunst)) };
    };
    expect((await shown('a\0b\u001b[31mc\u0007')).body).toBe('ab[31mc');
    expect((await shown('half a pair: \ud83d.')).body).toBe('half a pair: \ufffd.');
    const long = await shown('很长 '.repeat(300_000));
    expect(Buffer.byteLength(long.body)).toBeLessThanOrEqual(4096);
    expect(long.body.endsWith('…')).toBe(true);
    expect(long.box.height).toBeLessThan(400);
    expect(await shown(null)).toMatchObject({ summary: 'Hob', body: '' });
  });
});
