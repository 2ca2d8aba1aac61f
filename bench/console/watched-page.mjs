import { existsSync, rmSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';

import { chromium } from 'playwright-core';

import { residentBytes } from '../support/service.mjs';

const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium';
const stepMs = 100;
const lookEveryMs = 50;

/** Records every task that blocks the page for more than 50 ms, and the delay until the last line is shown. */
function watchPage(everyMs) {
  globalThis.lastShown = null;
  const timer = setInterval(() => {
    const text = document.querySelector('[data-chapter]:last-child > :last-child')?.textContent ?? '';
    const [, at] = /written at (\d+)/.exec(text) ?? [];
    if (at === undefined) return;
    clearInterval(timer);
    globalThis.lastShown = { lagMs: Date.now() - Number(at) };
  }, everyMs);
  globalThis.longTasks = [];
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) globalThis.longTasks.push(duration);
  }).observe({ type: 'longtask', buffered: true });
}

/** Opens a page in a browser and measures its long tasks. */
export async function openWatchedPage() {
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 }, locale: 'en-US' });
  page.setDefaultTimeout(120_000);
  await page.addInitScript(watchPage, lookEveryMs);
  const output = page.getByRole('region', { name: 'Output' });
  return {
    open: (address) => page.goto(address),
    close: () => browser.close(),
    wait,
    async untilWritten(gate) {
      while (!existsSync(gate)) await wait(20);
    },
    letGo: (gate) => rmSync(gate),
    /** Reads the line count that the page shows below the output. */
    untilLines: (count) =>
      page.waitForFunction((least) => {
        const text = document.querySelector('section > div:last-child > span')?.textContent ?? '';
        return Number(text.replace(/\D/g, '')) >= least;
      }, count),
    async scroll(ms) {
      await output.hover();
      for (let step = 0; step * stepMs < ms; step++) {
        await page.mouse.wheel(0, step % 20 < 14 ? -1500 : 1500);
        await wait(stepMs);
      }
    },
    async search(text, ms) {
      await page.keyboard.press('Control+f');
      await page.keyboard.type(text, { delay: 60 });
      for (let step = 0; step * stepMs < ms; step++) {
        await page.keyboard.press(step % 5 === 4 ? 'Shift+Enter' : 'Enter');
        await wait(stepMs);
      }
    },
    async untilLast() {
      await page.getByRole('button', { name: 'To the end' }).click();
      const shown = await page.waitForFunction(() => globalThis.lastShown);
      return (await shown.jsonValue()).lagMs;
    },
    async takeTasks() {
      const tasks = await page.evaluate(() => globalThis.longTasks.splice(0));
      return {
        count: tasks.length,
        longestMs: Math.max(0, ...tasks),
        totalMs: tasks.reduce((sum, each) => sum + each, 0),
      };
    },
    async memory() {
      const session = await page.context().newCDPSession(page);
      await session.send('HeapProfiler.collectGarbage');
      await session.send('Performance.enable');
      const { metrics } = await session.send('Performance.getMetrics');
      const browserSession = await browser.newBrowserCDPSession();
      const { processInfo } = await browserSession.send('SystemInfo.getProcessInfo');
      const renderers = processInfo
        .filter(({ type }) => type === 'renderer')
        .map(({ id }) => residentBytes(id));
      return {
        heapBytes: metrics.find(({ name }) => name === 'JSHeapUsedSize').value,
        residentBytes: Math.max(...renderers),
      };
    },
  };
}
