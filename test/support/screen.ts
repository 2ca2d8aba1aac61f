import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import { onTestFinished } from 'vitest';

import { until } from './until.ts';

const run = promisify(execFile);
/** Enough for a picture of the whole screen, with three bytes per pixel. */
const mostBytes = 16 * 1024 * 1024;
const closeWindow = fileURLToPath(new URL('./close-window.py', import.meta.url));

/** A picture of the screen. */
export interface Shot {
  readonly width: number;
  readonly height: number;
  /** Red, green and blue of each pixel, line by line. */
  readonly pixels: Buffer;
}

export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** Where two pictures differ. */
export interface Difference {
  readonly pixels: number;
  /** The smallest box around all differences; null if there are none. */
  readonly box: Box | null;
}

export interface ScreenWindow extends Box {
  readonly id: string;
  readonly name: string;
}

/** A virtual screen. */
export interface Screen {
  /** Environment for programs that use this screen. */
  readonly env: { readonly DISPLAY: string };
  shot(): Promise<Shot>;
  /** The visible windows whose name matches, the topmost last. */
  windows(name: RegExp): Promise<ScreenWindow[]>;
  /** Waits until such a window exists. */
  window(name: RegExp): Promise<ScreenWindow>;
  /** Clicks with the left button of the mouse. */
  click(x: number, y: number): Promise<void>;
  /** Moves the mouse pointer away from all windows. */
  parkMouse(): Promise<void>;
  /** Types into a window, key by key. */
  type(windowId: string, text: string): Promise<void>;
  /** Presses keys by their names, such as Return or ctrl+c. */
  press(windowId: string, ...keys: string[]): Promise<void>;
  /** Closes a window as its close button does: it asks the program to close. */
  close(windowId: string): Promise<void>;
  stop(): Promise<void>;
}

/** Starts a screen that stops when the test ends. */
export async function startScreen(): Promise<Screen> {
  const screen = await launchScreen();
  onTestFinished(() => screen.stop());
  return screen;
}

/** Starts a screen for a whole test file. The caller must stop it. */
export async function launchScreen(): Promise<Screen> {
  const size = ['-screen', '0', '1024x768x24'];
  // Without -noreset the server resets when its last window closes, and refuses new clients at that moment.
  const server = spawn('Xvfb', ['-displayfd', '3', ...size, '-nolisten', 'tcp', '-noreset'], {
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
  });
  const exited = once(server, 'exit');
  const DISPLAY = `:${await readDisplay(server, exited)}`;
  const env = { ...process.env, DISPLAY };
  const xdotool = async (...args: string[]) => {
    await run('xdotool', args, { env });
  };
  const focus = (windowId: string) => xdotool('windowfocus', '--sync', windowId);
  const windows = async (name: RegExp) => {
    // xwininfo fails if a window closes while it runs.
    const list = () => run('xwininfo', ['-root', '-tree'], { env }).catch(() => undefined);
    const { stdout } = await until('the windows are listed', list, 5000);
    const listed = parseTree(stdout).filter((window) => name.test(window.name));
    const seen = await Promise.all(listed.map((window) => isSeen(window.id, env)));
    return listed.filter((_, index) => seen[index]);
  };
  return {
    env: { DISPLAY },
    async shot() {
      const { stdout } = await run('import', ['-silent', '-window', 'root', '-depth', '8', 'ppm:-'], {
        env,
        encoding: 'buffer',
        maxBuffer: mostBytes,
      });
      return parsePpm(stdout);
    },
    windows,
    window: (name) => until(`a window ${name}`, async () => (await windows(name)).at(-1)),
    click: (x, y) => xdotool('mousemove', String(x), String(y), 'click', '1'),
    parkMouse: () => xdotool('mousemove', '1023', '767'),
    async type(windowId, text) {
      await focus(windowId);
      await xdotool('type', '--delay', '1', text);
    },
    async press(windowId, ...keys) {
      await focus(windowId);
      await xdotool('key', ...keys);
    },
    async close(windowId) {
      await run('python3', [closeWindow, windowId], { env });
    },
    async stop() {
      if (server.exitCode === null && server.signalCode === null) server.kill();
      await exited;
    },
  };
}

