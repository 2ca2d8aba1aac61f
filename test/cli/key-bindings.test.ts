import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { describe, expect, it, onTestFinished } from 'vitest';

import { startBus } from '../support/desktop.ts';
import { runCli, startHob, tempFolder } from '../support/hob.ts';
import { findProgram, has, succeeds } from '../support/needs.ts';
import { writeScript } from '../support/scripts.ts';
import { until } from '../support/until.ts';

const run = promisify(execFile);
const mediaKeys = 'org.gnome.settings-daemon.plugins.media-keys';
const custom = `${mediaKeys}.custom-keybinding`;
const folder = '/org/gnome/settings-daemon/plugins/media-keys/custom-keybindings/';
/** The name of its folder contains the architecture of the machine. */
const xfconfd = readdirSync('/usr/lib')
  .map((name) => join('/usr/lib', name, 'xfce4', 'xfconf', 'xfconfd'))
  .find((path) => existsSync(path));

const hasGnome = has(
  "gsettings with GNOME's schemas",
  findProgram('gsettings') !== null && succeeds(['gsettings', 'list-keys', mediaKeys]),
);
const hasXfce = has(
  'xfconf-query with a bus',
  ['xfconf-query', 'dbus-daemon'].every((name) => findProgram(name) !== null) && xfconfd !== undefined,
);

/** A user with two scripts and a running Hob, on a desktop with settings of its own. */
async function scene(desktop: string, more: Record<string, string> = {}) {
  const base = await tempFolder();
  const runtime = join(base, 'runtime');
  await mkdir(runtime, { mode: 0o700 });
  const scripts = join(base, 'scripts');
  const tables = '[service.triggers.shortcut]\nenabled = true\n';
  const id = await writeScript(scripts, 'one', { name: "Ada's 脚本", tables });
  await writeScript(scripts, 'two', { name: 'Two', tables });
  const { home } = await startHob({ scripts: [scripts] });
  const env: Record<string, string> = {
    HOME: base,
    LANG: 'C.UTF-8',
    XDG_CONFIG_HOME: join(base, 'config'),
    XDG_DATA_HOME: join(base, 'data'),
    XDG_RUNTIME_DIR: runtime,
    XDG_CURRENT_DESKTOP: desktop,
    ...more,
  };
  const hob = (...args: string[]) => runCli(['menus', ...args, '--home', home], env).ended;
  const tool = async (program: string, ...args: string[]) => {
    const { stdout } = await run(program, args, { env: { PATH: process.env.PATH, ...env } });
    return stdout.trim();
  };
  return { id, hob, tool, env };
}

