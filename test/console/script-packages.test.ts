import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { join } from 'node:path';

import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { type ConsoleScene, hasChromium, launchConsole } from '../support/console.ts';
import { findProgram, has } from '../support/needs.ts';
import { bash, writeScript } from '../support/scripts.ts';

const slug = '63000000-8f43-4b0e-9d0e-3f2d6a1f7c11';
const own = '64000000-8f43-4b0e-9d0e-3f2d6a1f7c11';

const hasGit = has('git', findProgram('git') !== null);

describe.runIf(hasChromium && hasGit)('packages in the console', () => {
  let scene: ConsoleScene;
  let source: string;
  let host: Server;
  /** Requests to the repository that wait for an answer. */
  const held: ServerResponse[] = [];

  beforeAll(async () => {
    scene = await launchConsole(async (scripts) => {
      await writeScript(scripts, 'own', { id: own, name: 'My own', entry: bash('exit 0') });
    });
    source = join(scene.folder, 'source');
    await mkdir(source);
    host = createServer((_, answer) => held.push(answer)).listen(0, '127.0.0.1');
    await once(host, 'listening');
  });
  afterAll(async () => {
    host.closeAllConnections();
    host.close();
    await scene.stop();
  });

  /** Writes a version of the package to its source folder. */
  const release = async (version: string, runtime = '') => {
    const info = `id = "${slug}"\nname = "Title slug"\nversion = "${version}"`;
    const lines = `[service.info]\n${info}\n[service.runtime]\nlanguage = "bash"\nentry = "main.sh"\n${runtime}\n`;
    await writeFile(join(source, 'script.toml'), lines);
    await writeFile(join(source, 'main.sh'), 'echo done\n');
  };
  const choose = async (page: Page, item: string) => {
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: item }).click();
  };
  const repository = (name: string) => {
    const address = host.address();
    if (address === null || typeof address === 'string') throw new Error('no port');
    return `http://127.0.0.1:${address.port}/${name}.git`;
  };
  const refuse = async () => {
    await expect.poll(() => held.length).toBe(1);
    for (const answer of held.splice(0)) answer.writeHead(404).end();
  };

  it('are installed, updated, rolled back and uninstalled', async () => {
    await release('1.0.0', 'timeout = "soon"');
    const { page, checkAccess, close } = await scene.open();
    await page.getByRole('button', { name: 'Install' }).click();
    await page.keyboard.type(source);
    await checkAccess();
    await page.keyboard.press('Enter');
    // The manifest is broken: all problems are shown, and nothing is installed.
    const dialog = page.getByRole('dialog');
    await dialog.getByText('timeout must be a number').first().waitFor();
    await checkAccess();
    await release('1.0.0');
    await dialog.getByRole('button', { name: 'Edit and try again' }).click();
    expect(await page.getByLabel('Source').inputValue()).toBe(source);
    await dialog.getByRole('button', { name: 'Install' }).click();
    await dialog.getByText('Installed Title slug 1.0.0').waitFor();
    await dialog.getByRole('link', { name: 'Open script' }).click();
    await page.waitForURL(`**/scripts/${slug}`);
    await page.getByText('1.0.0', { exact: true }).waitFor();

    await release('2.0.0');
    await choose(page, 'Update');
    await dialog.getByText(source).waitFor();
    await dialog.getByRole('button', { name: 'Update' }).click();
    await dialog.getByText('Current version: Title slug 2.0.0').waitFor();
    await dialog.getByRole('button', { name: 'Close' }).last().click();
    // After two dialogs in a row, the focus returns to the menu button that opened the first.
    await page.locator('button[aria-label="More actions"]:focus').waitFor();
    await page.getByText('2.0.0', { exact: true }).waitFor();

    await choose(page, 'Roll back');
    await dialog.getByText('Roll back to 1.0.0?').waitFor();
    await dialog.getByRole('button', { name: 'Roll back' }).click();
    await dialog.getByText('Current version: Title slug 1.0.0').waitFor();
    await page.keyboard.press('Escape');
    await page.getByText('1.0.0', { exact: true }).waitFor();

    // A watched operation shows no toast. A background operation is known on every page.
    expect(await page.getByText('is ready').count()).toBe(0);
    await choose(page, 'Update');
    await dialog.getByText('Use another source from now on').click();
    await page.getByLabel('Source').fill(repository('slug'));
    await dialog.getByRole('button', { name: 'Update' }).click();
    await dialog.getByRole('button', { name: 'Continue in background' }).click();
    await page.getByRole('link', { name: 'Scripts' }).click();
    await page.getByRole('link', { name: 'Title slug' }).click();
    await choose(page, 'In progress…');
    await dialog.getByText('Fetching files').first().waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('link', { name: 'Runs' }).click();
    await refuse();
    await page.getByText('Title slug: operation failed').first().waitFor();
    await page.goBack();

    await choose(page, 'Uninstall');
    await dialog.getByRole('button', { name: 'Uninstall' }).click();
    await page.getByRole('link', { name: 'My own' }).waitFor();
    await page.getByText('Title slug was uninstalled').first().waitFor();
    await page.getByRole('link', { name: 'Title slug' }).waitFor({ state: 'detached' });
    await close();
  });

  it('in progress are known after a reload, and their end is reported', async () => {
    const { page, close } = await scene.open();
    await page.getByRole('button', { name: 'Install' }).click();
    await page.getByLabel('Source').fill(repository('slow'));
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Continue in background' }).click();
    await page.reload();
    await page.getByRole('button', { name: 'Installing…' }).click();
    await dialog.getByText('Fetching files').first().waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('link', { name: 'Runs' }).click();
    await refuse();
    await page
      .getByText(`${repository('slow')}: operation failed`)
      .first()
      .waitFor();
    await page.goBack();
    await page.getByRole('button', { name: 'Install', exact: true }).waitFor();
    await close();
  });

  it('do not include scripts that Hob has not installed', async () => {
    const { page, close } = await scene.open('/overview');
    const listed = page.waitForResponse('**/api/packages');
    await page.goto(`${scene.hob.url}/scripts/${own}`);
    await (await listed).finished();
    await page.getByRole('heading', { name: 'My own' }).waitFor();
    expect(await page.getByRole('button', { name: 'More actions' }).count()).toBe(0);
    await close();
  });
});
