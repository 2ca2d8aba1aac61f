import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { describe, expect, it, onTestFinished } from 'vitest';

import { deskPrograms, launchDesk } from '../support/desk.ts';
import { startBus } from '../support/desktop.ts';
import { FakeDaemon } from '../support/fake-daemon.ts';
import { type Hob, runCli, startHob, tempFolder, untilGone } from '../support/hob.ts';
import { findProgram, has } from '../support/needs.ts';
import { seeSomething } from '../support/screen.ts';
import { writeScript } from '../support/scripts.ts';
import { until } from '../support/until.ts';

const hasBus = has('a bus', findProgram('dbus-daemon') !== null);
const hasDesk = has(
  'a desk with zenity',
  [...deskPrograms, 'zenity'].every((name) => findProgram(name) !== null),
);

const offer = `[service.triggers.context_menu]
enabled = true
targets = ["files", "background"]
filters = [".mp4"]
[service.triggers.shortcut]
enabled = true
input_type = "files"
`;

async function makeScripts() {
  const base = await tempFolder();
  const scripts = join(base, 'scripts');
  return { base, scripts, id: await writeScript(scripts, 'one', { name: 'Cut 视频', tables: offer }) };
}

async function lastRun(hob: Pick<Hob, 'get'>): Promise<Record<string, unknown>> {
  const { items } = (await hob.get('/api/runs?limit=1')).body;
  return Object(Array.isArray(items) ? items[0] : {});
}

const menuRun = (home: string, id: string, ...paths: string[]) => [
  'menu-run',
  '--home',
  home,
  id,
  '--',
  ...paths,
];

describe.runIf(hasBus)('an entry in a menu', () => {
  async function scene() {
    const made = await makeScripts();
    const bus = await startBus(made.base);
    const daemon = await FakeDaemon.start(bus, ['body']);
    const hob = await startHob({ scripts: [made.scripts] });
    const click = (...paths: string[]) => runCli(menuRun(hob.home, made.id, ...paths), { ...bus.env }).ended;
    return { ...made, daemon, hob, click };
  }

  it('passes ten thousand files', async () => {
    const { base, hob, click } = await scene();
    const paths = Array.from({ length: 10_000 }, (_, n) => join(base, `文件 ${n}.mp4`));
    for (const path of paths) await writeFile(path, '');
    expect(await click(...paths)).toMatchObject({ code: 0, stderr: '' });
    const { run_id } = await lastRun(hob);
    expect((await hob.ended(String(run_id))).data).toEqual(paths);
  });

  it('passes what fits, and says what it left out', async () => {
    const { base, hob, daemon, click } = await scene();
    const names = ['x.MP4', 'y.txt', 'line\nbreak.mp4'];
    for (const name of names) await writeFile(join(base, name), '');
    const notUtf8 = `file://${base}/%ff%fe.mp4`;
    expect((await click(...names.map((name) => join(base, name)), notUtf8, base)).code).toBe(0);
    const { run_id } = await lastRun(hob);
    const data = [join(base, 'x.MP4'), join(base, 'line\nbreak.mp4'), base];
    expect(await hob.ended(String(run_id))).toMatchObject({ origin: 'menu', data });
    expect(daemon.notified).toHaveLength(1);
    expect(daemon.notified[0]).toMatchObject({ summary: expect.stringContaining('Cut 视频') });
    expect(daemon.notified[0]?.body).toMatch(
      /^1 selected item left out: the script.*\n1 selected item.*not UTF-8/,
    );
  });

  it('says why it starts nothing', async () => {
    const { base, scripts, hob, daemon, click } = await scene();
    await writeFile(join(base, 'y.txt'), '');
    expect(await click(join(base, 'y.txt'))).toMatchObject({ code: 1 });
    expect(await click(`file://${base}/%ff.mp4`)).toMatchObject({ code: 1 });
    await rename(join(scripts, 'one'), join(base, 'one'));
    await until(
      'the script is gone',
      async () => (await hob.get('/api/scripts')).body.scripts?.toString() === '',
    );
    expect(await click(base)).toMatchObject({ code: 1 });
    expect(daemon.notified.map(({ body }) => body)).toEqual([
      expect.stringContaining('works on .mp4 files and folders'),
      expect.stringContaining('Rename the items'),
      expect.stringContaining('hob menus install'),
    ]);
    expect(await lastRun(hob)).toEqual({});
  });

  it('starts the service if it does not run', async () => {
    const { base, scripts, id } = await makeScripts();
    const home = join(base, 'home');
    await mkdir(home, { mode: 0o700 });
    await writeFile(join(home, 'settings.toml'), `scripts = [${JSON.stringify(scripts)}]\nport = 0\n`);
    onTestFinished(async () => {
      await runCli(['stop', '--home', home]).ended;
    });
    const clicks = [1, 2].map(() => runCli(menuRun(home, id, base)).ended);
    const ends = await Promise.all(clicks);
    expect(ends).toMatchObject([{ code: 0 }, { code: 0 }]);
    const { stdout } = await runCli(['runs', '--json', '--home', home]).ended;
    expect(JSON.parse(stdout).items).toHaveLength(2);
  });
});

describe.runIf(hasDesk)('on a desk without notifications', () => {
  async function scene() {
    const made = await makeScripts();
    const desk = await launchDesk();
    onTestFinished(() => desk.stop());
    // Its bus starts no daemon.
    const bus = await startBus(made.base);
    const empty = await desk.screen.shot();
    /** Waits until the window is drawn: it loses keys that are pressed earlier. */
    const opened = async () => {
      const window = await desk.screen.window(/^Cut /);
      await seeSomething(desk.screen, empty);
      return window.id;
    };
    return {
      ...made,
      desk,
      opened,
      env: { ...desk.env, ...bus.env },
      hob: await startHob({ scripts: [made.scripts] }),
    };
  }

  it('an entry in a menu shows its error in a window', async () => {
    const { base, id, desk, opened, env, hob } = await scene();
    const click = runCli(menuRun(hob.home, id, join(base, 'none.mp4')), env);
    await desk.screen.press(await opened(), 'Return');
    expect(await click.ended).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('Nothing of that kind'),
    });
    if (click.child.pid !== undefined) await untilGone(click.child.pid);
  });

  it('a shortcut asks for files, and starts nothing if the user closes the window', async () => {
    const { id, desk, opened, env, hob } = await scene();
    const asked = runCli(['shortcut-run', '--home', hob.home, id], env);
    await desk.screen.close(await opened());
    expect(await asked.ended).toMatchObject({ code: 0, stdout: '', stderr: '' });
    expect(await lastRun(hob)).toEqual({});
  });
});
