import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { expect } from 'vitest';

import type { Desk } from './desk.ts';
import type { Hob } from './hob.ts';
import { processesWith } from './processes.ts';
import type { ScreenWindow } from './screen.ts';
import { until } from './until.ts';

/** A run and its window. */
export interface WindowRun {
  readonly runId: string;
  readonly window: ScreenWindow;
}

/** Waits until the service knows a script that was written while it runs. */
export async function scriptKnown(hob: Hob, scriptId: string): Promise<void> {
  const isKnown = async () => (await hob.get(`/api/scripts/${scriptId}`)).status === 200;
  await until(`the script ${scriptId} is known`, isKnown);
}

/** Starts a run without waiting for it. */
export async function ask(hob: Hob, scriptId: string): Promise<string> {
  const inEnglish = { 'Accept-Language': 'en' };
  const { status, body } = await hob.post('/api/execute', { script_id: scriptId }, inEnglish);
  expect(status).toBe(200);
  return String(body.run_id);
}

/** Starts a run and waits until its window is open. */
export async function openRun(
  hob: Hob,
  { screen }: Desk,
  script: { id: string; name: string },
): Promise<WindowRun> {
  const runId = await ask(hob, script.id);
  return { runId, window: await screen.window(titled(script.name)) };
}

/** Some emulators add their own name to the title. */
export function titled(name: string): RegExp {
  return new RegExp(`(?:^|- )${name}(?: -|$)`);
}

/** The output of a run so far. */
export async function outputOf(hob: Hob, runId: string): Promise<string> {
  const response = await fetch(`${hob.url}/api/runs/${runId}/stdout`);
  return response.ok ? await response.text() : '';
}

/** Waits until a run has written a text. */
export function written(hob: Hob, runId: string, what: string): Promise<string> {
  return until(`the run has written ${what}`, async () => {
    const output = await outputOf(hob, runId);
    return output.includes(what) && output;
  });
}

/** Waits until a window is closed. */
export function windowGone({ screen }: Desk, name: string): Promise<true> {
  return until(
    `the window of ${name} is gone`,
    async () => (await screen.windows(titled(name))).length === 0,
  );
}

/** Waits until a window shows how its run ended. That is the only coloured text on the screen. */
export async function endShown({ screen }: Desk, colour: 'green' | 'red'): Promise<void> {
  await until(`a ${colour} text is on the screen`, async () => {
    const { pixels } = await screen.shot();
    let found = 0;
    for (let at = 0; at < pixels.length; at += 3) {
      const [red = 0, green = 0, blue = 0] = pixels.subarray(at, at + 3);
      const [one, other] = colour === 'red' ? [red, green] : [green, red];
      if (one - Math.max(other, blue) > 100) found++;
    }
    return found > 100;
  });
}

/** Fails if any process of a run is still running. */
export async function expectNothingLeft(runId: string): Promise<void> {
  expect(await processesWith(`HOB_RUN_ID=${runId}`)).toEqual([]);
}

/** The processes in the windows of a home. */
export async function windowPrograms(home: string): Promise<number[]> {
  const found: number[] = [];
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const words = (await readFile(join('/proc', name, 'cmdline'), 'utf8').catch(() => '')).split('\0');
    const isOurs =
      words[1]?.endsWith('/terminals/window/main.js') === true && words[2]?.startsWith(home) === true;
    if (isOurs) found.push(Number(name));
  }
  return found;
}

/** The emulators whose windows contain these processes. */
export async function emulatorsOf(programs: readonly number[]): Promise<number[]> {
  const statuses = await Promise.all(programs.map((pid) => readFile(`/proc/${pid}/status`, 'utf8')));
  const parents = statuses.map((status) => Number(/^PPid:\s+(\d+)$/m.exec(status)?.[1]));
  // The parent of an orphan is process 1, which must not be killed.
  if (!parents.every((pid) => pid > 1)) throw new Error('a window has no emulator');
  return [...new Set(parents)];
}

/** Resizes a window, in pixels. */
export async function resizeWindow(
  { env }: Desk,
  windowId: string,
  width: number,
  height: number,
): Promise<void> {
  const args = ['windowsize', windowId, String(width), String(height)];
  await promisify(execFile)('xdotool', args, { env: { ...process.env, ...env } });
}
