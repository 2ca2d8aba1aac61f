import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';

import { type CommandScene, english, launchScene } from '../support/command-scene.ts';
import { runCli, tempFolder } from '../support/hob.ts';
import { bash, python, writeScript } from '../support/scripts.ts';
import { hasTmux, runInTmux } from '../support/tmux.ts';
import { fileThere, until } from '../support/until.ts';

const stubborn = '50000000-8f43-4b0e-9d0e-3f2d6a1f7c11';

describe.runIf(hasTmux)('hob run at a terminal', () => {
  let scene: CommandScene;

  beforeAll(async () => {
    scene = await launchScene(async (scripts) => {
      await writeScript(scripts, 'forever', { name: 'forever', entry: bash('echo begun; exec sleep 600') });
      await writeScript(scripts, 'stubborn', {
        id: stubborn,
        name: 'stubborn',
        entry: bash("trap '' TERM; echo begun; while :; do sleep 0.1; done"),
      });
      await writeScript(scripts, 'halfway', {
        name: 'halfway',
        language: 'python',
        entry: python(`import os, time
print("first line", flush=True)
call("/api/progress", {"fraction": 0.5, "message": "图 1 of 2"})
while not os.path.exists("go"): time.sleep(0.05)
print("last line")
write({"code": 0, "msg": "both"})`),
      });
      await writeScript(scripts, 'ask', {
        name: 'ask',
        language: 'python',
        entry: python('print(run["params"]["target"], len(run["params"]["key"]))'),
        tables: `
[[service.params]]
name = "target"
type = "str"
required = true
choices = ["test", "live"]
description = "Where to"
[[service.params]]
name = "key"
type = "str"
required = true
secret = true
`,
      });
    }, 'stop_grace_s = 3\n');
  });
  afterAll(() => scene.stop());

  const atTerminal = (...args: string[]) =>
    runInTmux(args, { env: { ...english, HOB_HOME: scene.hob.home } });

  it('cancels the run at the first Ctrl-C, with a message', async () => {
    const terminal = await atTerminal('run', 'forever');
    await terminal.shows('begun');
    terminal.press('C-c');
    const screen = await terminal.shows('[exit 130]');
    expect(screen).toMatch(
      /^begun\nCancelling the run \.\.\. \(press Ctrl-C again to exit without waiting\)\nforever: The run was cancelled \(.+\)\nrun [0-9a-f-]{36}\n/,
    );
  });

  it('exits at the second Ctrl-C without waiting for the run', async () => {
    const terminal = await atTerminal('run', 'stubborn');
    await terminal.shows('begun');
    terminal.press('C-c');
    await terminal.shows('Cancelling');
    terminal.press('C-c');
    await terminal.shows('[exit 130]');
    const { body } = await scene.hob.get(`/api/runs?script=${stubborn}`);
    expect(body.items).toMatchObject([{ state: 'running' }]);
    await until('the run was cancelled', async () => {
      const { body: later } = await scene.hob.get(`/api/runs?script=${stubborn}&state=failed`);
      return Array.isArray(later.items) && later.items.length === 1;
    });
  });

  it('shows the progress below the output while the script runs', async () => {
    const terminal = await atTerminal('run', 'halfway');
    // Output and progress arrive in any order. The bar stays below the output.
    await terminal.shows(/^first line\n\[============> {11}\] {2}50% {2}图 1 of 2$/);
    await writeFile(join(scene.scripts, 'halfway', 'go'), '');
    const screen = await terminal.shows('[exit 0]');
    expect(screen).toMatch(/^first line\nlast line\nhalfway: succeeded \(.+\)\n {2}both\nrun /);
  });

  it('prompts for missing params and does not echo secrets', async () => {
    const terminal = await atTerminal('run', 'ask');
    await terminal.shows(/^Where to\n {2}1 {2}test\n {2}2 {2}live\ntarget:$/);
    terminal.type('elsewhere');
    terminal.press('Enter');
    await terminal.shows('Invalid value "elsewhere" for target: expected one of test, live.\ntarget:');
    terminal.type('2');
    terminal.press('Enter');
    await terminal.shows('Your input is hidden.\nkey:');
    terminal.type('hush-hush');
    terminal.press('Enter');
    const screen = await terminal.shows('[exit 0]');
    expect(screen).toContain('key:\nlive 9\n');
    expect(screen).not.toContain('hush');
  });

  it('runs nothing if a prompt is answered with Ctrl-C', async () => {
    const terminal = await atTerminal('run', 'ask', '-p', 'target=test');
    await terminal.shows('key:');
    terminal.press('C-c');
    expect(await terminal.shows('[exit 130]')).toContain('hob: Nothing was run.');
  });

  it('offers to start the service in the background', async () => {
    const home = await tempFolder();
    const scripts = await tempFolder();
    await writeScript(scripts, 'hello', { name: 'hello', entry: bash('echo hello there') });
    await writeFile(join(home, 'settings.toml'), `port = 0\nscripts = ["${scripts}"]\n`);
    const env = { ...english, HOB_HOME: home };
    onTestFinished(async () => {
      await runCli(['stop', '--all'], env).ended;
    });
    const no = await runInTmux(['run', 'hello'], { env });
    await no.shows('Start it now? [Y/n]');
    await no.type('n');
    await no.press('Enter');
    expect(await no.shows('[exit 1]')).toContain('hob start');
    const yes = await runInTmux(['run', 'hello'], { env });
    await yes.shows('Start it now? [Y/n]');
    await yes.press('Enter');
    const screen = await yes.shows('[exit 0]');
    expect(screen).toContain('Hob is running in the background at http://127.0.0.1:');
    expect(screen).toContain('hello there\nhello: succeeded');
    await fileThere(join(home, 'serve.log'));
    expect((await runCli(['run', 'hello'], env).ended).stdout).toBe('hello there\n');
  });
});