/** The differences between two pictures of one screen. */
export function compareShots(one: Shot, other: Shot): Difference {
  if (one.width !== other.width || one.height !== other.height)
    throw new Error('the pictures have different sizes');
  let [pixels, left, top, right, bottom] = [0, one.width, one.height, -1, -1];
  for (let at = 0; at < one.pixels.length; at += 3) {
    if (isSamePixel(one.pixels, other.pixels, at)) continue;
    const x = (at / 3) % one.width;
    const y = Math.floor(at / 3 / one.width);
    pixels++;
    left = Math.min(left, x);
    right = Math.max(right, x);
    top = Math.min(top, y);
    bottom = y;
  }
  const box = { x: left, y: top, width: right - left + 1, height: bottom - top + 1 };
  return { pixels, box: pixels === 0 ? null : box };
}

/** Waits until something is completely drawn on an empty screen, that is until two pictures in a row are equal. */
export async function seeSomething(screen: Screen, empty: Shot): Promise<{ shot: Shot; box: Box }> {
  let last: Shot | null = null;
  return until('something is on the screen', async () => {
    const shot = await screen.shot();
    const { box } = compareShots(empty, shot);
    const isSettled = last !== null && compareShots(last, shot).box === null;
    last = shot;
    return box !== null && isSettled && { shot, box };
  });
}

/** Waits until the screen is as before. */
export async function seeNothing(screen: Screen, empty: Shot): Promise<void> {
  await until('the screen is empty', async () => compareShots(empty, await screen.shot()).box === null);
}

/** A part of a picture. */
export function cropShot(shot: Shot, box: Box): Shot {
  const rows = Array.from({ length: box.height }, (_, row) => {
    const start = ((box.y + row) * shot.width + box.x) * 3;
    return shot.pixels.subarray(start, start + box.width * 3);
  });
  return { width: box.width, height: box.height, pixels: Buffer.concat(rows) };
}

/** Writes a picture to a file for people to look at. The file is a PNG if its name says so. */
export async function saveShot(shot: Shot, file: string): Promise<void> {
  const ppm = Buffer.concat([Buffer.from(`P6\n${shot.width} ${shot.height}\n255\n`), shot.pixels]);
  if (file.endsWith('.ppm')) return writeFile(file, ppm);
  const converted = run('convert', ['ppm:-', file]);
  converted.child.stdin?.end(ppm);
  await converted;
}

function isSamePixel(one: Buffer, other: Buffer, at: number): boolean {
  return one[at] === other[at] && one[at + 1] === other[at + 1] && one[at + 2] === other[at + 2];
}

async function readDisplay(server: ChildProcess, exited: Promise<unknown>): Promise<string> {
  const pipe = server.stdio[3];
  if (!pipe) throw new Error('Xvfb has no pipe to print its number to');
  const gone = exited.then(() => {
    throw new Error('Xvfb ended without a number');
  });
  const [chunk] = await Promise.race([once(pipe, 'data'), gone]);
  return String(chunk).trim();
}

function parsePpm(bytes: Buffer): Shot {
  const header = /^P6\s+(\d+)\s+(\d+)\s+255\s/.exec(bytes.toString('latin1', 0, 64));
  if (header === null) throw new Error('not a picture');
  const [start, width, height] = header;
  return { width: Number(width), height: Number(height), pixels: bytes.subarray(start.length) };
}

/** Parses lines such as `0x200012 "xterm": ("xterm" "XTerm")  484x316+0+0  +12+34`, the topmost window first. */
function parseTree(tree: string): ScreenWindow[] {
  const line = /^\s+(0x[0-9a-f]+) "(.*)": \(.*\)\s+(\d+)x(\d+)\+-?\d+\+-?\d+\s+\+(-?\d+)\+(-?\d+)$/gm;
  const found = [...tree.matchAll(line)].map(([, id = '', name = '', width, height, x, y]) => ({
    id,
    name,
    x: Number(x),
    y: Number(y),
    width: Number(width),
    height: Number(height),
  }));
  return found.reverse();
}

async function isSeen(windowId: string, env: NodeJS.ProcessEnv): Promise<boolean> {
  // The window may close during the query.
  const { stdout } = await run('xwininfo', ['-id', windowId], { env }).catch(() => ({ stdout: '' }));
  return stdout.includes('Map State: IsViewable');
}
