import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { createLogger } from '../shared/log.ts';
import { Bubbles } from './bubbles.ts';
import type { Bubble } from './desktop/desktop.ts';

function bubble(message: string, type: Bubble['type'] = 'info'): Bubble {
  return { type, title: 'Hob', message, durationMs: 5000, showClose: false, address: null };
}

async function scene(language: 'en' | 'zh' = 'en', answer: () => Promise<boolean> = async () => true) {
  const shown: Bubble[] = [];
  const desktop = {
    show: (each: Bubble) => {
      shown.push(each);
      return answer();
    },
  };
  const bubbles = new Bubbles({ desktop, language, log: await createLogger('silent') });
  return { bubbles, shown, messages: () => shown.map(({ message }) => message) };
}

describe('the bubbles of many notifications', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('are shown one by one while there are few', async () => {
    const { bubbles, messages } = await scene();
    for (let n = 1; n <= 20; n++) {
      bubbles.show(bubble(String(n)));
      await vi.advanceTimersByTimeAsync(600);
    }
    expect(messages()).toEqual(Array.from({ length: 20 }, (_, n) => String(n + 1)));
  });

  it('are limited to eight in four seconds, plus one with the number of others', async () => {
    const { bubbles, shown, messages } = await scene();
    for (let n = 1; n <= 500; n++) bubbles.show(bubble(String(n)));
    await vi.advanceTimersByTimeAsync(3900);
    expect(messages()).toEqual(['1', '2', '3', '4', '5', '6', '7', '8']);
    await vi.advanceTimersByTimeAsync(200);
    expect(shown.at(-1)).toMatchObject({ type: 'info', title: 'Hob', message: '492 more notifications' });
    await vi.advanceTimersByTimeAsync(60_000);
    expect(shown).toHaveLength(9);
  });

  it("give the number of others in the user's language, as an error if one was among them", async () => {
    const { bubbles, shown } = await scene('zh');
    for (let n = 1; n <= 10; n++) bubbles.show(bubble('', n === 9 ? 'error' : 'success'));
    await vi.advanceTimersByTimeAsync(4100);
    expect(shown).toHaveLength(9);
    expect(shown.at(-1)).toMatchObject({ type: 'error', message: '另有 2 条通知' });
  });

  it('include a single remaining one later, instead of its number', async () => {
    const { bubbles, messages } = await scene();
    for (let n = 1; n <= 9; n++) bubbles.show(bubble(String(n)));
    await vi.advanceTimersByTimeAsync(4100);
    expect(messages().at(-1)).toBe('9');
    // The flood is over.
    bubbles.show(bubble('10'));
    await vi.advanceTimersByTimeAsync(0);
    expect(messages().at(-1)).toBe('10');
  });

  it('are limited to one in four seconds during a flood, and back to normal after it', async () => {
    const { bubbles, shown, messages } = await scene();
    for (let n = 0; n < 6000; n++) {
      bubbles.show(bubble('again'));
      await vi.advanceTimersByTimeAsync(10);
    }
    // A minute has 15 windows.
    expect(shown.length).toBeLessThanOrEqual(8 + 15);
    expect(shown.length).toBeGreaterThan(8 + 12);
    await vi.advanceTimersByTimeAsync(8000);
    const counted = messages().map((message) => Number(/^(\d+) more/.exec(message ?? '')?.[1] ?? 1));
    expect(counted.reduce((sum, count) => sum + count, 0)).toBe(6000);
    bubbles.show(bubble('afterwards'));
    await vi.advanceTimersByTimeAsync(0);
    expect(messages().at(-1)).toBe('afterwards');
  });

  it('are shown one after the other, with a bounded queue', async () => {
    let answer = (_isShown: boolean) => {};
    const held = () =>
      new Promise<boolean>((resolve) => {
        answer = resolve;
      });
    const { bubbles, shown } = await scene('en', held);
    for (let n = 0; n < 100; n++) {
      bubbles.show(bubble(String(n)));
      await vi.advanceTimersByTimeAsync(1000);
    }
    expect(shown).toHaveLength(1);
    for (let n = 0; n < 100; n++) {
      answer(true);
      await vi.advanceTimersByTimeAsync(0);
    }
    expect(shown.length).toBeLessThan(40);
  });

  it('continue after one that fails', async () => {
    const { bubbles, messages } = await scene('en', () => Promise.reject(new Error('unexpected')));
    bubbles.show(bubble('1'));
    bubbles.show(bubble('2'));
    await vi.advanceTimersByTimeAsync(0);
    expect(messages()).toEqual(['1', '2']);
  });
});
