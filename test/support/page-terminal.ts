import { readdir, readFile } from 'node:fs/promises';

import { expect } from 'vitest';

import type { Hob } from './hob.ts';
import { until } from './until.ts';

/** Starts a script as the console does, and waits until its terminal is open. */
export async function openTerminalRun(hob: Hob, scriptId: string): Promise<string> {
  const { status, body } = await startFromConsole(hob, scriptId);
  expect(status).toBe(200);
  const runId = String(body.run_id);
  await until(
    'the terminal is open',
    async () => (await hob.get(`/api/runs/${runId}/terminal`)).body.open === true,
  );
  return runId;
}

export function startFromConsole(hob: Hob, scriptId: string) {
  return hob.post(
    '/api/execute',
    { script_id: scriptId },
    { 'X-Hob-Origin': 'console', 'Accept-Language': 'en' },
  );
}

export async function type(hob: Hob, runId: string, text: string, order: object = {}): Promise<void> {
  const { status, body } = await hob.post(`/api/runs/${runId}/terminal/input`, { text, ...order });
  expect([status, body]).toEqual([200, { status: 'success' }]);
}

/** The processes of this home that serve terminals in a page instead of a window. */
export async function pagePrograms(home: string): Promise<number[]> {
  const found: number[] = [];
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const words = (await readFile(`/proc/${name}/cmdline`, 'utf8').catch(() => '')).split('\0');
    const isOurs =
      words[1]?.endsWith('/terminals/page/main.js') === true && words[4]?.startsWith(home) === true;
    if (isOurs) found.push(Number(name));
  }
  return found;
}
