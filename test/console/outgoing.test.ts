import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { type ConsoleScene, hasChromium, launchConsole } from '../support/console.ts';
import { launchReceiver, type Receiver } from '../support/receiver.ts';

describe.runIf(hasChromium)('notifications to a URL', () => {
  let scene: ConsoleScene;
  let receiver: Receiver;
  let status = 200;

  beforeAll(async () => {
    receiver = await launchReceiver((response) => void response.writeHead(status).end());
    scene = await launchConsole(async () => {}, `notify_url = "${receiver.origin}/geheim"\n`);
  });
  afterAll(async () => {
    await scene.stop();
    receiver.close();
  });

  it('have a button that sends a test and shows the answer', async () => {
    const { page, checkAccess, close } = await scene.open('/notifications');
    await page.getByText(`Errors are also sent to ${receiver.origin}`).waitFor();
    await page.getByText('None has been sent since Hob started.').waitFor();
    const button = page.getByRole('button', { name: 'Send a test' });
    await button.click();
    await page.getByText(/The test was delivered: status 200 after \d+ ms/).waitFor();
    await checkAccess();
    status = 404;
    await button.click();
    await page.getByText('answered with status 404').waitFor();
    await page.getByText('Check the path in notify_url.').waitFor();
    await checkAccess();
    expect(await page.content()).not.toContain('geheim');
    expect(receiver.received).toHaveLength(2);
    await close();
  });

  it('are explained in Chinese and in the dark theme, also on a phone', async () => {
    status = 500;
    const look = { locale: 'zh-CN', colorScheme: 'dark', viewport: { width: 390, height: 844 } } as const;
    const { page, checkAccess, close } = await scene.open('/notifications', look);
    await page.getByRole('button', { name: '发送测试' }).click();
    await page.getByText('返回了状态码 500').waitFor();
    await scene.hob.post('/api/notify', { notify_type: 'error', message: '磁盘已满' });
    await page.getByText('1 条等待发送').waitFor();
    await checkAccess();
    await close();
  });
});
