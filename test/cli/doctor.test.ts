import { chmod, chown, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';

import { describe, expect, it, onTestFinished } from 'vitest';

import type { Finding } from '../../src/doctor/finding.ts';
import { formatRecord } from '../../src/packages/store/installed-record.ts';
import { announceService } from '../../src/shared/service-file.ts';
import { startBus } from '../support/desktop.ts';
import { FakeDaemon } from '../support/fake-daemon.ts';
import { isRunning, runCli, startHob, tempFolder } from '../support/hob.ts';
import { findProgram, has } from '../support/needs.ts';
import { canBecomeOrdinary, ordinaryUser } from '../support/ordinary-user.ts';
import { writeScript } from '../support/scripts.ts';
import { hasTerminal, runInTerminal } from '../support/terminal.ts';

const hasBus = has('dbus-daemon', findProgram('dbus-daemon') !== null);

/** A finding in the JSON output, which is always English. */
interface PrintedFinding extends Pick<Finding, 'area' | 'state'> {
  readonly what: string;
  readonly next: string | null;
}

interface Visit {
  readonly code: number | null;
  /** The findings of an area that are not ok. */
  notOk(area: string): PrintedFinding[];
  /** The sentences of an area. */
  said(area: string): string[];
}

/** A folder with only shells, because starting all interpreters of a machine is slow when it is busy. */
async function fewPrograms(): Promise<string> {
  const bin = await tempFolder();
  for (const name of ['bash', 'sh']) await symlink(findProgram(name) ?? '', join(bin, name));
  return bin;
}

/** Writes a shell script into a folder. */
function addProgram(bin: string, name: string, text: string): Promise<void> {
  return writeFile(join(bin, name), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
}

/** Runs hob doctor on a home. A port of its own avoids conflicts with other services on this machine. */
async function visit(home: string, env: Record<string, string> = {}, wrapper: string[] = []): Promise<Visit> {
  const { code, stdout, stderr } = await runCli(
    ['doctor', '--json', '--home', home],
    { HOB_PORT: '0', PATH: await fewPrograms(), ...env },
    { wrapper },
  ).ended;
  expect(stderr).toBe('');
  const { findings }: { findings: PrintedFinding[] } = JSON.parse(stdout);
  return {
    code,
    notOk: (area) => findings.filter((finding) => finding.area === area && finding.state !== 'ok'),
    said: (area) => findings.filter((finding) => finding.area === area).map(({ what }) => what),
  };
}

/** A home that only its user can read. */
async function privateHome(): Promise<string> {
  const home = join(await tempFolder(), 'my home');
  await mkdir(home, { mode: 0o700 });
  return home;
}

/** A server that listens until the test ends. */
async function listenAt(onData: string | null): Promise<{ port: number }> {
  const server = createServer((socket) => {
    onTestFinished(() => void socket.destroy());
    socket.on('error', () => {});
    if (onData !== null) socket.once('data', () => socket.end(onData));
  });
  onTestFinished(() => void server.close());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return { port: typeof address === 'object' && address !== null ? address.port : 0 };
}

const problem = (what: string | RegExp, next: string | RegExp) =>
  expect.objectContaining({
    state: 'problem',
    what: expect.stringMatching(what),
    next: expect.stringMatching(next),
  });
const note = (what: string | RegExp, next: string | RegExp) =>
  expect.objectContaining({
    state: 'note',
    what: expect.stringMatching(what),
    next: expect.stringMatching(next),
  });

describe('hob doctor finds nothing wrong', () => {
  it('with a home that does not exist yet, and does not create it', async () => {
    const home = join(await tempFolder(), 'not yet');
    const { code, said, notOk } = await visit(home);
    expect(code).toBe(0);
    expect(said('home')[0]).toBe(`${home} does not exist yet; the first start creates it`);
    expect(notOk('service')).toEqual([note('Hob is not running', 'hob start')]);
    expect(said('runtimes').join('\n')).toMatch(/^node\.js \d+\.\d+\.\d+ \(.*\)$/m);
    expect(await readdir(join(home, '..'))).toEqual([]);
  });

  it('with a service that runs, and names its scripts and versions', async () => {
    const scripts = await tempFolder();
    await writeScript(scripts, 'one');
    const hob = await startHob({ scripts: [scripts], args: ['--token'] });
    const { code, said, notOk } = await visit(hob.home, { HOB_SCRIPTS: scripts });
    expect(code).toBe(0);
    expect(said('service')[0]).toContain(`is running at ${hob.url} (process ${hob.process.pid})`);
    expect(said('service').at(-1)).toContain('Only you can read the token');
    expect(said('service').join()).toContain('Warm interpreters: none waiting, 0 B of 256 MB');
    expect(notOk('service')).toEqual([]);
    expect(said('scripts')).toEqual(['1 script loaded']);
    expect(said('home').join()).toContain('The database exists');
  });
});

describe('hob doctor says what is wrong, and what to do next', () => {
  it('with a home that every user may write to or read', async () => {
    const home = await privateHome();
    await chmod(home, 0o777);
    const open = await visit(home);
    expect(open.code).toBe(1);
    expect(open.notOk('home')).toEqual([problem(/^Every user of this machine can write/, /chmod o-w/)]);
    await chmod(home, 0o755);
    const seen = await visit(home);
    expect(seen.code).toBe(0);
    expect(seen.notOk('home')).toEqual([note(/^Other users can access the home/, /chmod 700/)]);
  });

  it('with a home that is a file, and a database that is a link', async () => {
    const folder = await privateHome();
    await writeFile(join(folder, 'file'), '');
    expect((await visit(join(folder, 'file'))).notOk('home')).toEqual([problem('is not a folder', '--home')]);
    await symlink('/dev/null', join(folder, 'hob.db'));
    expect((await visit(folder)).notOk('home')).toEqual([
      problem(/hob\.db is not a regular file/, 'Remove it'),
    ]);
  });

  it.runIf(canBecomeOrdinary)('with a home of another user', async () => {
    const home = await privateHome();
    await chown(home, ordinaryUser, ordinaryUser);
    const { code, notOk } = await visit(home);
    expect(code).toBe(1);
    expect(notOk('home')).toEqual([problem(`belongs to another user \\(id ${ordinaryUser}\\)`, '--home')]);
  });

  it.runIf(canBecomeOrdinary && findProgram('setpriv') !== null)(
    'with a home that it may not read, and continues with the rest',
    async () => {
      const home = await privateHome();
      const user = [`--reuid=${ordinaryUser}`, `--regid=${ordinaryUser}`, '--clear-groups'];
      const { code, notOk, said } = await visit(home, {}, [findProgram('setpriv') ?? '', ...user]);
      expect(code).toBe(1);
      expect(notOk('home')).toEqual([problem(/cannot be accessed \(EACCES\)/, '--home')]);
      expect(notOk('settings')).toEqual([problem(/settings\.toml cannot be read \(EACCES\)/, '.')]);
      expect(notOk('packages')).toEqual([problem(/^Failed to check the packages/, 'Make sure that')]);
      expect(said('runtimes').length).toBeGreaterThan(1);
    },
  );

  it('with settings that were changed while the service runs', async () => {
    const hob = await startHob({});
    const path = join(hob.home, 'settings.toml');
    await writeFile(path, 'port = 9527\n');
    expect((await visit(hob.home)).notOk('settings')).toEqual([
      note('was changed after Hob started', 'hob stop, then hob start'),
    ]);
  });

  it('with settings that cannot be used, each with its line or name', async () => {
    const home = await privateHome();
    await writeFile(join(home, 'settings.toml'), 'port = 9527\nscripts = [\n');
    const broken = await visit(home);
    expect(broken.code).toBe(1);
    expect(broken.notOk('settings')).toEqual([
      problem(/settings\.toml:\d+ is not valid TOML/, 'docs/settings.md'),
    ]);
    await writeFile(join(home, 'settings.toml'), 'port = "x"\ncolour = "red"\n');
    expect((await visit(home)).notOk('settings')).toEqual([
      problem('unknown setting colour', 'docs/settings.md'),
      problem('port must be an integer', 'docs/settings.md'),
    ]);
  });

  it('with a setting that this release has removed', async () => {
    const home = await privateHome();
    await writeFile(join(home, 'settings.toml'), 'parameters_in_memory = true\n');
    expect((await visit(home)).notOk('settings')).toEqual([
      note(/parameters_in_memory in .*: this setting was removed and is ignored/, 'Delete it'),
    ]);
  });

  it('with a service that accepts connections and never answers', async () => {
    const home = await privateHome();
    const { port } = await listenAt(null);
    await announceService(home, { url: `http://127.0.0.1:${port}`, version: '0.0.1', token: false });
    const { code, notOk } = await visit(home);
    expect(code).toBe(1);
    expect(notOk('service')).toEqual([
      problem(/does not respond at .* \(no response within 3 s\)/, `kill ${process.pid}`),
    ]);
  });

  it('with scripts in folders that the service was started with', async () => {
    const folder = await tempFolder();
    await writeScript(folder, 'odd', { runtime: 'timeout = "soon"' });
    const hob = await startHob({ scripts: [folder] });
    const { code, notOk } = await visit(hob.home);
    expect(code).toBe(1);
    expect(notOk('scripts')).toEqual([problem(/odd\/script\.toml:\d+: timeout/, 'docs/manifest.md')]);
  });

  it('with a service of another version', async () => {
    const home = await privateHome();
    const hob = await startHob();
    await announceService(home, { url: hob.url, version: '0.0.1', token: false });
    const { code, notOk } = await visit(home);
    expect(code).toBe(0);
    expect(notOk('service')).toEqual([note(/^Hob 0\.0\.1 is running/, 'hob stop, then hob start')]);
  });

  it.each([
    ['is silent', null],
    ['speaks HTTP', 'HTTP/1.1 200 OK\r\n\r\n{}'],
    ['speaks something else', 'hello\n'],
  ])('with a port that another program uses, which %s', async (_what, answer) => {
    const { port } = await listenAt(answer);
    const { code, notOk } = await visit(await privateHome(), { HOB_PORT: String(port) });
    expect(code).toBe(1);
    expect(notOk('service')).toContainEqual(
      problem(`^Another program already listens on 127.0.0.1:${port}$`, 'port = '),
    );
  });

  it('with a port that another Hob uses', async () => {
    const hob = await startHob();
    const { notOk } = await visit(await privateHome(), { HOB_PORT: new URL(hob.url).port });
    expect(notOk('service')).toContainEqual(
      problem(/^Another Hob \d+\.\d+\.\d+, with a different home, already listens/, 'hob stop --home'),
    );
  });

  it('with a token that other users can read', async () => {
    const home = await privateHome();
    await writeFile(join(home, 'token'), 'x'.repeat(40), { mode: 0o644 });
    expect((await visit(home, { HOB_TOKEN: 'true' })).notOk('service')).toContainEqual(
      problem('can be read by other users', 'hob token --renew'),
    );
    expect((await visit(home)).code).toBe(0);
  });

  it('with scripts that are broken, or need programs that are missing', async () => {
    const home = await privateHome();
    const scripts = join(home, 'scripts');
    await writeScript(scripts, 'needs bun', { language: 'bun', entry: ['main.ts', ''] });
    await writeScript(scripts, 'needs a program', { runtime: 'binaries = [{ name = "no-such-program" }]' });
    await writeScript(scripts, 'needs the future', {
      language: 'python',
      entry: ['main.py', ''],
      runtime: 'language_version = ">=9"',
    });
    await writeScript(scripts, 'for windows', { language: 'bat', entry: ['main.bat', ''] });
    await mkdir(join(scripts, 'broken'));
    await writeFile(join(scripts, 'broken', 'script.toml'), '[service.info]\nid = "x"\nname = [\n');
    const bin = await fewPrograms();
    await addProgram(bin, 'python3', "printf '3.9.0\\n\\n'");
    const { code, notOk } = await visit(home, { PATH: bin });
    expect(code).toBe(1);
    expect(notOk('runtimes')).toEqual([
      problem('bun is not installed, but needed by "needs bun"', 'https://bun.sh/'),
    ]);
    expect(notOk('scripts')).toEqual([
      problem(/broken\/script\.toml:\d+: /, '.'),
      {
        area: 'scripts',
        state: 'note',
        what: '"for windows": Scripts in bat run on Windows only.',
        next: null,
      },
      problem('^"needs a program": The script needs the program "no-such-program"', '^Install it'),
      problem('^"needs the future": The script needs python >=9, but only', '^Install Python'),
    ]);
  });

  it('with triggers that cannot work, without the service', async () => {
    const home = await privateHome();
    const inbox = join(home, 'no inbox');
    const entries = [
      `kind = "folder"\npath = "${inbox}"`,
      `kind = "folder"\npath = "${inbox}"\nenabled = false`,
      'kind = "webhook"\nsecret = "github-hook"',
      'kind = "schedule"\nevery = "1h"',
      'kind = "folder"\npath = "~"',
    ].map((fields, index) => `[[trigger]]\nid = "t${index}"\nscript = "one"\n${fields}\n`);
    const write = (text: string) => writeFile(join(home, 'triggers.toml'), text);
    await write(entries.join('\n'));
    const { code, notOk, said } = await visit(home);
    expect(code).toBe(1);
    expect(notOk('triggers')).toEqual([
      problem(`^t0: The folder ${inbox} does not exist$`, 'Create it'),
      problem('No address for webhooks is set', 'hooks_listen'),
      problem('^t2: There is no stored secret "github-hook"$', 'hob secret set github-hook'),
    ]);
    expect(said('triggers')).toHaveLength(3);
    await write('[[trigger]]\nid = \n');
    expect((await visit(home)).notOk('triggers')).toEqual([
      problem(`^${home}/triggers.toml:2: Not valid TOML`, 'Correct the syntax'),
    ]);
    await write(entries[3] ?? '');
    expect((await visit(home)).said('triggers')).toEqual(['1 trigger']);
  });

  it('with triggers that cannot work, as the service sees them', async () => {
    const home = await privateHome();
    await writeFile(
      join(home, 'triggers.toml'),
      '[[trigger]]\nid = "a"\nscript = "gone"\nkind = "schedule"\nevery = "1h"\n' +
        '[[trigger]]\nid = "b"\nscript = "gone"\nkind = "schedule"\nevery = "1h"\nenabled = false\n',
    );
    const hob = await startHob({ home });
    const { notOk } = await visit(hob.home);
    expect(notOk('triggers')).toEqual([
      problem('^a: There is no script "gone"$', 'hob list'),
      note('^b: There is no script "gone"$', 'hob list'),
    ]);
  });

  it('with an interpreter that hangs, which it kills', async () => {
    const bin = await fewPrograms();
    const pid = join(bin, 'pid');
    await addProgram(bin, 'perl', `echo $$ > ${pid}\nexec ${findProgram('sleep')} 60`);
    const { said, notOk } = await visit(await privateHome(), { PATH: bin });
    expect(notOk('runtimes')).toContainEqual(
      note('The perl program on PATH did not report its version in time', 'which -a perl'),
    );
    expect(said('runtimes').join()).toContain('node.js');
    expect(await isRunning(Number(await readFile(pid, 'utf8')))).toBe(false);
  });

  it('without the tools that environments and packages need', async () => {
    const bin = await tempFolder();
    // This Python has neither venv nor pip.
    await addProgram(bin, 'python3', `case "$*" in *venv*|*pip*) exit 1;; esac\nprintf '3.9.0\\n\\n'`);
    const { code, notOk, said } = await visit(await privateHome(), { PATH: bin });
    expect(code).toBe(0);
    expect(said('runtimes')[0]).toBe(`python 3.9.0 (${join(bin, 'python3')})`);
    expect(notOk('tools')).toEqual([
      note('has no venv and no pip', 'python3-venv'),
      note('^npm is not installed', 'nodejs.org'),
      note('^git is not installed', 'apt install git'),
    ]);
  });

  it('with packages and environments that are damaged or incomplete', async () => {
    const home = await privateHome();
    const at = (...names: string[]) => join(home, ...names);
    const [whole, gone, odd] = ['a', 'b', 'c'].map((end) => `2f0c5c5e-8f43-4b0e-9d0e-3f2d6a1f7c1${end}`);
    const [half, old] = ['0'.repeat(32), '1'.repeat(32)];
    if (!whole || !gone || !odd || !half || !old) throw new Error('missing names');
    for (const folder of [
      ...[whole, gone, odd, '.staging/x'].map((name) => `packages/${name}`),
      `environments/${half}`,
      `environments/${old}/b-00000000/env/bin`,
    ])
      await mkdir(at(folder), { recursive: true });
    await writeScript(at('packages', whole), 'v1', { id: whole, name: 'A' });
    const source = { kind: 'folder', location: '/x', ref: null, path: null } as const;
    const version = {
      version: null,
      installed_at: '2026-05-01T12:00:00.000Z',
      source,
      commit: null,
      content: null,
    };
    const record = { current: 'v1', previous: null, versions: { v1: version } };
    for (const id of [whole, gone])
      await writeFile(at('packages', id, 'installed.json'), formatRecord({ id, ...record }));
    await writeFile(at('packages', odd, 'installed.json'), '{"current":"../../../etc"}');
    await symlink(process.execPath, at('environments', old, 'b-00000000', 'env', 'bin', 'python'));
    await writeFile(
      at('environments', old, 'environment.json'),
      JSON.stringify({
        format: 1,
        key: old,
        kind: 'python',
        made_at: '2026-05-01T12:00:00.000Z',
        made_with: 'Python 3.11.7',
        requirements: ['x'],
        folder: 'b-00000000',
      }),
    );
    const { code, notOk, said } = await visit(home);
    expect(code).toBe(1);
    expect(notOk('packages')).toEqual([
      problem(new RegExp(`${gone} cannot run: its version v1 is missing`), `hob uninstall ${gone}`),
      problem(/installed\.json is damaged/, `hob uninstall ${odd}`),
      note(/files of interrupted installations \(1\)/, 'next start'),
    ]);
    expect(said('packages').at(-1)).toBe('1 package is installed');
    expect(said('scripts')).toEqual(['1 script loaded']);
    expect(notOk('environments')).toEqual([
      note(`^Incomplete, or their interpreter is missing: "${half}"$`, 'builds them again'),
      note(`^Not used by any script: "${old}"$`, 'hob environments rm'),
    ]);
    expect(said('environments').at(-1)).toMatch(/^2 environments use /);
  });

  it.runIf(hasBus)('with a desktop with or without a notification daemon, and shows no bubble', async () => {
    const bus = await startBus(await tempFolder());
    const home = await privateHome();
    expect((await visit(home, bus.env)).notOk('desktop')).toEqual([
      note('^Notifications do not work: No notification daemon is running', 'notification daemon'),
    ]);
    const daemon = await FakeDaemon.start(bus, ['actions', 'body']);
    expect((await visit(home, bus.env)).said('desktop')[0]).toBe('Notifications work');
    daemon.isMute = true;
    expect((await visit(home, bus.env)).notOk('desktop')).toEqual([note('does not respond', 'Restart')]);
    expect(daemon.notified).toEqual([]);
  });

  it('with a screen, but no terminal for it, or not the chosen one', async () => {
    const home = await privateHome();
    const env = { DISPLAY: ':77', PATH: await tempFolder() };
    expect((await visit(home, env)).notOk('desktop')).toEqual([
      note('^No terminal emulator was found', 'xterm'),
    ]);
    expect(
      (await visit(home, { ...env, HOB_TERMINAL_COMMAND: 'no-such-terminal,-e' })).notOk('desktop'),
    ).toEqual([
      problem('The program no-such-terminal of the setting terminal_command does not exist', 'settings.toml'),
      note('^No terminal emulator was found', 'xterm'),
    ]);
  });
});

describe('on a terminal hob doctor', () => {
  it.runIf(hasTerminal)(
    'fits into 80 columns, uses marks the terminal can show, and repeats the problems at the end',
    async () => {
      const home = await privateHome();
      await chmod(home, 0o777);
      const bin = `${await fewPrograms()}:${dirname(findProgram('stty') ?? '')}`;
      const env = { HOB_PORT: '0', PATH: bin, NO_COLOR: '1', LC_ALL: 'C.UTF-8' };
      const session = runInTerminal(['doctor', '--home', home], { env });
      expect(await session.ended).toBe(1);
      const lines = session.lines();
      expect(lines.filter((line) => line.length > 80 && !/\S{60}/.test(line))).toEqual([]);
      expect(lines).toContainEqual(expect.stringMatching(/^ {2}✗ Every user of this machine can write/));
      expect(
        lines.findIndex((line) => line.startsWith('    next: Remove their access with')),
      ).toBeGreaterThan(0);
      expect(lines.slice(-3, -1)).toEqual([
        '1 problem and 1 note:',
        expect.stringMatching(/^ {2}✗ home: Every user of this machine/),
      ]);
      const plain = runInTerminal(['doctor', '--home', home], { env: { ...env, LC_ALL: 'C' } });
      await plain.ended;
      expect(plain.lines()).toContainEqual(
        expect.stringMatching(/^ {2}x Every user of this machine can write/),
      );
    },
  );
});
