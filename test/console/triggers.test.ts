import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { type ConsoleScene, hasChromium, launchConsole } from '../support/console.ts';
import { bash, writeScript } from '../support/scripts.ts';

const resize = '60000000-8f43-4b0e-9d0e-3f2d6a1f7c11';
const receive = '61000000-8f43-4b0e-9d0e-3f2d6a1f7c11';
const flaky = '62000000-8f43-4b0e-9d0e-3f2d6a1f7c11';

const offered = `
[[service.inputs]]
name = "images"
label = "Images"
type = "list"
pick = "files"
exts = [".png"]
[[service.params]]
name = "quality"
label = "Quality"
type = "int"
default = 85
[[service.params]]
name = "owner"
label = "Owner"
type = "str"
required = true
[service.triggers.context_menu]
enabled = true
targets = ["files"]
[[service.triggers.schedule]]
name = "nightly"
cron = "30 2 * * 1-5"
timezone = "Europe/Berlin"
params = { quality = 70, owner = "me" }
`;

describe.runIf(hasChromium)('the triggers page', () => {
  let scene: ConsoleScene;

  beforeAll(async () => {
    scene = await launchConsole(async (scripts) => {
      await writeScript(scripts, 'resize', { id: resize, name: 'Resize images', tables: offered });
      await writeScript(scripts, 'receive', { id: receive, name: 'Receive' });
      await writeScript(scripts, 'flaky', {
        id: flaky,
        name: 'Flaky',
        runtime: 'retries = { attempts = 2, backoff = "1ms" }',
        entry: bash('exit 3'),
      });
    }, 'hooks_listen = "127.0.0.1:0"\n');
  });
  afterAll(() => scene.stop());

  const file = () => join(scene.hob.home, 'triggers.toml');
  const put = (id: string, fields: object) =>
    scene.hob.send('PUT', `/api/triggers/${id}`, JSON.stringify(fields));
  const rowOf = (page: Page, id: string) =>
    page.getByRole('listitem').filter({ has: page.getByRole('link', { name: id, exact: true }) });
  /** Types a part of a name into the list that a button opens, and takes the choice that Enter is for. */
  const chooseByKeys = async (page: Page, button: RegExp, { type, find }: { type: string; find: string }) => {
    await page.getByRole('button', { name: button }).click();
    await page.locator('[placeholder="Search…"]:focus').waitFor();
    await page.keyboard.type(type);
    await page.getByRole('option', { name: find, selected: true }).waitFor();
    await page.keyboard.press('Enter');
  };
  /** Fails if the page is wider than a phone or a small screen. */
  const checkWidths = async (page: Page) => {
    for (const width of [390, 1280]) {
      await page.setViewportSize({ width, height: 844 });
      expect(await page.evaluate<boolean>('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    }
  };

  it('explains triggers, and makes a schedule that can be fired, paused, changed and deleted', async () => {
    const { page, checkAccess, close } = await scene.open('/triggers');
    await page.getByText('No triggers yet').waitFor();
    await checkAccess();
    await page.getByRole('link', { name: 'New schedule' }).click();
    await page.getByRole('button', { name: 'Create trigger' }).click();
    await page.getByText('Choose a script', { exact: true }).waitFor();
    await chooseByKeys(page, /^Script to run:/, { type: 'resi', find: 'Resize images' });
    await page.getByRole('button', { name: 'Script to run: Resize images' }).waitFor();
    expect(await page.getByLabel('Id').inputValue()).toBe('resize-images-schedule');

    await page.getByLabel('Repeat').selectOption('cron');
    await page.getByLabel('Minute, hour, day, month, weekday').fill('99 2 * * *');
    await page.getByText('"99" is not valid in the field for the minute').waitFor();
    await page.getByLabel('Minute, hour, day, month, weekday').fill('0 9 * * *');
    await page.getByText('"99" is not valid in the field for the minute').waitFor({ state: 'detached' });
    await chooseByKeys(page, /^Time zone:/, { type: 'new york', find: 'America/New_York' });
    const preview = page.getByRole('region', { name: 'Preview' });
    await preview.getByText('every day at 09:00 (America/New_York)').waitFor();
    expect(await preview.getByRole('listitem').count()).toBe(5);
    expect(await preview.getByRole('listitem').first().textContent()).toMatch(/, 09:00 (?:EST|EDT|GMT-[45])/);
    await checkAccess();

    // The form asks for the required param only when the user saves.
    await page.keyboard.press('Control+Enter');
    await page.getByText('This field is required').waitFor();
    await page.locator('[data-field="owner"]:focus').waitFor();
    await page.keyboard.type('ich');
    await page.keyboard.press('Control+Enter');
    await page.getByRole('heading', { name: 'resize-images-schedule' }).waitFor();
    await page.getByText('every day at 09:00 (America/New_York)').waitFor();
    expect(await readFile(file(), 'utf8')).toContain('cron = "0 9 * * *"');

    await page.getByRole('button', { name: 'Fire now: resize-images-schedule' }).click();
    const fired = page.getByRole('region', { name: 'Firings' }).getByRole('listitem').first();
    await fired.getByText('Fired').waitFor();
    await checkAccess();
    await fired.getByRole('link', { name: 'View run' }).click();
    await page.getByRole('heading', { name: 'Resize images' }).waitFor();
    await page.getByRole('link', { name: 'resize-images-schedule' }).click();

    const toggle = page.getByRole('switch', { name: 'On: resize-images-schedule' });
    await toggle.click();
    await page.getByText('Paused', { exact: true }).waitFor();
    await expect.poll(() => readFile(file(), 'utf8')).toContain('enabled = false');
    await page.getByRole('link', { name: 'Edit' }).click();
    await page.getByLabel('Repeat').selectOption('interval');
    await page.getByLabel('Every', { exact: true }).fill('20');
    await preview.getByText('every 20 minutes').waitFor();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { name: 'resize-images-schedule', exact: true }).waitFor();
    await page.getByText('every 20 minutes').waitFor();
    const stored = await readFile(file(), 'utf8');
    expect(stored).toContain('every = "20m"');
    expect(stored).toContain('enabled = false');
    expect(stored).not.toMatch(/cron|timezone/);
    await page.getByRole('link', { name: 'View all' }).click();
    await page.getByText('Trigger: resize-images-schedule').waitFor();
    await page.getByText('1 matching run').waitFor();
    await page.goBack();

    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await page.getByText('The script and the history of its runs are kept.').waitFor();
    await checkAccess();
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByText('No triggers yet').waitFor();
    expect(await readFile(file(), 'utf8')).not.toContain('resize-images');
    await close();
  });

  it('sets up what a manifest suggests, and follows it where the user changes nothing', async () => {
    const { page, close } = await scene.open(`/scripts/${resize}`);
    await page.getByText('hob menus install resize-images').waitFor();
    await page.getByRole('link', { name: 'Set up: Resize images, nightly' }).click();
    await page.getByRole('checkbox', { name: 'Friday' }).waitFor();
    expect(await page.getByLabel('Quality').inputValue()).toBe('70');
    await page.getByLabel('Attempts').fill('3');
    await page.getByRole('button', { name: 'Create trigger' }).click();
    await page.getByText('(suggestion of the script)').waitFor();
    const entry = await readFile(file(), 'utf8');
    expect(entry).toContain('from = "package:nightly"');
    expect(entry).toMatch(/retries = \{ ?attempts = 3 ?\}/);
    expect(entry).not.toContain('cron');
    expect(entry).not.toContain('quality');
    await page.goto(`${scene.hob.url}/scripts/${resize}`);
    await page.getByRole('link', { name: 'resize-images-nightly' }).waitFor();
    expect(await page.getByRole('link', { name: /^Set up/ }).count()).toBe(0);
    await scene.hob.send('DELETE', '/api/triggers/resize-images-nightly', '');
    await close();
  });

  it('stores the secret of a webhook, and shows it once', async () => {
    // The listener has a free port, and an address once the first webhook exists.
    await scene.hob.send('PUT', '/api/secrets/other', JSON.stringify({ value: 'correct horse' }));
    await put('other', { script: receive, kind: 'webhook', secret: 'other' });
    await expect.poll(async () => (await scene.hob.get('/api/triggers/other')).body.address).not.toBeNull();
    const { page, checkAccess, close } = await scene.open('/triggers/new/webhook?script=receive');
    await page.getByLabel('Proof of the sender').selectOption({ label: 'GitHub signature' });
    await page.getByLabel('Secret').selectOption({ label: 'New secret…' });
    await page.getByRole('button', { name: 'Create trigger' }).click();
    await page.getByText('Type or generate a value').waitFor();
    await page.getByRole('button', { name: 'Generate' }).click();
    const value = await page.getByLabel('Value').inputValue();
    expect(value).toMatch(/^[0-9a-f]{64}$/);
    await checkAccess();
    await page.getByRole('button', { name: 'Create trigger' }).click();
    await page.getByText('Copy the secret now').waitFor();
    await page.getByText(value, { exact: true }).waitFor();
    await page.getByLabel('Example', { exact: true }).waitFor();
    await checkAccess();
    await checkWidths(page);
    // A choice of another kind would lose the secret.
    expect(await page.getByRole('radio', { name: 'Schedule' }).count()).toBe(0);
    const secrets = JSON.stringify((await scene.hob.get('/api/secrets')).body);
    expect(secrets).toContain('"receive-webhook"');
    await page.getByRole('link', { name: 'Done' }).click();
    await page.getByRole('heading', { name: 'receive-webhook' }).waitFor();
    await page.getByLabel('Example', { exact: true }).waitFor();
    await checkWidths(page);
    expect(await page.content()).not.toContain(value);
    for (const id of ['receive-webhook', 'other']) await scene.hob.send('DELETE', `/api/triggers/${id}`, '');
    await close();
  });

  it('marks a trigger that is on and cannot start runs', async () => {
    const path = `${scene.hob.home}-missing`;
    await put('inbox', { script: resize, kind: 'folder', path, params: { owner: 'me' } });
    await expect.poll(async () => (await scene.hob.get('/api/triggers/inbox')).body.problems).toHaveLength(1);
    const { page, checkAccess, close } = await scene.open('/triggers');
    await rowOf(page, 'inbox').getByText('Problem', { exact: true }).waitFor();
    expect(await page.getByText('On', { exact: true }).count()).toBe(0);
    await checkAccess();
    await page.getByRole('link', { name: 'inbox', exact: true }).click();
    await page.getByText('Problem', { exact: true }).waitFor();
    expect(await page.getByText('On', { exact: true }).count()).toBe(0);
    await checkAccess();
    await page.goto(`${scene.hob.url}/scripts/${resize}`);
    await page.getByText('Problem', { exact: true }).waitFor();
    await scene.hob.send('DELETE', '/api/triggers/inbox', '');
    await close();
  });

  it('names the mistakes in triggers.toml, also on a phone, in Chinese and in the dark theme', async () => {
    const good = '[[trigger]]\nid = "hourly"\nscript = "receive"\nkind = "schedule"\nevery = "1h"\n';
    const gone = '[[trigger]]\nid = "gone"\nscript = "old"\nkind = "schedule"\nevery = "1h"\n';
    const look = { locale: 'zh-CN', colorScheme: 'dark', viewport: { width: 390, height: 844 } } as const;
    await writeFile(file(), `${good}\n${gone}\n`);
    const { page, checkAccess, close } = await scene.open('/triggers', look);
    await rowOf(page, 'hourly').getByText('已启用').waitFor();
    await rowOf(page, 'hourly').getByText('每小时').waitFor();
    await rowOf(page, 'gone').getByText('没有脚本“old”').waitFor();
    expect(await rowOf(page, 'gone').getByRole('button', { name: '立即触发：gone' }).isDisabled()).toBe(true);
    await checkAccess();
    await writeFile(file(), `${good}\n[[trigger\n`);
    await page.getByRole('alert').getByText('triggers.toml:7').waitFor();
    await page.getByText('在此之前，触发器保持原样。').waitFor();
    await checkAccess();
    expect(await page.evaluate<boolean>('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    await writeFile(file(), '');
    await page.getByText('还没有触发器').waitFor();
    await close();
  });

  it('explains a refusal of another user of the machine', async () => {
    const { page, checkAccess, expects, close } = await scene.open('/models');
    expects(/403 \(Forbidden\) \S+\/api\/triggers$/);
    const refusal = {
      status: 'error',
      code: 'door-user',
      message: 'This request comes from another user of this machine.',
      hint: 'Set token = true in settings.toml.',
    };
    await page.route('**/api/triggers', (route) => route.fulfill({ status: 403, json: refusal }));
    await page.getByRole('link', { name: 'Triggers' }).first().click();
    const alert = page.getByRole('alert');
    await alert.getByText(refusal.message).waitFor();
    await alert.getByText(refusal.hint).waitFor();
    await checkAccess();
    await close();
  });

  it('shows the attempts of a run with a link to each', async () => {
    await put('try', { script: 'flaky', kind: 'schedule', every: '1d' });
    const { body } = await scene.hob.post('/api/triggers/try/fire', {});
    const runId = String(body.run_id);
    await scene.hob.ended(runId);
    const { page, checkAccess, close } = await scene.open(`/runs/${runId}`);
    const attempts = page.getByRole('region', { name: 'Attempts' });
    await attempts.getByText('attempt 1 of 2').waitFor();
    await attempts.getByRole('link', { name: 'Attempt 2' }).click();
    await attempts.getByText('attempt 2 of 2').waitFor();
    await page.getByRole('link', { name: 'try', exact: true }).waitFor();
    await checkAccess();
    await page.getByRole('link', { name: 'try', exact: true }).click();
    await page.getByRole('link', { name: 'View all' }).waitFor();
    await close();
  });
});
