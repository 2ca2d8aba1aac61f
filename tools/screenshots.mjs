import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

import { chromium } from 'playwright-core';

import { prepare, root, say } from './lib/prepare.mjs';

/**
 * `npm run screenshots`: takes pictures of every page of the console, in both themes, both languages, and on a phone. It starts a service
 * with scripts and a history of its own, so it does not touch the user's home.
 */
const { values, positionals: wanted } = parseArgs({
  allowPositionals: true,
  options: { help: { type: 'boolean', default: false } },
});
const published = picturesInDocumentation();
if (values.help) {
  say(helpText());
  process.exit(0);
}
await prepare();
const { openScene } = await import('./screenshots/scene.mjs');
const { pages } = await import('./screenshots/pages.mjs');
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

const pictures = join(root, 'build', 'screenshots');
const folder = mkdtempSync(join(tmpdir(), 'hob-screenshots-'));
const scene = await openScene(folder);
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox'],
});
try {
  mkdirSync(pictures, { recursive: true });
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
  const picture = `${name}-${look.name}.png`;
  const file = join(pictures, picture);
  // Wait for the parts of the page that are still loading.
  for (const part of await page
    .locator('main')
    .getByText(/^(?:Loading…|加载中)/)
    .all())
    await part.waitFor({ state: 'detached' });
  await page.screenshot({ path: file, animations: 'disabled' });
  await context.close();
  say(file);
  if (!published.includes(picture)) return;
  copyFileSync(file, join(root, 'docs', 'images', picture));
  say(`copied to docs/images/${picture}`);
}

/** The pictures that a page of the documentation shows. Only these belong into the repository. */
function picturesInDocumentation() {
  const folder = join(root, 'docs');
  const texts = [
    ...['README.md', 'README.zh-CN.md'].map((name) => join(root, name)),
    ...readdirSync(folder)
      .filter((name) => name.endsWith('.md'))
      .map((name) => join(folder, name)),
  ].map((path) => readFileSync(path, 'utf8'));
  const names = texts.flatMap((text) =>
    [...text.matchAll(/\bimages\/([\w-]+\.png)/g)].map(([, name]) => name),
  );
  return [...new Set(names)].sort();
}

function helpText() {
  return `Usage: npm run screenshots [-- <page>...]

Takes pictures of the pages of the console (all pages without arguments) and writes them to build/screenshots, which git ignores.
Needs Chromium: the variable CHROMIUM, else /usr/bin/chromium.

The pictures that the documentation shows are also copied to docs/images:
${published.map((name) => `  ${name}`).join('\n')}`;
}
