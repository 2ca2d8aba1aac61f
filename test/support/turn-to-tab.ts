import type { Page } from 'playwright-core';

/** Simulates the visibility of a tab, which a headless browser does not have. */
export async function turnToTab(page: Page, state: 'visible' | 'hidden'): Promise<void> {
  await page.evaluate(`
    Object.defineProperty(document, 'visibilityState', { value: '${state}', configurable: true });
    document.dispatchEvent(new Event('visibilitychange', { bubbles: true }));
  `);
}
