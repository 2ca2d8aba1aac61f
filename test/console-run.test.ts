import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { type ConsoleScene, hasChromium, launchConsole } from './support/console.ts';
import { launchHob } from './support/hob.ts';
import { bash, python, writeScript } from './support/scripts.ts';

const ids = {
  live: '61000000-8f43-4b0e-9d0e-3f2d6a1f7c11',
  rich: '62000000-8f43-4b0e-9d0e-3f2d6a1f7c11',
  child: '63000000-8f43-4b0e-9d0e-3f2d6a1f7c11',
  secret: '64000000-8f43-4b0e-9d0e-3f2d6a1f7c11',
  flood: '65000000-8f43-4b0e-9d0e-3f2d6a1f7c11',
  gone: '66000000-8f43-4b0e-9d0e-3f2d6a1f7c11',
} as const;

describe.runIf(hasChromium)('the page of a run', () => {
  let scene: ConsoleScene;
  let gates: string;

  beforeAll(async () => {
    scene = await launchConsole(async (scripts) => {
      gates = join(scripts, '..', 'gates');
      await mkdir(gates);
      const waitFor = (name: string) =>
        `while not os.path.exists(${JSON.stringify(join(gates, name))}): time.sleep(0.02)`;
      await writeScript(scripts, 'live', {
        id: ids.live,
        name: 'Publish',
        language: 'python',
        entry: python(`import time
print("\\033[1;31mred\\033[0m and plain", flush=True)
sys.stderr.write("10%\\r50%"); sys.stderr.flush()
call("/api/progress", {"fraction": 0.42, "message": "page 21 of 50"})
${waitFor('more')}
print("more", flush=True)
sys.stderr.buffer.write(b"\\r100%\\nnot \\xff\\xfe utf-8\\n"); sys.stderr.flush()
time.sleep(600)`),
      });
      await writeScript(scripts, 'child', {
        id: ids.child,
        name: 'Thumbnails',
        node: true,
        entry: bash('echo small'),
      });
      await writeScript(scripts, 'rich', {
        id: ids.rich,
        name: '整理图片',
        language: 'python',
        tables: '[[service.inputs]]\nname = "images"\ntype = "list"\n',
        entry: python(`call("/api/link", {"script_id": "${ids.child}"})
for number in range(1000): print("line", number)
print("an ERROR here", file=sys.stderr)
write({"code": 0, "msg": "整理完成", "output_paths": [os.path.abspath(sys.argv[0])],
       "files": [{"name": "a", "size": 1}, {"name": "b", "size": 2}], "log": "long " * 500,
       "number": 12345678901234567890})`),
      });
      await writeScript(scripts, 'secret', {
        id: ids.secret,
        name: 'Upload',
        tables: '[[service.params]]\nname = "key"\nlabel = "Access key"\ntype = "str"\nsecret = true\n',
        entry: bash(
          'echo "length of the key: $(sed -n \'s/.*"key": "\\(.*\\)".*/\\1/p\' "$1" | tr -d "\\n" | wc -c)"; exit 3',
        ),
      });
      await writeScript(scripts, 'flood', {
        id: ids.flood,
        name: 'Flood',
        language: 'python',
        entry: python(
          'for number in range(230_000): print("line", number)\nwrite({"code": 0, "msg": "x" * 2_000_000})',
        ),
      });
      await writeScript(scripts, 'gone', { id: ids.gone, name: 'Gone', entry: bash('echo here I was') });
    });
  });
  afterAll(() => scene.stop());

  async function start(id: string, rest: Record<string, unknown> = {}): Promise<string> {
    const { body } = await scene.hob.post('/api/execute', { script_id: id, ...rest });
    return String(body.run_id);
  }

  async function finish(id: string, rest: Record<string, unknown> = {}): Promise<string> {
    const runId = await start(id, rest);
    await scene.hob.ended(runId);
    return runId;
  }

  it('shows what is written as it comes, how far it is, and that it was cancelled', async () => {
    const { page, checkAccess, close } = await scene.open(`/runs/${await start(ids.live)}`);
    const output = page.getByRole('region', { name: 'Output' });
    await output.getByText('red and plain').waitFor();
    await output.locator('[data-stream="stderr"]', { hasText: /^50%\n$/ }).waitFor();
    expect(await output.getByText('red', { exact: true }).getAttribute('style')).toContain(
      'font-weight: 600',
    );
    await page.getByRole('progressbar', { name: 'page 21 of 50' }).waitFor();
    await checkAccess();
    await writeFile(join(gates, 'more'), '');
    await output.getByText('more').waitFor();
    await output.locator('[data-stream="stderr"]', { hasText: '100%\nnot' }).waitFor();
    await page.getByText('Some of it is not UTF-8').waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByText('It was cancelled').waitFor();
    await page.getByRole('progressbar').waitFor({ state: 'detached' });
    await close();
  });

  it('shows the result, what it was given, and the chain, in Chinese and dark', async () => {
    const runId = await finish(ids.rich, { data: { images: ['/tmp/猫.png'] } });
    const { page, checkAccess, close } = await scene.open(`/runs/${runId}`, {
      locale: 'zh-CN',
      colorScheme: 'dark',
    });
    await page.getByRole('region', { name: '结果', exact: true }).getByText('整理完成').waitFor();
    await page.getByRole('columnheader', { name: 'size' }).waitFor();
    await page.getByText('/tmp/猫.png').waitFor();
    await page.getByRole('button', { name: '展开全部 2,500 个字符' }).click();
    await page.getByRole('button', { name: '收起' }).waitFor();
    await checkAccess();
    await page.getByRole('button', { name: '原始 JSON' }).click();
    await page.getByText('"output_paths": [').waitFor();
    await page.getByText('"number": 12345678901234567890').waitFor();
    await page.getByRole('button', { name: '树形' }).click();
    await page.getByRole('button', { name: /^打开所在文件夹：.*main\.py$/ }).click();
    await page.getByText('WAYLAND_DISPLAY').first().waitFor();
    const chain = page.getByRole('region', { name: '调用链' });
    expect(await chain.getByRole('link').allTextContents()).toEqual([
      expect.stringContaining('整理图片'),
      expect.stringContaining('Thumbnails'),
    ]);
    await chain.getByRole('link', { name: 'Thumbnails' }).click();
    await page.getByRole('heading', { name: 'Thumbnails' }).waitFor();
    await chain.locator('[aria-current="page"]', { hasText: 'Thumbnails' }).waitFor();
    await close();
  });

  it('finds in the output from the keyboard, and shows one stream alone', async () => {
    const { page, checkAccess, close } = await scene.open(`/runs/${await finish(ids.rich)}`, {
      viewport: { width: 390, height: 844 },
    });
    const output = page.getByRole('region', { name: 'Output' });
    await output.getByText('line 999').waitFor();
    await page.keyboard.press('Control+f');
    await page.keyboard.type('LINE 12');
    await page.getByText('11 lines').waitFor();
    await page.keyboard.press('Enter');
    await page.keyboard.press('Enter');
    await page.getByText('2 / 11').waitFor();
    await page.keyboard.press('Shift+Enter');
    await page.keyboard.press('Shift+Enter');
    await page.getByText('11 / 11').waitFor();
    const marked = () => page.evaluate<string[]>("[...CSS.highlights.get('found-here')].map(String)");
    await expect.poll(marked).toEqual(['line 12']);
    const seen = await page.evaluate<number>(
      "[...CSS.highlights.get('found-here')][0].getBoundingClientRect().top",
    );
    const box = await output.boundingBox();
    expect(seen).toBeGreaterThan(box?.y ?? Number.NaN);
    expect(seen).toBeLessThan((box?.y ?? Number.NaN) + (box?.height ?? Number.NaN));
    await page.getByRole('button', { name: 'To the end' }).click();
    await page.getByRole('button', { name: 'To the end' }).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'stderr', exact: true }).click();
    await expect.poll(() => output.textContent()).toBe('an ERROR here\n');
    await checkAccess();
    await close();
  });

  it('holds no more lines than a page can, and no result that would freeze it, and says so', async () => {
    const runId = await finish(ids.flood);
    const { page, close } = await scene.open(`/runs/${runId}`);
    // By what they are in, and not by their text alone: to look for that in all of the lines takes the browser long.
    const foot = page.locator('section > div:last-child > span').first();
    await expect.poll(() => foot.textContent(), { timeout: 20_000 }).toBe('230,000 lines');
    const output = page.getByRole('region', { name: 'Output' });
    expect(await output.locator('> div > p').textContent()).toMatch(
      /^The first 3\d,\d{3} lines are too many/,
    );
    expect(await output.locator('pre').last().textContent()).toMatch(/line 229999\n$/);
    const result = page.getByRole('region', { name: 'Result', exact: true });
    await result.getByText('The record of this run has 2.0 MB').waitFor();
    const download = page.waitForEvent('download');
    await page.getByRole('link', { name: 'Download stdout' }).click();
    expect((await download).suggestedFilename()).toBe(`${runId}-stdout.txt`);
    await close();
  });

  it('is run again by Ctrl+Enter, with its secrets asked for, and deleted', async () => {
    const runId = await finish(ids.secret, { params: { key: 'abc' } });
    const { page, checkAccess, close } = await scene.open(`/runs/${runId}`, { colorScheme: 'dark' });
    await page.getByText('The script ended with exit code 3').waitFor();
    const edit = page.getByRole('link', { name: 'Edit and run' });
    expect(await edit.getAttribute('href')).toBe(`/scripts/${ids.secret}?from=${runId}`);
    await page.keyboard.press('Control+Enter');
    await page.getByLabel('Access key').fill('12345');
    await checkAccess();
    await page.keyboard.press('Enter');
    await page.waitForURL((url) => url.pathname.startsWith('/runs/') && !url.pathname.endsWith(runId));
    const outcome = page.getByRole('region', { name: 'Outcome' });
    await outcome.getByText('length of the key: 5').waitFor();
    await page.getByText('from the console').waitFor();
    await page.getByRole('button', { name: 'More' }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.waitForURL('**/runs');
    await close();
  });

  it('is there without its script, and says so when there is none', async () => {
    const runId = await finish(ids.gone);
    const { page, checkAccess, close } = await scene.open(`/runs/${runId}`);
    await page.getByText('here I was').waitFor();
    await rm(join(scene.scripts, 'gone'), { recursive: true });
    await page.getByText('the script is not there any more').waitFor();
    expect(await page.getByRole('button', { name: 'Run again' }).count()).toBe(0);
    expect((await fetch(`${scene.hob.url}/api/runs/${runId}`, { method: 'DELETE' })).status).toBe(200);
    await page.reload();
    await page.getByRole('heading', { level: 1, name: 'There is no such run' }).waitFor();
    await checkAccess();
    await page.getByRole('link', { name: 'All runs' }).click();
    await page.waitForURL('**/runs');
    await close();
  });

  // The last one: it takes the service away.
  it('goes on where it was when the service is back', async () => {
    await rm(join(gates, 'more'), { force: true });
    const runId = await start(ids.live);
    const { page, close } = await scene.open(`/runs/${runId}`);
    const output = page.getByRole('region', { name: 'Output' });
    await output.locator('[data-stream="stderr"]', { hasText: '50%' }).waitFor();
    const other = await scene.open('/');
    await other.page.getByRole('heading', { name: 'Scripts' }).waitFor();
    await scene.hob.stop('SIGKILL');
    await page.getByText('Hob does not answer').waitFor();
    // Of a page that was not looked at before there is nothing here yet.
    await other.page.getByRole('link', { name: 'Models' }).first().click();
    await other.page.getByText('Loading').waitFor();
    await writeFile(join(gates, 'more'), '');
    const next = await launchHob({ home: scene.hob.home, scripts: [scene.scripts] });
    try {
      expect(next.url).toBe(scene.hob.url);
      await output.locator('[data-stream="stderr"]', { hasText: '100%\nnot' }).waitFor();
      expect(await output.textContent()).toMatch(/^red and plain\nmore\n100%\nnot/);
      await page.getByText('Hob does not answer').waitFor({ state: 'detached' });
      await page.getByRole('button', { name: 'Cancel' }).click();
      await page.getByText('It was cancelled').waitFor();
      await close();
      await other.page.getByRole('heading', { name: 'Models' }).waitFor();
      await other.close();
    } finally {
      await next.stop();
    }
  });
});
