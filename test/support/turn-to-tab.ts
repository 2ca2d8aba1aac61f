import type { Page } from 'playwright-core';

/** Has a page think that its tab is looked at, or is not: a browser without a screen has no such thing. */
export async function turnToTab(page: Page, state: 'visible' | 'hidden'): Promise<void> {
  await page.evaluate(`
    Object.defineProperty(document, 'visibilityState', { value: '${state}', configurable: true });
    document.dispatchEvent(new Event('visibilitychange', { bubbles: true }));
  `);
}
