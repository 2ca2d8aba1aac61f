import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { type Desk, deskPrograms, launchDesk } from '../support/desk.ts';
import { executorPid, type Hob, isRunning, launchHob, untilGone } from '../support/hob.ts';
import { findProgram, has } from '../support/needs.ts';
import { killEach, processesWith } from '../support/processes.ts';
import { compareShots, cropShot, type Shot, saveShot } from '../support/screen.ts';
import { bash, python, writeScript } from '../support/scripts.ts';
import { fileThere, until } from '../support/until.ts';
import {
  ask,
  emulatorsOf,
  endShown,
  expectNothingLeft,
  openRun,
  outputOf,
  resizeWindow,
  scriptKnown,
  windowGone,
  windowPrograms,
  written,
} from '../support/window-runs.ts';

const names = ['xterm', 'xfce4-terminal'];
const isReady = has(
  'a desk with xterm and xfce4-terminal',
  [...deskPrograms, ...names].every((name) => findProgram(name) !== null),
);

/** A folder to save pictures to, for people to look at. */
const album = process.env.TEST_SHOTS;

/** Ignores signals to end, and so do its children. */
const stubborn = bash(`
trap '' HUP TERM INT
(while :; do sleep 600; done) &
echo ready
while :; do sleep 600; done
`);

