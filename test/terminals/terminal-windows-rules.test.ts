import { chmod, mkdir, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { emulators } from '../../src/terminals/find-terminals.ts';
import { type Desk, deskPrograms, launchDesk } from '../support/desk.ts';
import { type Hob, startHob, tempFolder } from '../support/hob.ts';
import { findProgram, has } from '../support/needs.ts';
import { bash, writeScript } from '../support/scripts.ts';
import { until } from '../support/until.ts';
import {
  ask,
  endShown,
  expectNothingLeft,
  openRun,
  outputOf,
  scriptKnown,
  titled,
  windowGone,
} from '../support/window-runs.ts';

const isReady = has(
  'a desk with xterm',
  [...deskPrograms, 'xterm'].every((name) => findProgram(name) !== null),
);

/** The emulators of this machine without tests of their own. */
const others = emulators
  .filter(({ name, only }) => only !== 'wayland' && findProgram(name) !== null)
  .map(({ name }) => name)
  .filter((name) => name !== 'xterm' && name !== 'xfce4-terminal');

/** Prints whether it runs in a window, by a variable that xterm sets, or on another terminal. */
const terminalReport = bash(
  'if ! { [ -t 0 ] && [ -t 1 ] && [ -t 2 ]; }; then echo none; elif [ "$COLORTERM" = truecolor ]; then echo page; else echo window; fi; exit 3',
);

describe.runIf(isReady)('a run', () => {
  let desk: Desk;
  beforeAll(async () => {
    desk = await launchDesk();
  });
  afterAll(() => desk.stop());

  const atDesk = (settings = '') => ({
    env: { ...desk.env },
    settings: `terminal_command = ["xterm"]\nstop_grace_s = 0.5\n${settings}`,
  });

  describe('has a window', () => {
    it('as its manifest says, if no caller waits for its answer, or a terminal in the page of the console', async () => {
      const scripts = await tempFolder();
      const terminals = ['always', 'never', 'auto', 'inverse'] as const;
      const ids = new Map<string, string>();
      for (const terminal of terminals) {
        const id = await writeScript(scripts, terminal, {
          entry: terminalReport,
          runtime: `terminal = "${terminal}"`,
          tables: '[[service.inputs]]\nname = "names"\ntype = "list"\n',
          node: true,
        });
        ids.set(terminal, id);
      }
      const hob = await startHob({ scripts: [scripts], ...atDesk('terminal_hold = "never"\n') });

      const ways: Record<string, (body: Record<string, unknown>) => Promise<string>> = {
        async: (body) => asynchronous(hob, body),
        sync: async (body) => stdoutOf(await hob.post('/api/execute', { ...body, sync: true })),
        link: async (body) => stdoutOf(await hob.post('/api/link', body)),
        console: (body) => asynchronous(hob, body, { 'X-Hob-Origin': 'console' }),
        cli: (body) => asynchronous(hob, body, { 'X-Hob-Origin': 'cli' }),
      };
      const seen: string[] = [];
      for (const [way, call] of Object.entries(ways)) {
        for (const terminal of terminals) {
          const body = { script_id: ids.get(terminal) };
          const none = await call(body);
          const empty = await call({ ...body, data: { names: [] } });
          const some = await call({ ...body, data: { names: ['x'] } });
          seen.push(`${way} ${terminal}: ${none}, ${empty}, ${some}`);
        }
      }
      const nowhere = (way: string) => terminals.map((terminal) => `${way} ${terminal}: none, none, none`);
      const somewhere = (way: string, place: string) => [
        `${way} always: ${place}, ${place}, ${place}`,
        `${way} never: none, none, none`,
        `${way} auto: ${place}, ${place}, none`,
        `${way} inverse: none, none, ${place}`,
      ];
      expect(seen).toEqual([
        ...somewhere('async', 'window'),
        ...nowhere('sync'),
        ...nowhere('link'),
        ...somewhere('console', 'page'),
        ...nowhere('cli'),
      ]);
      await expect.poll(() => desk.screen.windows(/./)).toEqual([]);
    });

    it.each([
      { hold: 'failure', good: false, bad: true },
      { hold: 'always', good: true, bad: true },
      { hold: 'never', good: false, bad: false },
    ])(
      'that stays after its end if terminal_hold is $hold: $good on success, $bad on failure',
      async ({ hold, good, bad }) => {
        const scripts = await tempFolder();
        const hob = await startHob({ scripts: [scripts], ...atDesk(`terminal_hold = "${hold}"\n`) });
        for (const [name, code, stays] of [
          [`good-${hold}`, 0, good],
          [`bad-${hold}`, 4, bad],
        ] as const) {
          const id = await writeScript(scripts, name, { name, entry: bash(`read -r; exit ${code}`) });
          await scriptKnown(hob, id);
          const { runId, window } = await openRun(hob, desk, { id, name });
          await desk.screen.press(window.id, 'Return');
          expect(await hob.ended(runId)).toMatchObject({ exit_code: code });
          if (stays) {
            await endShown(desk, code === 0 ? 'green' : 'red');
            expect(await desk.screen.windows(titled(name))).toHaveLength(1);
            await desk.screen.press(window.id, 'q');
          }
          await windowGone(desk, name);
        }
      },
    );
  });

  describe('that can have no window is captured, and the log says why', () => {
    it('without a display', async () => {
      const { env } = atDesk();
      const logged = await captured({ env: { ...env, DISPLAY: '' }, terminal: 'xterm' });
      expect(logged).toContain('neither DISPLAY nor WAYLAND_DISPLAY');
    });

    it('without an emulator', async () => {
      const { env } = atDesk();
      const logged = await captured({ env: { ...env, PATH: await barePath() } });
      expect(logged).toContain('no terminal emulator was found');
    });

    it('with one that does not exist, which is named', async () => {
      const { env } = atDesk();
      const logged = await captured({
        env: { ...env, PATH: await barePath() },
        terminal: 'no-such-terminal',
      });
      expect(logged).toContain('no terminal emulator was found');
      expect(logged).toContain('"program":"no-such-terminal"');
    });

    it('with one that fails immediately', async () => {
      const logged = await captured({ env: await pretended('exit 5') });
      expect(logged).toContain('exited with code 5');
    });

    it('with one that never opens a window, whether it exits or waits forever', async () => {
      const lines = ['exit 0', 'exec sleep 600'];
      const logged = await Promise.all(lines.map(async (line) => captured({ env: await pretended(line) })));
      expect(logged).toEqual(lines.map(() => expect.stringContaining('opened no window within 10 s')));
    });
  });

  it('that floods its window can be ended from there', async () => {
    const scripts = await tempFolder();
    const name = 'endless';
    const id = await writeScript(scripts, name, { name, entry: bash(`exec yes ${'y'.repeat(70)}`) });
    const hob = await startHob({
      scripts: [scripts],
      ...atDesk('terminal_hold = "never"\noutput_log_mib = 0.25\n'),
    });
    const ways = {
      signal: (windowId: string) => desk.screen.press(windowId, 'ctrl+c'),
      cancelled: (windowId: string) => desk.screen.close(windowId),
    };
    for (const [cause, end] of Object.entries(ways)) {
      const { runId, window } = await openRun(hob, desk, { id, name });
      await until('more is written than is kept', async () => {
        const { size } = await stat(join(hob.home, 'runs', runId, 'stdout.log'));
        return size >= 256 * 1024;
      });
      await end(window.id);
      expect(await hob.ended(runId)).toMatchObject({ end_cause: cause, truncated: true });
      await windowGone(desk, name);
      await expectNothingLeft(runId);
    }
  });

  it.each(others)('has its window in %s too', async (emulator) => {
    const scripts = await tempFolder();
    const id = await writeScript(scripts, 'elsewhere', { entry: terminalReport });
    const settings = `terminal_command = ["${emulator}"]\nterminal_hold = "never"\n`;
    const hob = await startHob({ scripts: [scripts], env: { ...desk.env }, settings });
    const runId = await ask(hob, id);
    expect(await hob.ended(runId)).toMatchObject({ end_cause: 'exit', exit_code: 3 });
    expect(await outputOf(hob, runId)).toBe('window\n');
    expect(hob.log()).not.toContain('no window');
  });

  it('gets its window from the next emulator if one fails', async () => {
    const path = await barePath();
    await fakeEmulator(path, 'konsole', 'exit 1');
    await symlink(String(findProgram('xterm')), join(path, 'xterm'));
    const scripts = await tempFolder();
    const id = await writeScript(scripts, 'second-choice', { entry: terminalReport });
    const settings = 'terminal_hold = "never"\n';
    const hob = await startHob({ scripts: [scripts], env: { ...desk.env, PATH: path }, settings });
    const runId = await ask(hob, id);
    expect(await hob.ended(runId)).toMatchObject({ end_cause: 'exit', exit_code: 3 });
    expect(await outputOf(hob, runId)).toBe('window\n');
  });

  /** A PATH with the programs that scripts need, and none that opens windows. */
  async function barePath(): Promise<string> {
    const folder = join(await tempFolder(), 'bin');
    await mkdir(folder);
    for (const name of ['bash', 'sed', 'sh', 'mkfifo', 'sleep', 'ps']) {
      const path = findProgram(name);
      if (path !== null) await symlink(path, join(folder, name));
    }
    return folder;
  }

  async function pretended(line: string): Promise<Record<string, string>> {
    const path = await barePath();
    await fakeEmulator(path, 'x-terminal-emulator', line);
    return { ...desk.env, PATH: path };
  }

  /** Runs a script that should have a window and gets none. Returns the log lines of this run. */
  async function captured({
    env,
    terminal,
  }: {
    env: Record<string, string>;
    terminal?: string;
  }): Promise<string> {
    const scripts = await tempFolder();
    const id = await writeScript(scripts, 'windowless', { entry: terminalReport });
    const settings = terminal === undefined ? '' : `terminal_command = ["${terminal}"]\n`;
    const hob = await startHob({ scripts: [scripts], env, settings });
    const runId = await ask(hob, id);
    expect(await hob.ended(runId)).toMatchObject({ state: 'failed', end_cause: 'exit', exit_code: 3 });
    expect(await outputOf(hob, runId)).toBe('none\n');
    const lines = hob.log().split('\n');
    expect(lines.filter((line) => line.includes('no window') && line.includes(runId))).toHaveLength(1);
    const notes = await (await fetch(`${hob.url}/api/runs/${runId}/notes`)).text();
    expect(notes.trimEnd().split('\n')).toEqual([expect.stringContaining('No window was opened: ')]);
    return lines.filter((line) => line.includes(runId) || line.includes('terminal_command')).join('\n');
  }
});

async function fakeEmulator(folder: string, name: string, line: string): Promise<void> {
  await writeFile(join(folder, name), `#!/bin/sh\n${line}\n`);
  await chmod(join(folder, name), 0o755);
}

async function asynchronous(
  hob: Hob,
  body: Record<string, unknown>,
  headers: Record<string, string> = {},
): Promise<string> {
  const answer = await hob.post('/api/execute', body, headers);
  const runId = String(answer.body.run_id);
  expect(await hob.ended(runId)).toMatchObject({ exit_code: 3 });
  return (await outputOf(hob, runId)).trim();
}

function stdoutOf({ body }: { body: Record<string, unknown> }): string {
  expect(body.exit_code).toBe(3);
  return String(body.stdout).trim();
}
