import { dirname, join } from 'node:path';

import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { type ConsoleScene, hasChromium, launchConsole } from '../support/console.ts';
import { bash, writeScript } from '../support/scripts.ts';
import { writePastRuns } from '../support/seeded-history.ts';

const pastRuns = 430;

describe.runIf(hasChromium)('the history', () => {
  let scene: ConsoleScene;
  let [resize, tidy, forever] = ['', '', ''];

  beforeAll(async () => {
    scene = await launchConsole(
      async (scripts) => {
        resize = await writeScript(scripts, 'resize', {
          name: 'Resize images',
          entry: bash('echo \'{"code": 0, "msg": "three pictures"}\' > "$output"'),
        });
        tidy = await writeScript(scripts, 'tidy', { name: '整理下载', entry: bash('exit 3') });
        forever = await writeScript(scripts, 'forever', {
          name: 'Watch the folder',
          runtime: 'concurrency = 1',
          entry: bash('sleep 600'),
        });
        writePastRuns(join(dirname(scripts), 'home'), {
          scriptId: await writeScript(scripts, 'past', { name: 'Backup' }),
          scriptName: 'Backup',
          count: pastRuns,
          failsEvery: 10,
        });
      },
      '',
      { TZ: 'UTC' },
    );
    await scene.hob.run(resize);
    await scene.hob.run(tidy);
  });
  afterAll(() => scene.stop());

  const rows = (page: Page) => page.getByRole('list', { name: 'Runs' }).getByRole('listitem');
  const focused = (page: Page) => rows(page).filter({ has: page.locator(':focus') });
  const start = async (script: string) => {
    const { body } = await scene.hob.post('/api/execute', { script_id: script });
    return String(body.run_id);
  };

  it('shows a run live from its start to its end, and cancels it', async () => {
    const { page, checkAccess, close } = await scene.open('/runs');
    await rows(page).first().getByText('整理下载').waitFor();
    // The caller used Chinese and the script wrote no message, so the console describes the end in the language of the page.
    await rows(page).first().getByText('Exit code 3', { exact: true }).waitFor();
    const runId = await start(forever);
    const running = rows(page).filter({ has: page.locator(`a[href="/runs/${runId}"]`) });
    await running.getByRole('img', { name: 'running' }).waitFor();
    const waiting = rows(page).filter({ has: page.locator(`a[href="/runs/${await start(forever)}"]`) });
    await waiting.getByRole('img', { name: 'queued' }).waitFor();
    await running.getByText(/^[1-9] s$/).waitFor();
    await checkAccess();
    await waiting.getByRole('button', { name: 'Cancel' }).click();
    await waiting.getByText('cancelled').waitFor();
    await running.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('dialog').locator('button:focus', { hasText: 'Keep running' }).waitFor();
    await page.keyboard.press('Escape');
    await running.locator('button:focus').waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel run' }).click();
    await page.locator('#main:focus').waitFor();
    await running.getByRole('img', { name: 'cancelled' }).waitFor();
    expect(await running.textContent()).not.toContain('运行已取消');
    expect(await running.getByRole('button').count()).toBe(0);
    await close();
  });

  it('is filtered by the URL, which can be shared and restored with Back', async () => {
    const { page, checkAccess, close } = await scene.open('/runs');
    await rows(page).first().waitFor();
    await page.getByRole('button', { name: 'State' }).click();
    await page.getByRole('listbox', { name: 'State' }).getByRole('option', { name: 'failed' }).click();
    await page.keyboard.press('Escape');
    await page.waitForURL('**/runs?state=failed');
    await rows(page).getByText('three pictures').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Script' }).click();
    await page.keyboard.type('整理');
    await page.getByRole('option', { name: 'Backup' }).waitFor({ state: 'detached' });
    await checkAccess();
    await page.keyboard.press('Enter');
    await page.waitForURL(`**/runs?script=${tidy}&state=failed`);
    await page.getByText('1 matching run').waitFor();
    await rows(page).getByText('Backup').first().waitFor({ state: 'detached' });
    expect(await rows(page).count()).toBe(1);
    await page.goBack();
    await rows(page).getByText('Backup').first().waitFor();
    await close();

    const shared = await scene.open('/runs?q=RUN+77&days=7');
    await rows(shared.page).getByText('past run 77').waitFor();
    expect(await rows(shared.page).count()).toBe(1);
    expect(await shared.page.getByRole('searchbox').inputValue()).toBe('RUN 77');
    await shared.page.getByRole('searchbox').fill('nothing is called so');
    await shared.page.getByText('No matching runs').waitFor();
    await shared.page.getByRole('button', { name: 'Clear filters' }).click();
    await rows(shared.page).getByText('three pictures').waitFor();
    expect(await shared.page.getByRole('searchbox').inputValue()).toBe('');
    await shared.close();
  });

  it('adds runs that start to match, and removes runs that no longer match', async () => {
    const { page, close } = await scene.open('/runs?state=running');
    await page.getByText('No matching runs').waitFor();
    const runId = await start(forever);
    await rows(page).getByText('Watch the folder').waitFor();
    await scene.hob.post(`/api/runs/${runId}/cancel`, {});
    await page.getByText('No matching runs').waitFor();
    await close();
  });

  it('loads older runs while scrolling, and supports the keyboard', async () => {
    const { page, close } = await scene.open('/runs?q=past');
    await rows(page).getByText('past run 429').waitFor();
    expect(await rows(page).count()).toBeLessThan(pastRuns);
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('k');
    await focused(page).getByText('past run 428').waitFor();
    const end = page.getByText('End of list');
    while (!(await end.isVisible())) await rows(page).last().scrollIntoViewIfNeeded();
    await page.getByText(`${pastRuns} matching runs`).waitFor();
    expect(await rows(page).last().textContent()).toContain('past run 0');
    expect(await rows(page).count()).toBeLessThan(pastRuns);

    // Switching tabs does not reload the whole list.
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    await Promise.all([
      page.waitForResponse(/\/api\/scripts$/),
      page.evaluate(`for (const state of ['hidden', 'visible']) {
        Object.defineProperty(document, 'visibilityState', { value: state, configurable: true });
        document.dispatchEvent(new Event('visibilitychange'));
      }`),
    ]);
    expect(asked.filter((url) => url.includes('/api/runs?'))).toEqual([]);

    await rows(page).last().getByRole('link').press('Enter');
    await page.waitForURL(/\/runs\/[0-9a-f-]{36}$/);
    await page.goBack();
    await focused(page).getByText('past run 0', { exact: true }).waitFor();
    await page.keyboard.press('k');
    await focused(page).getByText('past run 1', { exact: true }).waitFor();
    await close();
  });

  it('is summarized in the overview as chart and numbers, with the active runs', async () => {
    const { page, checkAccess, expects, close } = await scene.open('/overview?days=7');
    const panel = (name: string) => page.getByRole('region', { name });
    await panel('Runs per day').getByText('Show as table').click();
    const { body } = await scene.hob.get('/api/stats?days=7');
    const column = async (nth: number) => {
      const cells = await panel('Runs per day').locator(`tbody tr td:nth-of-type(${nth})`).allTextContents();
      return cells.reduce((sum, cell) => sum + Number(cell), 0);
    };
    const [failed, stopped] = [await column(2), await column(3)];
    expect(body.all).toMatchObject({ failed: failed + stopped, end_causes: { cancelled: stopped } });
    expect(stopped).toBeGreaterThan(0);
    await page.getByText(`plus ${stopped} stopped`).waitFor();
    expect(await panel('Most failures').getByRole('link', { name: 'Watch the folder' }).count()).toBe(0);
    await panel('Most failures').getByRole('link', { name: 'Backup' }).waitFor();
    await panel('Slowest').getByRole('link', { name: 'Backup' }).waitFor();
    await panel('Most active').getByText('Last 20 runs: 18 succeeded, 2 failed').waitFor();
    await panel('Most active')
      .getByText(/Last \d runs: \d cancelled/)
      .waitFor();
    await panel('Recent failures').getByRole('link', { name: '整理下载' }).waitFor();
    await panel('Warm interpreters').getByText('Memory used').waitFor();
    await start(forever);
    await panel('Active runs').getByRole('img', { name: 'running' }).waitFor();
    await checkAccess();
    await panel('Active runs').getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel run' }).click();
    await panel('Active runs').getByText('No active runs.').waitFor();
    await page.getByRole('button', { name: '90 days' }).click();
    await page.waitForURL('**/overview?days=90');
    await panel('Recent failures').getByRole('link', { name: 'All failures' }).click();
    await rows(page).getByText('整理下载').waitFor();
    expect(await rows(page).getByText('Watch the folder').count()).toBe(0);
    expects(/404 .*\/nowhere$/);
    await page.goto(`${scene.hob.url}/nowhere`);
    await page.getByRole('heading', { level: 1, name: 'Page not found' }).waitFor();
    await close();
  });

  it('counts days in the time zone of the service, not of the browser', async () => {
    const { page, close } = await scene.open('/overview?days=7', { timezoneId: 'Pacific/Auckland' });
    const chart = page.getByRole('region', { name: 'Runs per day' });
    await chart.getByText('Days are in the time zone of the machine that runs Hob (UTC).').waitFor();
    await chart.getByText('Show as table').click();
    const [listed] = await Promise.all([
      page.waitForResponse(/\/api\/runs\?since=/),
      chart.locator('tbody a').first().click(),
    ]);
    const today = new Date().toISOString().slice(0, 10);
    expect(new URL(listed.url()).searchParams.get('since')).toBe(`${today}T00:00:00.000Z`);
    await rows(page).getByText('整理下载').waitFor();
    await close();
  });

  it('is usable on a phone in Chinese and dark mode', async () => {
    const phone = { locale: 'zh-CN', colorScheme: 'dark', viewport: { width: 390, height: 844 } } as const;
    const list = await scene.open('/runs', phone);
    await list.page.getByRole('list', { name: '运行记录' }).getByText('three pictures').waitFor();
    await list.checkAccess();
    const overview = await scene.open('/overview', phone);
    await overview.page.getByRole('region', { name: '每日运行' }).waitFor();
    await overview.page
      .getByText(/最近 20 次运行：/)
      .first()
      .waitFor({ state: 'attached' });
    await overview.checkAccess();
    const labels = overview.page.locator('[aria-hidden] > div > a > span.absolute:visible');
    const boxes = await Promise.all((await labels.all()).map((label) => label.boundingBox()));
    expect(boxes.length).toBeGreaterThan(1);
    for (const [index, box] of boxes.entries())
      expect(box?.x).toBeGreaterThan((boxes[index - 1]?.x ?? 0) + (boxes[index - 1]?.width ?? 0));
    for (const { page } of [list, overview])
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
    await list.close();
    await overview.close();
  });
});
