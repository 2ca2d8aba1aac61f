import { describe, expect, it } from 'vitest';
import { appInProcess, openGuarded } from '../../test/support/app-in-process.ts';
import { tempFolder } from '../../test/support/hob.ts';
import type { WarmState } from '../execution/messages.ts';
import { systemClock } from '../shared/clock.ts';
import { createLogger } from '../shared/log.ts';
import { ensureToken } from '../shared/token-file.ts';
import { TokenGuard } from './access/token-guard.ts';

const state: WarmState = {
  hits: 12,
  misses: 3,
  memoryBytes: 700,
  isShortOfMemory: true,
  kinds: [
    {
      language: 'python',
      file: '/home/me/python3',
      preload: ['numpy'],
      isForked: true,
      waiting: 2,
      memoryBytes: 700,
    },
  ],
};

const counts = { hits: 12, misses: 3, memory_bytes: 700, budget_bytes: 1000, short_of_memory: true };
const interpreters = [
  {
    language: 'python',
    path: '/home/me/python3',
    preload: ['numpy'],
    forked: true,
    waiting: 2,
    memory_bytes: 700,
  },
];

async function warmAt(url: string, headers: Record<string, string> = {}): Promise<unknown> {
  const answer: unknown = await (await fetch(`${url}/api/health`, { headers })).json();
  return Reflect.get(Object(answer), 'warm');
}

describe('the warm interpreters in the health answer', () => {
  it('show their current state', async () => {
    const { app } = await appInProcess({ warm: state });
    const { url } = await openGuarded(app);
    expect(await warmAt(url)).toEqual({ ...counts, interpreters });
  });

  it('show only the budget before the first report of the executor', async () => {
    const { app } = await appInProcess();
    const { url } = await openGuarded(app);
    expect(await warmAt(url)).toEqual({
      hits: 0,
      misses: 0,
      memory_bytes: 0,
      budget_bytes: 1000,
      short_of_memory: false,
      interpreters: [],
    });
  });

  it('are listed only for callers with the token in token mode', async () => {
    const home = await tempFolder();
    const token = await ensureToken(home);
    const log = await createLogger('silent');
    const guard = new TokenGuard({ home, isLiveRun: () => true, clock: systemClock, log });
    const { app } = await appInProcess({ guard, warm: state });
    const { url } = await openGuarded(app, guard);
    expect(await warmAt(url)).toEqual({ ...counts, interpreters: [] });
    const wrong = { authorization: `Bearer ${'x'.repeat(43)}` };
    expect(await warmAt(url, wrong)).toEqual({ ...counts, interpreters: [] });
    const right = { authorization: `Bearer ${token}` };
    expect(await warmAt(url, right)).toEqual({ ...counts, interpreters });
  });
});
