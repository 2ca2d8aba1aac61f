import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { type ConsoleScene, hasChromium, launchConsole } from '../support/console.ts';
import { bash, writeScript } from '../support/scripts.ts';

const resize = '60000000-8f43-4b0e-9d0e-3f2d6a1f7c11';

describe.runIf(hasChromium)('the scripts page', () => {
  let scene: ConsoleScene;

  beforeAll(async () => {
    scene = await launchConsole(async (scripts) => {
      await writeScript(scripts, 'resize', {
        id: resize,
        name: 'Resize images',
        node: true,
        entry: bash('echo done'),
      });
      await writeScript(scripts, 'tidy', { name: '整理下载', entry: bash('exit 3') });
      await writeScript(scripts, 'backup', { name: 'Backup', entry: bash('echo done') });
      await writeScript(scripts, 'long', { name: `Renames ${'photographs'.repeat(17)}` });
    });
  });
  afterAll(() => scene.stop());

  it('searches while typing, in any language, with the keyboard alone', async () => {
    const { page, checkAccess, close } = await scene.open();
    await page.getByRole('link', { name: 'Resize images' }).waitFor();
    await checkAccess();
    await page.keyboard.press('/');
    await page.keyboard.type('整理');
    await page.getByRole('link', { name: 'Resize images' }).waitFor({ state: 'detached' });
    expect(await page.getByRole('link', { name: '整理下载' }).count()).toBe(1);
    await page.keyboard.press('Escape');
    await page.keyboard.type('60000000');
    await page.getByRole('link', { name: 'Backup' }).waitFor({ state: 'detached' });
    await page.keyboard.press('Enter');
    await page.waitForURL(`**/scripts/${resize}`);
    await page.goBack();
    await page.waitForURL('**/?q=60000000');
    expect(await page.getByRole('searchbox').inputValue()).toBe('60000000');
    await page.getByRole('searchbox').fill('bash');
    await page.getByRole('link', { name: 'Backup' }).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: /Renames/ }).waitFor();
    await close();
  });

  it('shows a broken manifest with its line and advice until it is fixed', async () => {
    const { page, checkAccess, close } = await scene.open();
    const folder = join(scene.scripts, 'broken');
    await mkdir(folder);
    await writeFile(
      join(folder, 'script.toml'),
      '[service.info]\nname = "x"\nid = "none"\n[service.runtime]\nlanguage = "bash"\nentry = "main.sh"\n',
    );
    await page.getByText('script.toml:3').waitFor();
    await page.getByText('id must be a UUID').waitFor();
    await checkAccess();
    await page.getByRole('searchbox').fill('broken');
    await page.getByRole('link', { name: 'Backup' }).waitFor({ state: 'detached' });
    expect(await page.getByText('id must be a UUID').isVisible()).toBe(true);
    await rm(folder, { recursive: true });
    await page.getByText('id must be a UUID').waitFor({ state: 'detached' });

    // A page that is too slow receives `events.missed`, and refetches everything.
    await page.addInitScript(`{
      const callAny = fetch;
      window.fetch = async (path, options) => {
        const answer = await callAny(path, options);
        if (new URL(path, location.href).pathname !== '/api/events') return answer;
        const start = (events) => { window.tell = (text) => events.enqueue(new TextEncoder().encode(text)); };
        return new Response(new ReadableStream({ start }));
      };
    }`);
    await page.goto(scene.hob.url);
    // Polled from the test, because the policy forbids the polling function of the page.
    await expect.poll(() => page.evaluate('window.tell !== undefined')).toBe(true);
    await page.getByRole('link', { name: 'Backup' }).waitFor();
    await writeScript(scene.scripts, 'late', { name: 'Late', entry: bash('exit 0') });
    await expect.poll(async () => (await fetch(`${scene.hob.url}/api/scripts`)).text()).toContain('"Late"');
    await page.evaluate("window.tell('id: 1\\nevent: events.missed\\ndata: {}\\n\\n')");
    await page.getByRole('link', { name: 'Late' }).waitFor();
    await close();
  });

  it('lists two scripts with the same id separately, and explains how to fix them', async () => {
    const id = await writeScript(scene.scripts, 'twin-a', { name: 'Twin one' });
    await writeScript(scene.scripts, 'twin-b', { id, name: 'Twin two' });
    const { page, expects, close } = await scene.open();
    const cards = page.getByRole('main').getByRole('link', { name: 'Twin' });
    await cards.nth(1).waitFor();
    await page.getByRole('searchbox').fill('twin two');
    await page.getByRole('link', { name: 'Twin one' }).waitFor({ state: 'detached' });
    expect(await cards.count()).toBe(1);
    await page.keyboard.press('Control+k');
    await page.getByPlaceholder('Search scripts and pages…').fill('twin');
    const options = page.getByRole('option', { name: 'Twin' });
    await page.getByRole('option', { name: 'Backup' }).waitFor({ state: 'detached' });
    expect(await options.count()).toBe(2);
    expect(await page.getByRole('option', { selected: true }).count()).toBe(1);
    await page.keyboard.press('Escape');
    expect(await cards.textContent()).toContain('Cannot run');
    expects(/409 .*\/api\/scripts\//);
    await cards.click();
    await page.getByText('Give one of them a new UUID').first().waitFor();
    for (const twin of ['twin-a', 'twin-b'])
      await page.getByText(join(scene.scripts, twin, 'script.toml'), { exact: true }).waitFor();
    await close();
    for (const twin of ['twin-a', 'twin-b']) await rm(join(scene.scripts, twin), { recursive: true });
  });

  it('sorts favourites first, then recent runs, and shows their outcome', async () => {
    const first = () => page.getByRole('main').getByRole('listitem').first();
    const { page, close } = await scene.open();
    await page.getByRole('link', { name: '整理下载' }).waitFor();
    expect((await scene.cli('run', '整理下载').ended).code).toBe(1);
    await first().getByRole('img', { name: 'failed' }).waitFor();
    expect(await first().textContent()).toContain('整理下载');
    await page.getByRole('button', { name: 'Favourite: Backup' }).click();
    expect(await first().textContent()).toContain('Backup');
    await page.reload();
    await first().getByText('Backup', { exact: true }).waitFor();
    await close();
  });

  it('uses the language of the browser, and switches on click', async () => {
    const { page, checkAccess, close } = await scene.open('/', { locale: 'zh-CN', colorScheme: 'dark' });
    await page.getByRole('heading', { name: '脚本' }).waitFor();
    expect(await page.locator('html').getAttribute('lang')).toBe('zh-CN');
    await checkAccess();
    const tab = await page.context().newPage();
    await tab.goto(`${scene.hob.url}/overview`);
    await tab.getByRole('heading', { name: '概览' }).waitFor();
    await page.bringToFront();
    await page.getByRole('button', { name: 'English' }).click();
    await page.getByRole('heading', { name: 'Scripts' }).waitFor();
    await page.getByRole('button', { name: 'Theme: system' }).click();
    // Other tabs follow the choice.
    await tab.getByRole('heading', { name: 'Overview' }).waitFor();
    await tab.locator('html[data-theme="light"][lang="en"]').waitFor();
    await page.reload();
    await page.getByRole('heading', { name: 'Scripts' }).waitFor();
    // Without storage, the preferences of the browser apply.
    await page.addInitScript(
      "Object.defineProperty(window, 'localStorage', { get() { throw new Error('denied'); } })",
    );
    await page.reload();
    await page.getByRole('heading', { name: '脚本' }).waitFor();
    expect(await page.locator('html').getAttribute('data-theme')).toBe('dark');
    await close();
  });

  it('fits the width of a phone, and leaves room for scripts', async () => {
    const { page, checkAccess, close } = await scene.open('/', { viewport: { width: 390, height: 844 } });
    const card = page.getByRole('link', { name: 'Renames photographs' });
    await card.waitFor();
    expect((await card.boundingBox())?.height).toBeLessThan(80);
    await writeScript(scene.scripts, 'broken', { id: 'none' });
    const problems = page.getByText('1 manifest problem to fix');
    await problems.waitFor();
    expect(await page.getByText('id must be a UUID').isVisible()).toBe(false);
    await problems.click();
    await page.getByText('id must be a UUID').waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
    await checkAccess();
    await close();
    await rm(join(scene.scripts, 'broken'), { recursive: true });
  });

  it('opens any page with Ctrl+K', async () => {
    const { page, checkAccess, close } = await scene.open('/overview');
    const models = page.getByRole('link', { name: 'Models' }).first();
    await models.focus();
    await page.keyboard.press('Control+k');
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.locator('a[href="/models"]:focus').waitFor();
    await page.keyboard.press('Control+k');
    await page.getByPlaceholder('Search scripts and pages…').fill('resi');
    await page.getByRole('listbox', { name: 'Results' }).waitFor();
    await page.getByRole('option', { name: 'Resize images' }).waitFor();
    await checkAccess();
    await page.keyboard.press('Enter');
    await page.waitForURL(`**/scripts/${resize}`);
    await page.locator('#main:focus').waitFor();
    await close();
  });

  it('renders only the cards in view of a long list', async () => {
    const count = 150;
    const all = Array.from({ length: count }, (_, index) => index + 1);
    await Promise.all(
      all.map((number) => writeScript(scene.scripts, `many/${number}`, { name: `Number ${number}` })),
    );
    const listed = async () =>
      (await (await fetch(`${scene.hob.url}/api/scripts`)).text()).match(/"name":"Number \d+"/g)?.length;
    await expect.poll(listed).toBe(count);
    const { page, checkAccess, close } = await scene.open('/?q=number');
    const card = (number: number) => page.getByRole('link', { name: new RegExp(`^Number ${number}\\b`) });
    await page
      .getByRole('listitem')
      .and(page.locator(`[aria-setsize="${count}"]`))
      .first()
      .waitFor();
    expect(await page.getByRole('main').getByRole('listitem').count()).toBeLessThan(count / 2);
    await checkAccess();
    const search = page.getByRole('searchbox');
    await search.focus();
    for (let step = 0; step < 40; step++) await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowUp');
    const markedId = await search.getAttribute('aria-activedescendant');
    const marked = page.locator(`[id="${markedId}"]`, { hasText: 'Number 40' });
    await expect.poll(async () => (await marked.boundingBox())?.y).toBeLessThan(720);
    await search.blur();
    await page.keyboard.press('End');
    await card(count).waitFor();
    expect(await card(1).count()).toBe(0);
    await page.getByRole('button', { name: `Favourite: Number ${count}` }).click();
    await card(count).waitFor({ state: 'detached' });
    await page.keyboard.press('Home');
    await page
      .getByRole('listitem')
      .and(page.locator('[aria-posinset="1"]', { hasText: `Number ${count}` }))
      .waitFor();
    await close();
  });
});
