import { spawn } from 'node:child_process';
import { once } from 'node:events';

import { describe, expect, it, onTestFinished } from 'vitest';

import { tempFolder } from '../support/hob.ts';
import { findProgram, has } from '../support/needs.ts';
import { compareShots, cropShot, startScreen } from '../support/screen.ts';
import { linesOf, until } from '../support/until.ts';

const programs = ['Xvfb', 'xterm', 'xdotool', 'xwininfo', 'import', 'python3'];
const isHere = has(
  'a screen with xterm',
  programs.every((name) => findProgram(name) !== null),
);

describe.runIf(isHere)('a virtual screen', () => {
  it('shows a window, passes typed text to it and closes it as a person does', async () => {
    const screen = await startScreen();
    const empty = await screen.shot();
    const typed = `${await tempFolder()}/typed`;
    const xterm = spawn('xterm', ['-bw', '0', '-title', 'a window', '-e', 'sh', '-c', `cat > ${typed}`], {
      env: { ...process.env, ...screen.env },
      stdio: 'ignore',
    });
    onTestFinished(() => void xterm.kill());
    const exited = once(xterm, 'exit');

    const window = await screen.window(/^a window$/);
    const seen = await until('the window is drawn', async () => {
      const shot = await screen.shot();
      return compareShots(empty, shot).pixels > 1000 && shot;
    });
    const { box } = compareShots(empty, seen);
    expect(box).toMatchObject({ x: window.x, y: window.y });
    expect(cropShot(seen, window)).toMatchObject({ width: window.width, height: window.height });

    await screen.type(window.id, 'Hello 123');
    await screen.press(window.id, 'Return');
    await until('it was typed', async () => (await linesOf(typed))[0] === 'Hello 123');
    expect(xterm.exitCode).toBeNull();

    await screen.close(window.id);
    await exited;
    expect(await screen.windows(/./)).toEqual([]);
    expect(compareShots(empty, await screen.shot())).toEqual({ pixels: 0, box: null });
  });
});
