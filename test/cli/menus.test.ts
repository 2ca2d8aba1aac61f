import { chmod, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { runCli, startHob, tempFolder } from '../support/hob.ts';
import { writeScript } from '../support/scripts.ts';

const menu = '[service.triggers.context_menu]\nenabled = true\ntargets = ["files"]\n';
const shortcut = '[service.triggers.shortcut]\nenabled = true\n';
const restart = 'An open Thunar shows changes after a restart: thunar -q\n';
const asLaunchers = 'As launchers, to which you can bind a key (hob menus bind SCRIPT KEYS):\n';

/** A user with Nautilus, Nemo and Thunar, a running Hob and two scripts. */
async function scene() {
  const base = await tempFolder();
  const programs = join(base, 'bin');
  await mkdir(programs);
  for (const name of ['nautilus', 'nemo', 'thunar']) {
    await writeFile(join(programs, name), '#!/bin/sh\n');
    await chmod(join(programs, name), 0o755);
  }
  const scripts = join(base, 'scripts');
  await writeScript(scripts, 'plain', { name: 'Plain', tables: menu });
  await writeScript(scripts, 'both', { name: 'Both', tables: menu + shortcut });
  const { home } = await startHob({ scripts: [scripts] });
  const env = {
    HOME: base,
    PATH: programs,
    LANG: 'C.UTF-8',
    XDG_CONFIG_HOME: join(base, 'config'),
    XDG_CONFIG_DIRS: join(base, 'xdg'),
    XDG_DATA_HOME: join(base, 'data'),
  };
  const put = async (path: string, text = 'mine\n') => {
    await mkdir(dirname(join(base, path)), { recursive: true });
    await writeFile(join(base, path), text);
  };
  const hob = (...args: string[]) => runCli(['menus', ...args, '--home', home], env).ended;
  return { base, put, hob };
}

const actions = 'config/Thunar/uca.xml';

describe.runIf(process.platform === 'linux')('hob menus install', () => {
  it('lists the file managers and launchers with entries', async () => {
    const { hob } = await scene();
    expect(await hob('install')).toMatchObject({
      code: 0,
      stdout: `In the menus of Nautilus, Nemo, Thunar:\n  Both (both)\n  Plain (plain)\n${restart}${asLaunchers}  Both (both)\n`,
      stderr: '',
    });
  });

  it('does not list Thunar if its file could not be written', async () => {
    const { base, put, hob } = await scene();
    const listed = `In the menus of Nautilus, Nemo:\n  Both (both)\n  Plain (plain)\n${asLaunchers}  Both (both)\n`;
    await put(actions, '<actions>');
    expect(await hob('install')).toMatchObject({
      code: 1,
      stdout: listed,
      stderr: expect.stringContaining('uca.xml was not changed'),
    });
    expect(await readFile(join(base, actions), 'utf8')).toBe('<actions>');

    const other = await scene();
    await mkdir(dirname(join(other.base, actions)), { recursive: true });
    await symlink('missing.xml', join(other.base, actions));
    expect(await other.hob('install')).toMatchObject({
      code: 1,
      stdout: listed,
      stderr: expect.stringContaining('a link to a file that does not exist'),
    });
  });

  it('does not list an entry whose place a file of the user takes', async () => {
    const { put, hob } = await scene();
    await put('data/nautilus/scripts/Plain');
    await put('data/applications/hob-both.desktop');
    const { code, stdout, stderr } = await hob('install');
    expect([code, stdout]).toEqual([
      1,
      `In the menus of Nautilus, Nemo, Thunar:\n  Both (both)\nIn the menus of Nemo, Thunar:\n  Plain (plain)\n${restart}`,
    ]);
    expect(stderr.match(/is not from this Hob/g)).toHaveLength(2);
    await put(actions, 'broken');
    await put('data/nemo/actions/hob-plain.nemo_action');
    const again = await hob('install', '--json');
    expect(JSON.parse(again.stdout).installed).toEqual([
      expect.objectContaining({ slug: 'both', file_managers: ['Nautilus', 'Nemo'], has_launcher: false }),
    ]);
  });

  it('prints no list if no entry could be written', async () => {
    const { put, hob } = await scene();
    await put('data/nautilus/scripts', '');
    await put('data/nemo/actions', '');
    await put('data/applications', '');
    await put(actions, '');
    const { code, stdout, stderr } = await hob('install');
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr.split('\n').length).toBeGreaterThan(5);
  });
});