describe.runIf(hasGnome)('a key on GNOME', () => {
  async function gnome() {
    const all = await scene('ubuntu:GNOME', { GSETTINGS_BACKEND: 'keyfile' });
    const settings = (...args: string[]) => all.tool('gsettings', ...args);
    // A key of the user.
    const own = `${custom}:${folder}custom0/`;
    await settings('set', own, 'name', "My 'term'");
    await settings('set', own, 'command', 'xterm');
    await settings('set', own, 'binding', '<Super>t');
    await settings('set', mediaKeys, 'custom-keybindings', `['${folder}custom0/']`);
    const users = async () => [
      await settings('get', mediaKeys, 'custom-keybindings'),
      ...(await settings('list-recursively', own)).split('\n').sort(),
    ];
    return { ...all, settings, users };
  }

  it('is bound beside those of the user, moved, and removed without a trace', async () => {
    const { hob, settings, users } = await gnome();
    const before = await users();
    expect(await hob('bind', "Ada's 脚本", 'Super+Shift+y')).toMatchObject({ code: 0, stderr: '' });
    const list = await settings('get', mediaKeys, 'custom-keybindings');
    const [, path = ''] = /custom0\/', '([^']+)'\]$/.exec(list) ?? [];
    expect(await settings('get', `${custom}:${path}`, 'binding')).toBe("'<Shift><Super>y'");
    expect(await settings('get', `${custom}:${path}`, 'name')).toBe(`"Ada's 脚本"`);
    expect(await settings('get', `${custom}:${path}`, 'command')).toContain("'shortcut-run'");

    expect((await hob('bind', "Ada's 脚本", '<Super>u')).code).toBe(0);
    expect(await settings('get', mediaKeys, 'custom-keybindings')).toBe(list);
    expect(await settings('get', `${custom}:${path}`, 'binding')).toBe("'<Super>u'");
    expect((await hob('status')).stdout).toContain('<Super>u');

    expect(await hob('remove')).toMatchObject({ code: 0, stderr: '' });
    expect(await users()).toEqual(before);
    expect(await settings('get', `${custom}:${path}`, 'command')).toBe("''");
  });

  it.each([
    ['Super+T', 'xterm'],
    ['<Alt>F4', 'org.gnome.desktop.wm.keybindings close'],
  ])('is refused if %s starts something else', async (keys, user) => {
    const { hob, users } = await gnome();
    const before = await users();
    const { code, stderr } = await hob('bind', 'two', keys);
    expect([code, stderr]).toEqual([1, expect.stringContaining(`already starts something else: ${user}.`)]);
    expect(await users()).toEqual(before);
  });

  it('of another script is refused, with the command that frees it', async () => {
    const { hob } = await gnome();
    await hob('bind', 'two', '<Super>y');
    const { code, stderr } = await hob('bind', "Ada's 脚本", '<Super>y');
    expect([code, stderr]).toEqual([1, expect.stringContaining('free them: hob menus unbind two')]);
    expect((await hob('unbind', 'two')).stdout).toBe('<Super>y no longer starts Two.\n');
    expect((await hob('bind', "Ada's 脚本", '<Super>y')).code).toBe(0);
  });
});

describe.runIf(hasXfce)('a key on Xfce', () => {
  async function xfce() {
    const base = await tempFolder();
    const bus = await startBus(base);
    const all = await scene('XFCE', { ...bus.env });
    const daemon = spawn(xfconfd ?? '', { env: { PATH: process.env.PATH, ...all.env }, stdio: 'ignore' });
    onTestFinished(async () => {
      if (daemon.exitCode !== null || daemon.signalCode !== null) return;
      daemon.kill();
      await once(daemon, 'exit');
    });
    await until('xfconfd is on the bus', () => bus.hasOwner('org.xfce.Xfconf'));
    const query = (...args: string[]) => all.tool('xfconf-query', '-c', 'xfce4-keyboard-shortcuts', ...args);
    // A key of the user.
    await query('-p', '/commands/custom/<Super>t', '-n', '-t', 'string', '-s', 'xterm -e "a b"');
    return { ...all, query, bus };
  }

  it('is bound beside those of the user, moved, and removed without a trace', async () => {
    const { hob, query } = await xfce();
    const before = await query('-l', '-v');
    expect(before).toContain('xterm -e "a b"');
    expect(await hob('bind', "Ada's 脚本", 'Super+Shift+y')).toMatchObject({ code: 0, stderr: '' });
    expect(await query('-p', '/commands/custom/<Shift><Super>y')).toContain("'shortcut-run'");
    expect((await hob('bind', "Ada's 脚本", '<Super>u')).code).toBe(0);
    expect(await query('-l')).not.toContain('<Shift><Super>y');
    expect(await query('-p', '/commands/custom/<Super>u')).toContain("'shortcut-run'");
    expect(await hob('remove')).toMatchObject({ code: 0, stderr: '' });
    expect(await query('-l', '-v')).toBe(before);
  });

  it('is refused if it starts something else, and stays if the user gave it away since', async () => {
    const { hob, query } = await xfce();
    const { code, stderr } = await hob('bind', 'two', 'Super+T');
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining('already starts something else: xterm -e "a b".'),
    ]);
    await hob('bind', 'two', '<Super>y');
    await query('-p', '/commands/custom/<Super>y', '-s', 'mine');
    expect((await hob('unbind', 'two')).code).toBe(0);
    expect(await query('-p', '/commands/custom/<Super>y')).toBe('mine');
  });

  it('that cannot be removed now is removed by the next call', async () => {
    const { hob, query, env } = await xfce();
    const before = await query('-l', '-v');
    await hob('bind', 'two', '<Super>y');
    const address = env.DBUS_SESSION_BUS_ADDRESS ?? '';
    env.DBUS_SESSION_BUS_ADDRESS = 'unix:path=/nonexistent';
    const { code, stderr } = await hob('remove');
    expect([code, stderr]).toEqual([1, expect.stringContaining('Xfce did not accept the key binding')]);
    env.DBUS_SESSION_BUS_ADDRESS = address;
    expect(await hob('remove')).toMatchObject({ code: 0, stdout: 'Removed from menus:\n  Two (two)\n' });
    expect(await query('-l', '-v')).toBe(before);
  });
});
