import type { Page } from 'playwright-core';

/** Takes from a page what one that came over plain http from another machine has not got. Returns how to look what it has copied. */
export async function comeFromAfar(page: Page): Promise<() => Promise<unknown>> {
  const kept = await page.evaluateHandle<{ readText(): Promise<string> }>('navigator.clipboard');
  await page.evaluate(`
    Object.defineProperty(navigator, 'clipboard', { value: undefined });
    Object.defineProperty(globalThis, 'isSecureContext', { value: false });
  `);
  return () => kept.evaluate((real) => real.readText());
}