describe.runIf(isReady).each(names)('a run in a window of %s', (emulator) => {
  let desk: Desk;
  let home: string;
  let scripts: string;
  let hob: Hob;
  const launch = () =>
    launchHob({
      home,
      scripts: [scripts],
      env: { ...desk.env },
      settings: `terminal_command = ["${emulator}"]\nstop_grace_s = 0.5\n`,
    });
  beforeAll(async () => {
    desk = await launchDesk();
    home = await mkdtemp(join(tmpdir(), 'hob-test-'));
    scripts = await mkdtemp(join(tmpdir(), 'hob-test-'));
    hob = await launch();
  });
  afterAll(async () => {
    const executor = await executorPid(home);
    await hob.stop();
    await untilGone(executor);
    await desk.stop();
    for (const folder of [home, scripts]) await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  });

  /** Writes a script whose window has a unique title. */
  async function script(
    name: string,
    entry: [string, string],
    runtime = '',
  ): Promise<{ id: string; name: string }> {
    const language = entry[0].endsWith('.py') ? 'python' : 'bash';
    const id = await writeScript(scripts, name, { name, entry, language, runtime });
    await scriptKnown(hob, id);
    return { id, name };
  }

  async function drawn(empty: Shot): Promise<number> {
    return until('something is drawn', async () => {
      const { pixels } = compareShots(empty, await desk.screen.shot());
      return pixels > 1000 && pixels;
    });
  }

  it('is visible, accepts typed text, and closes its window when it succeeds', async () => {
    const empty = await desk.screen.shot();
    const greeter = await script(
      'greeter',
      bash(
        'read -r -p "Name? " name; echo "Hello $name, 你好"; stty size; [ -t 0 ] && [ -t 1 ] && [ -t 2 ] && echo terminal',
      ),
    );
    const { runId, window } = await openRun(hob, desk, greeter);
    await written(hob, runId, 'Name? ');
    expect(await drawn(empty)).toBeGreaterThan(1000);
    await desk.screen.type(window.id, 'ada');
    await desk.screen.press(window.id, 'Return');
    const record = await hob.ended(runId);
    expect(record).toMatchObject({ state: 'succeeded', end_cause: 'exit', exit_code: 0 });
    expect(await outputOf(hob, runId)).toBe('Name? ada\nHello ada, 你好\n24 80\nterminal\n');
    expect(record.stderr_bytes).toBe(0);
    await windowGone(desk, greeter.name);
    await expectNothingLeft(runId);
  });

  it('that fails keeps its window until a key is pressed', async () => {
    const failing = await script('failing', bash('echo no, 不行; exit 7'));
    const { runId, window } = await openRun(hob, desk, failing);
    expect(await hob.ended(runId)).toMatchObject({ state: 'failed', end_cause: 'exit', exit_code: 7 });
    await expectNothingLeft(runId);
    await endShown(desk, 'red');
    if (album) await saveShot(cropShot(await desk.screen.shot(), window), `${album}/${emulator}.png`);
    expect((await desk.screen.windows(/failing/)).map(({ id }) => id)).toEqual([window.id]);
    await desk.screen.press(window.id, 'space');
    await windowGone(desk, failing.name);
    expect(await outputOf(hob, runId)).toBe('no, 不行\n');
  });

  it('is ended by Ctrl-C', async () => {
    const patient = await script(
      'patient',
      python('import time\nprint("ready", flush=True)\ntime.sleep(600)'),
    );
    const { runId, window } = await openRun(hob, desk, patient);
    await written(hob, runId, 'ready');
    await desk.screen.press(window.id, 'ctrl+c');
    expect(await hob.ended(runId)).toMatchObject({ state: 'failed', end_cause: 'signal', exit_code: 130 });
    expect(await outputOf(hob, runId)).toContain('KeyboardInterrupt');
    await desk.screen.press(window.id, 'space');
    await windowGone(desk, patient.name);
    await expectNothingLeft(runId);
  });

  it.each([
    ['ends on SIGTERM', 'willing', bash('echo ready; sleep 600')],
    ['ignores signals', 'stubborn', stubborn],
  ] as const)('is cancelled when its window is closed, also if it %s', async (_how, name, entry) => {
    const closed = await script(`closed-${name}`, [...entry]);
    const { runId, window } = await openRun(hob, desk, closed);
    await written(hob, runId, 'ready');
    await desk.screen.close(window.id);
    expect(await hob.ended(runId)).toMatchObject({
      state: 'failed',
      end_cause: 'cancelled',
      left_running: 0,
    });
    await expectNothingLeft(runId);
    await windowGone(desk, closed.name);
  });

  it('is cancelled when the program in its window is killed', async () => {
    const orphan = await script('orphan', stubborn);
    const { runId } = await openRun(hob, desk, orphan);
    await written(hob, runId, 'ready');
    const programs = await windowPrograms(home);
    expect(programs).toHaveLength(1);
    killEach(programs);
    expect(await hob.ended(runId)).toMatchObject({ end_cause: 'cancelled', left_running: 0 });
    await expectNothingLeft(runId);
    await windowGone(desk, orphan.name);
  });

  it('is cancelled when the emulator is killed, with every other run in its windows', async () => {
    const crowd = await script('crowd', stubborn);
    const runIds = [await ask(hob, crowd.id), await ask(hob, crowd.id)];
    for (const runId of runIds) await written(hob, runId, 'ready');
    killEach(await emulatorsOf(await windowPrograms(home)));
    for (const runId of runIds) {
      expect(await hob.ended(runId)).toMatchObject({ end_cause: 'cancelled', left_running: 0 });
      await expectNothingLeft(runId);
    }
    await windowGone(desk, crowd.name);
    await until(
      'the programs in the windows are gone',
      async () => (await windowPrograms(home)).length === 0,
    );
  });

  it('receives the size of its window', async () => {
    const entry = python(`import signal
signal.signal(signal.SIGWINCH, lambda *_: print("size", *os.get_terminal_size(), flush=True))
print("ready", flush=True)
sys.stdin.readline()
print("last", *os.get_terminal_size())`);
    const { runId, window } = await openRun(hob, desk, await script('sized', entry));
    await written(hob, runId, 'ready');
    await resizeWindow(desk, window.id, 600, 250);
    await written(hob, runId, 'size');
    await desk.screen.press(window.id, 'Return');
    await hob.ended(runId);
    const [, columns, rows] = /last (\d+) (\d+)/.exec(await outputOf(hob, runId)) ?? [];
    expect([Number(columns), Number(rows)]).not.toEqual([80, 24]);
    expect(Number(rows)).toBeLessThan(24);
  });

  it('does not store a password that it asks for, and can write to its terminal alone', async () => {
    const asking = await script(
      'asking',
      bash(`read -rs -p "Password? " secret; echo; echo "\${#secret} letters"; echo direct > /dev/tty`),
    );
    const { runId, window } = await openRun(hob, desk, asking);
    await written(hob, runId, 'Password? ');
    await desk.screen.type(window.id, 'sesame');
    await desk.screen.press(window.id, 'Return');
    expect(await hob.ended(runId)).toMatchObject({ state: 'succeeded' });
    expect(await outputOf(hob, runId)).toBe('Password? \n6 letters\ndirect\n');
  });

  it('is stopped at its time limit', async () => {
    const slow = await script('slow', stubborn, 'timeout = 0.5');
    const { runId, window } = await openRun(hob, desk, slow);
    expect(await hob.ended(runId)).toMatchObject({ state: 'failed', end_cause: 'timeout', left_running: 0 });
    await expectNothingLeft(runId);
    await desk.screen.press(window.id, 'space');
    await windowGone(desk, slow.name);
  });

  it('is stopped when it is cancelled', async () => {
    const cancelled = await script('cancelled', stubborn);
    const { runId, window } = await openRun(hob, desk, cancelled);
    await written(hob, runId, 'ready');
    expect((await hob.post(`/api/runs/${runId}/cancel`, {})).status).toBe(200);
    expect(await hob.ended(runId)).toMatchObject({ end_cause: 'cancelled', left_running: 0 });
    await expectNothingLeft(runId);
    await desk.screen.press(window.id, 'space');
    await windowGone(desk, cancelled.name);
  });

  it('continues when the service is killed, and the next service knows its end', async () => {
    const lasting = await script('lasting', bash('echo ready; read -r line; echo "got $line"; exit 7'));
    const { runId, window } = await openRun(hob, desk, lasting);
    await written(hob, runId, 'ready');
    await hob.stop('SIGKILL');
    await desk.screen.type(window.id, 'before');
    hob = await launch();
    expect((await hob.get(`/api/runs/${runId}`)).body).toMatchObject({ state: 'running' });
    await desk.screen.type(window.id, 'after');
    await desk.screen.press(window.id, 'Return');
    expect(await hob.ended(runId)).toMatchObject({ state: 'failed', end_cause: 'exit', exit_code: 7 });
    expect(await outputOf(hob, runId)).toBe('ready\nbeforeafter\ngot beforeafter\n');
    await desk.screen.press(window.id, 'space');
    await windowGone(desk, lasting.name);
  });

  it('has its whole output stored, byte by byte', async () => {
    const text = Array.from({ length: 500 }, (_, line) => `${line} 中文 😀 "quotes" \\ %d\ttab`).join('\n');
    const wordy = await script('wordy', python(`sys.stdout.write(${JSON.stringify(`${text}\n`)})`));
    const runId = await ask(hob, wordy.id);
    expect(await hob.ended(runId)).toMatchObject({ state: 'succeeded' });
    expect(await outputOf(hob, runId)).toBe(`${text}\n`);
    await windowGone(desk, wordy.name);
  });

  it('may write 20 MB', async () => {
    const size = 20_000_000;
    const line = `${'0123456789 '.repeat(6)}中文中文 abc\n`;
    const flood = await script('flood', bash(`yes '${line.trimEnd()}' | head -c ${size}; echo; echo end`));
    const runId = await ask(hob, flood.id);
    const end = '\nend\n';
    expect(await hob.ended(runId)).toMatchObject({
      state: 'succeeded',
      truncated: false,
      stdout_bytes: size + end.length,
    });
    const kept = Buffer.from(await (await fetch(`${hob.url}/api/runs/${runId}/stdout`)).arrayBuffer());
    const expected = Buffer.concat([
      Buffer.from(line.repeat(Math.ceil(size / Buffer.byteLength(line)))).subarray(0, size),
      Buffer.from(end),
    ]);
    expect(kept.equals(expected)).toBe(true);
    await windowGone(desk, flood.name);
  });

  it('may leave a process running, which the end of the window does not affect', async () => {
    const proof = join(scripts, 'proof');
    const late = `while [ ! -e "${proof}.go" ]; do sleep 0.05; done; for i in $(seq 2000); do echo late $i; echo late $i >&2; done; echo $$ > "${proof}"; exec sleep 600`;
    const leaver = await script('leaver', bash(`bash -c '${late}' & echo gone`));
    const runId = await ask(hob, leaver.id);
    expect(await hob.ended(runId)).toMatchObject({ state: 'succeeded', exit_code: 0 });
    expect(await outputOf(hob, runId)).toBe('gone\n');
    await windowGone(desk, leaver.name);
    const [pid = 0] = await processesWith(`HOB_RUN_ID=${runId}`);
    expect(await isRunning(pid)).toBe(true);
    await writeFile(`${proof}.go`, '');
    await fileThere(proof);
    expect(await isRunning(pid)).toBe(true);
    killEach(await processesWith(`HOB_RUN_ID=${runId}`));
  });
});
