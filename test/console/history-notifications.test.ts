import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { type ConsoleScene, hasChromium, launchConsole } from '../support/console.ts';
import { python, writeScript } from '../support/scripts.ts';

describe.runIf(hasChromium)('notifications', () => {
  let scene: ConsoleScene;
  let herald = '';

  beforeAll(async () => {
    scene = await launchConsole(async (scripts) => {
      herald = await writeScript(scripts, 'herald', {
        name: 'Herald',
        language: 'python',
        entry: python(
          'call("/api/notify", {"notify_type": "success", "message": "3 files moved\\n共 3 个", "duration": 0})',
        ),
      });
    });
  });
  afterAll(() => scene.stop());

  const notify = (fields: object) => scene.hob.post('/api/notify', { notify_type: 'info', ...fields });

  it('have an empty state', async () => {
    const { page, checkAccess, close } = await scene.open('/notifications', { colorScheme: 'dark' });
    await page.getByText('No notifications yet').waitFor();
    await checkAccess();
    await close();
  });

  it('appear on every page as toasts that link to their run', async () => {
    const { page, checkAccess, close } = await scene.open('/');
    await page.getByRole('link', { name: 'Herald' }).waitFor();
    const runId = (await scene.hob.run(herald)).headers.get('x-hob-run-id');
    const toast = page.getByRole('region', { name: 'Notification' }).getByRole('listitem');
    await toast.getByText('3 files moved').waitFor();
    await checkAccess();
    await notify({ message: 'soon gone', duration: 1500 });
    await toast.getByText('soon gone').waitFor();
    await toast.getByText('soon gone').waitFor({ state: 'detached' });
    await notify({ message: 'to be closed', duration: 0 });
    const closing = toast.filter({ hasText: 'to be closed' });
    await closing.getByRole('button', { name: 'Close' }).click();
    await closing.waitFor({ state: 'detached' });
    await toast.getByRole('link', { name: 'View run' }).click();
    await page.waitForURL(`**/runs/${runId}`);
    await toast.waitFor({ state: 'detached' });
    await close();
  });

  it('show at most three toasts on a phone, with the number of others', async () => {
    const viewport = { width: 390, height: 844 };
    const { page, checkAccess, close } = await scene.open('/', { viewport });
    await page.getByRole('link', { name: 'Herald' }).waitFor();
    const toasts = page.getByRole('region', { name: 'Notification' }).locator('[data-state="open"]:visible');
    for (let number = 1; number <= 5; number += 1)
      await notify({ message: `${number}: ${'long words '.repeat(200)}`, duration: 0 });
    await page.getByRole('link', { name: '2 more' }).waitFor();
    expect(await toasts.count()).toBe(3);
    expect((await page.getByRole('link', { name: '2 more' }).boundingBox())?.y).toBeGreaterThan(0);
    await checkAccess();
    await toasts.last().getByRole('button', { name: 'Close' }).click();
    await toasts.getByText('2: long').waitFor();
    await page.getByRole('link', { name: '1 more' }).click();
    await page.waitForURL('**/notifications');
    await page.getByRole('main').getByText('1: long').waitFor();
    expect(await toasts.count()).toBe(3);
    await close();
  });

  it('are listed in pages with their sender, the newest first', async () => {
    await Promise.all(Array.from({ length: 60 }, (_, number) => notify({ message: `news ${number}` })));
    await notify({ notify_type: 'error', message: '磁盘已满', duration: 1 });
    const { page, checkAccess, close } = await scene.open('/notifications');
    const items = page.getByRole('main').getByRole('listitem');
    await items.first().getByText('磁盘已满').waitFor();
    await items.first().getByRole('img', { name: 'error' }).waitFor();
    expect(await items.count()).toBe(50);
    await page.getByRole('button', { name: 'Show older notifications' }).click();
    const moved = items.filter({ hasText: '3 files moved' });
    await moved.getByRole('link', { name: 'Herald' }).waitFor();
    await moved.getByRole('link', { name: 'View run' }).waitFor();
    await checkAccess();
    await notify({ message: 'while the page is open', duration: 1 });
    await items.first().getByText('while the page is open').waitFor();
    await close();
  });
});
