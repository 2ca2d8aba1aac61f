import { execFile } from 'node:child_process';
import { access, mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { describe, expect, it } from 'vitest';

import { announceService } from '../../src/shared/service-file.ts';
import { FakeProgram } from '../support/fake-program.ts';
import { projectRoot, runCli, tempFolder } from '../support/hob.ts';
import { findProgram, has } from '../support/needs.ts';

const hasAnalyze = has('systemd-analyze', findProgram('systemd-analyze') !== null);

/** A user with an empty home folder and a fake systemctl. */
async function open() {
  const user = await tempFolder();
  const home = join(user, 'hob home');
  await mkdir(home);
  const systemctl = await FakeProgram.make('systemctl');
  const service = (...args: string[]) =>
    runCli(['service', ...args, '--home', home], {
      HOME: user,
      XDG_CONFIG_HOME: '',
      PATH: systemctl.folder,
    }).ended;
  const unit = join(user, '.config', 'systemd', 'user', 'hob.service');
  return { user, home, unit, systemctl, service };
}

function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

describe.runIf(process.platform === 'linux')('hob service', () => {
  it.each([[[]], [['start']], [['install', 'x']], [['status', '--colour']]])(
    '%j is a usage error: 2',
    async (args) => {
      const { code, stdout } = await runCli(['service', ...args]).ended;
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    },
  );

  it('installs a unit, starts it, prints the URL, and removes it again', async () => {
    const { home, unit, systemctl, service } = await open();
    await systemctl.become('works');
    // The service that systemd would have started.
    await announceService(home, { url: 'http://127.0.0.1:9999', version: '1.2.3', token: false });
    const installed = await service('install');
    expect(installed).toMatchObject({ code: 0, stderr: '' });
    expect(installed.stdout).toContain(`Installed: ${unit}\nHob 1.2.3 is running at http://127.0.0.1:9999`);
    const text = await readFile(unit, 'utf8');
    expect(text).toContain(
      `ExecStart="${process.execPath}" "--v8-pool-size=1" "--max-semi-space-size=1" "${join(projectRoot, 'bin', 'hob.js')}" "serve" "--home" "${home}"\n`,
    );
    const asked = (await systemctl.calls()).map(({ args }) => args.join(' '));
    expect(asked.slice(-3)).toEqual([
      '--user daemon-reload',
      '--user enable hob.service',
      '--user restart hob.service',
    ]);

    const status = await service('status', '--json');
    expect(JSON.parse(status.stdout)).toEqual({
      installed: true,
      kind: 'systemd',
      file: unit,
      active: true,
      home,
      running: true,
      pid: process.pid,
      version: '1.2.3',
      url: 'http://127.0.0.1:9999',
    });
    expect((await service('status')).stdout).toContain(`Installed with systemd: ${unit}\n`);

    const removed = await service('uninstall');
    expect(removed).toMatchObject({ code: 0, stdout: expect.stringContaining(`remain in ${home}`) });
    expect(await isThere(unit)).toBe(false);
    const last = (await systemctl.calls()).slice(-2).map(({ args }) => args.join(' '));
    expect(last).toEqual(['--user disable --now hob.service', '--user daemon-reload']);
    expect(await service('uninstall')).toMatchObject({
      code: 0,
      stdout: 'Automatic start is not installed.\n',
    });
    expect(JSON.parse((await service('status', '--json')).stdout)).toMatchObject({
      installed: false,
      active: false,
    });
  });

  it('installs nothing without a systemd session, and says what to do instead', async () => {
    const { unit, systemctl, service } = await open();
    const without = await service('install');
    expect(without).toMatchObject({ code: 1, stdout: '' });
    expect(without.stderr).toContain('This machine has no systemd.');
    await systemctl.become('fails');
    const { code, stderr } = await service('install');
    expect(code).toBe(1);
    expect(stderr).toContain('loginctl enable-linger');
    expect(stderr).toContain('Nothing was installed.');
    expect(await isThere(unit)).toBe(false);
  });

  it('changes nothing with --dry-run', async () => {
    const { unit, systemctl, service } = await open();
    const { code, stdout } = await service('install', '--dry-run');
    expect(code).toBe(0);
    expect(stdout).toContain(`Would write ${unit}:\n  [Unit]\n`);
    expect(stdout).toContain('  systemctl --user restart hob.service\n');
    expect((await service('uninstall', '--dry-run')).stdout).toContain(`  remove ${unit}\n`);
    expect(await isThere(unit)).toBe(false);
    expect(await systemctl.calls()).toEqual([]);
  });

  it.runIf(hasAnalyze)('writes a unit that systemd-analyze accepts', async () => {
    const { user, home, unit, systemctl, service } = await open();
    await systemctl.become('works');
    await announceService(home, { url: 'http://127.0.0.1:9999', version: '1.2.3', token: false });
    expect(await service('install')).toMatchObject({ code: 0 });
    const said = await promisify(execFile)('systemd-analyze', ['verify', '--user', unit], {
      env: { ...process.env, HOME: user, XDG_RUNTIME_DIR: user },
    });
    // It warns about unknown keys but still succeeds.
    expect(said).toEqual({ stdout: '', stderr: '' });
  });
});
