import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { type ConsoleScene, hasChromium, launchConsole } from '../support/console.ts';
import { python, writeScript } from '../support/scripts.ts';

const greet = '62000000-8f43-4b0e-9d0e-3f2d6a1f7c11';
const phone = { viewport: { width: 390, height: 844 } };

describe.runIf(hasChromium)('the settings and API pages', () => {
  let scene: ConsoleScene;
  let token: string;

  beforeAll(async () => {
    scene = await launchConsole(
      async (scripts) => {
        await writeScript(scripts, 'greet', {
          id: greet,
          name: 'Greet',
          language: 'python',
          entry: python('write({"code": 0, "msg": "hello"})'),
        });
      },
      'token = true\nmax_queued = 7\n',
      { HOB_DRAIN_S: '3' },
    );
    token = (await scene.cli('token').ended).stdout.trim();
    expect((await scene.hob.get('/api/scripts')).status).toBe(401);
  });
  afterAll(() => scene.stop());

  /** Opens a page that sends the token with every request. */
  const open: ConsoleScene['open'] = (path, look) =>
    scene.open(path, { extraHTTPHeaders: { authorization: `Bearer ${token}` }, ...look });

  it('shows the version, the runtimes and the settings', async () => {
    const { page, checkAccess, close } = await open('/settings');
    await page.getByText(scene.hob.url, { exact: true }).waitFor();
    await page.getByText(scene.hob.home, { exact: true }).waitFor();
    const runtimes = page.getByRole('region', { name: 'Runtimes' });
    await runtimes
      .getByRole('listitem')
      .filter({ hasText: 'python' })
      .getByRole('img', { name: 'found' })
      .waitFor();
    const settings = page.getByRole('region', { name: 'Limits and settings' });
    const row = (name: string) => settings.getByRole('listitem').filter({ hasText: name });
    expect(await row('max_queued').textContent()).toContain('Set in the file · default: 1000');
    expect(await row('drain_s').textContent()).toContain('Set by the variable HOB_DRAIN_S');
    expect(await row('max_connections').count()).toBe(0);
    await settings.getByText(/^All/).click();
    await row('max_connections').waitFor();
    await page.getByText('Missing or wrong token').waitFor();
    await checkAccess();
    await close();
  });

  it('shows warm interpreters after a run', async () => {
    const { page, close } = await open('/settings');
    const warm = page.getByRole('region', { name: 'Warm interpreters' });
    await warm.waitFor();
    expect((await scene.cli('run', 'Greet').ended).code).toBe(0);
    await warm.getByRole('cell', { name: 'python' }).waitFor();
    await close();
  });

  it('switches language and theme on a phone, and links to the other pages', async () => {
    const { page, checkAccess, close } = await open('/settings', { ...phone, locale: 'zh-CN' });
    await page.getByText('深色', { exact: true }).click();
    expect(await page.locator('html').getAttribute('data-theme')).toBe('dark');
    await page.getByRole('region', { name: '语言运行时' }).getByText('python').first().waitFor();
    await checkAccess();
    const overflow = () => page.evaluate('document.documentElement.scrollWidth - innerWidth');
    expect(await overflow()).toBe(0);
    await page.getByRole('main').getByText('English', { exact: true }).click();
    await page.getByRole('heading', { name: 'Settings', exact: true }).waitFor();
    await page.getByRole('navigation', { name: 'More pages' }).getByRole('link', { name: 'API' }).click();
    await page.waitForURL('**/docs');
    await page.getByRole('button', { name: '/api/execute' }).click();
    await page.getByRole('heading', { name: 'Request body' }).first().waitFor();
    expect(await overflow()).toBe(0);
    await checkAccess();
    await close();
  });

  it('removes an environment after confirmation', async () => {
    const key = 'a'.repeat(32);
    const { page, close } = await open('/settings');
    const environments = page.getByRole('region', { name: 'Environments' });
    await environments.getByText('No environments').waitFor();
    await mkdir(join(scene.hob.home, 'environments', key), { recursive: true });
    await writeFile(join(scene.hob.home, 'environments', key, 'rest'), 'x'.repeat(10_000));
    await page.reload();
    await environments.getByText('damaged').waitFor();
    await environments.getByRole('button', { name: 'Remove environment' }).click();
    await page.getByRole('button', { name: 'Remove', exact: true }).click();
    await environments.getByText('No environments').waitFor();
    await close();
  });

  it('documents each operation at a URL that can be shared', async () => {
    const { page, checkAccess, close } = await open('/docs#get-api-scripts-id');
    const operation = page.locator('#get-api-scripts-id');
    await operation.getByText(`curl -sS -H "Authorization: Bearer $(hob token)"`).waitFor();
    await operation.getByText('language_version').first().waitFor();
    await checkAccess();
    await operation.getByRole('textbox', { name: 'id' }).fill(greet);
    await page.keyboard.press('Enter');
    await operation.getByText('"name": "Greet"').waitFor();

    await page.getByRole('heading', { level: 1 }).click();
    await page.keyboard.press('/');
    await page.keyboard.type('execute');
    await operation.waitFor({ state: 'detached' });
    await page.keyboard.press('Enter');
    await page.waitForURL('**/docs#post-api-execute');
    await page.locator('#post-api-execute').getByText('application/x-www-form-urlencoded').waitFor();
    await close();
  });

  it('asks for the token again in a dialog, and keeps the input on the page', async () => {
    const { page, checkAccess, expects, close } = await scene.open('/');
    // The service also closes event streams when the token is renewed.
    expects(/401 \(Unauthorized\) \S+\/api\/|net::ERR_INCOMPLETE_CHUNKED_ENCODING \S+\/api\/events$/);
    await page.locator('input[type=password]:focus').fill('口令');
    expect(await page.title()).toBe('Sign in · Hob');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').getByText('Wrong token. Copy the current token and try again.').waitFor();
    await page.getByLabel('Token').fill('wrong');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').getByText('Wrong token. Copy the current token and try again.').waitFor();
    await page.getByLabel('Token').fill(token);
    await page.keyboard.press('Enter');
    await page.getByRole('searchbox').fill('gree');
    token = (await scene.cli('token', '--renew').ended).stdout.trim();
    const dialog = page.getByRole('dialog', { name: 'Sign in again' });
    await dialog.locator('input:focus').fill(token);
    await checkAccess();
    await page.keyboard.press('Escape');
    await page.keyboard.press('Enter');
    await dialog.waitFor({ state: 'detached' });
    expect(await page.getByRole('searchbox').inputValue()).toBe('gree');
    await page.locator('input[type=search]:focus').waitFor();
    await page.getByRole('link', { name: 'Greet' }).waitFor();
    await close();
  });

  it('signs out, and stops Hob after confirmation with a hint how to start it again', async () => {
    const { page, expects, close } = await scene.open('/settings');
    // Errors while signed out, and after the stop if the page retries before it is closed.
    expects(/401 \(Unauthorized\) \S+\/api\/|net::ERR_\w+ \S+\/api\//);
    const signIn = async () => {
      await page.getByLabel('Token').fill(token);
      await page.keyboard.press('Enter');
    };
    await signIn();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await signIn();
    await page.getByRole('button', { name: 'Stop Hob' }).click();
    await page.getByRole('dialog').getByText('hob serve').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Stop Hob' }).click();
    await page.getByText('Hob is stopping. To start it again').waitFor();
    await page.getByText('Hob is not responding').first().waitFor();
    await close();
  });
});
