import type { Page } from 'playwright-core';

/** Removes the APIs that a page loaded over plain HTTP from another machine lacks. Returns a function that reads the copied text. */
export async function comeFromAfar(page: Page): Promise<() => Promise<unknown>> {
  const kept = await page.evaluateHandle<{ readText(): Promise<string> }>('navigator.clipboard');
  await page.evaluate(`
    Object.defineProperty(navigator, 'clipboard', { value: undefined });
    Object.defineProperty(globalThis, 'isSecureContext', { value: false });
  `);
  return () => kept.evaluate((real) => real.readText());
}
