import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { chromium } from 'playwright-core';

import { prepare, root, say } from './lib/prepare.mjs';

/**
 * `npm run screenshots`: pictures of every page of the console into docs/images, in both themes, both languages, and on a phone. A service
 * of its own with the examples and a few days of history stands model; nothing of the user's is touched. Arguments are the pages (all
 * without any).
 */
await prepare();
const { openScene } = await import('./screenshots/scene.mjs');
const { pages } = await import('./screenshots/pages.mjs');
const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !pages.some((page) => page.name === name));
if (unknown.length > 0) {
  say(`There is no page ${unknown.join(', ')}. There are: ${pages.map(({ name }) => name).join(', ')}`);
  process.exit(2);
}

const looks = [
  { name: 'light', theme: 'light', locale: 'en-US', width: 1280, height: 800 },
  { name: 'dark', theme: 'dark', locale: 'en-US', width: 1280, height: 800 },
  { name: 'zh-light', theme: 'light', locale: 'zh-CN', width: 1280, height: 800 },
  { name: 'zh-dark', theme: 'dark', locale: 'zh-CN', width: 1280, height: 800 },
  { name: 'phone', theme: 'light', locale: 'en-US', width: 390, height: 780 },
  { name: 'zh-phone-dark', theme: 'dark', locale: 'zh-CN', width: 390, height: 780 },
];

const images = join(root, 'docs', 'images');
const folder = mkdtempSync(join(tmpdir(), 'hob-screenshots-'));
const scene = await openScene(folder);
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox'],
});
try {
  mkdirSync(images, { recursive: true });
  for (const page of pages.filter(({ name }) => wanted.length === 0 || wanted.includes(name)))
    for (const look of looks) await take(page, look);
} finally {
  await browser.close();
  await scene.close();
  rmSync(folder, { recursive: true, force: true });
}

async function take({ name, path, act = async () => {} }, look) {
  const context = await browser.newContext({
    viewport: { width: look.width, height: look.height },
    colorScheme: look.theme,
    locale: look.locale,
    reducedMotion: 'reduce',
  });
  const page = await context.newPage();
  page.setDefaultTimeout(20_000);
  await page.goto(scene.url + (await path(scene)));
  await page.getByRole('heading', { level: 1 }).waitFor();
  await act(page, { scene, say: (en, zh) => (look.locale === 'zh-CN' ? zh : en) });
  await page.waitForLoadState('load');
  await page.evaluate(() => document.fonts.ready);
  const file = join(images, `${name}-${look.name}.png`);
  // Whatever is still on its way somewhere on the page.
  for (const part of await page
    .locator('main')
    .getByText(/^(?:Loading …|加载中)/)
    .all())
    await part.waitFor({ state: 'detached' });
  await page.screenshot({ path: file, animations: 'disabled' });
  await context.close();
  say(file);
}
