import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { type ConsoleScene, hasChromium, launchConsole } from './support/console.ts';
import { bash, writeScript } from './support/scripts.ts';

const resize = '60000000-8f43-4b0e-9d0e-3f2d6a1f7c11';

describe.runIf(hasChromium)('the page of all scripts', () => {
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
    });
  });
  afterAll(() => scene.stop());

  it('finds as you type, in any script, from the keyboard alone', async () => {
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
    await close();
  });

  it('shows a broken manifest where it is, with the line and what to do, until it is mended', async () => {
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
    await rm(folder, { recursive: true });
    await page.getByText('id must be a UUID').waitFor({ state: 'detached' });
    await close();
  });

  it('puts favourites first, then what ran last, and shows how that ended', async () => {
    const first = () => page.getByRole('main').getByRole('listitem').first();
    const { page, close } = await scene.open();
    await page.getByRole('link', { name: '整理下载' }).waitFor();
    expect((await scene.cli('run', '整理下载').ended).code).toBe(1);
    await first().getByRole('img', { name: 'failed' }).waitFor();
    expect(await first().textContent()).toContain('整理下载');
    await page.getByRole('button', { name: 'Favourite: Backup' }).click();
    expect(await first().textContent()).toContain('Backup');
    await page.reload();
    await first().getByText('Backup').waitFor();
    await close();
  });

  it('speaks the language of the browser, and another one at a click', async () => {
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
    await page.getByRole('button', { name: 'Colours: as the system' }).click();
    // Another tab takes it over.
    await tab.getByRole('heading', { name: 'Overview' }).waitFor();
    await tab.locator('html[data-theme="light"][lang="en"]').waitFor();
    await page.reload();
    await page.getByRole('heading', { name: 'Scripts' }).waitFor();
    await close();
  });

  it('goes anywhere by Ctrl+K', async () => {
    const { page, checkAccess, close } = await scene.open('/overview');
    const models = page.getByRole('link', { name: 'Models' }).first();
    await models.focus();
    await page.keyboard.press('Control+k');
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.locator('a[href="/models"]:focus').waitFor();
    await page.keyboard.press('Control+k');
    await page.getByPlaceholder('Go to a script or a page').fill('resi');
    await page.getByRole('listbox', { name: 'Where to go' }).waitFor();
    await page.getByRole('option', { name: 'Resize images' }).waitFor();
    await checkAccess();
    await page.keyboard.press('Enter');
    await page.waitForURL(`**/scripts/${resize}`);
    await page.locator('#main:focus').waitFor();
    await close();
  });
});
