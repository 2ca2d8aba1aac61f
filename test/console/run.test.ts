import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { type ConsoleScene, hasChromium, isAway, launchConsole } from '../support/console.ts';
import { launchHob } from '../support/hob.ts';
import { bash, python, writeScript } from '../support/scripts.ts';
import { turnToTab } from '../support/turn-to-tab.ts';

const ids = {
  live: '61000000-8f43-4b0e-9d0e-3f2d6a1f7c11',
  rich: '62000000-8f43-4b0e-9d0e-3f2d6a1f7c11',
  child: '63000000-8f43-4b0e-9d0e-3f2d6a1f7c11',
  secret: '64000000-8f43-4b0e-9d0e-3f2d6a1f7c11',
  flood: '65000000-8f43-4b0e-9d0e-3f2d6a1f7c11',
  rainbow: '6a000000-8f43-4b0e-9d0e-3f2d6a1f7c11',
  count: '6b000000-8f43-4b0e-9d0e-3f2d6a1f7c11',
  gone: '66000000-8f43-4b0e-9d0e-3f2d6a1f7c11',
  parent: '67000000-8f43-4b0e-9d0e-3f2d6a1f7c11',
  first: '68000000-8f43-4b0e-9d0e-3f2d6a1f7c11',
  second: '69000000-8f43-4b0e-9d0e-3f2d6a1f7c11',
} as const;

describe.runIf(hasChromium)('the run page', () => {
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
      for (const name of ['first', 'second'] as const)
        await writeScript(scripts, name, {
          id: ids[name],
          name,
          node: true,
          entry: bash(`until [ -e '${join(gates, name)}' ]; do sleep 0.02; done`),
        });
      await writeScript(scripts, 'parent', {
        id: ids.parent,
        name: 'Parent',
        language: 'python',
        entry: python(`import time
for script in ["${ids.first}", "${ids.second}"]: call("/api/link", {"script_id": script})
time.sleep(600)`),
      });
      await writeScript(scripts, 'rainbow', {
        id: ids.rainbow,
        name: 'Rainbow',
        language: 'python',
        entry: python(`for number in range(3000):
    text = f"line {number}".ljust(80, "x")
    print("".join(f"\\033[38;5;{16 + (number + at) % 200}m{each}" for at, each in enumerate(text)) + "\\033[0m")`),
      });
      await writeScript(scripts, 'count', {
        id: ids.count,
        name: 'Count',
        language: 'python',
        entry: python(`import itertools, time
for number in itertools.count():
    print(number)
    if number % 100 > 0: continue
    sys.stdout.flush()
    if os.path.exists(${JSON.stringify(join(gates, 'enough'))}): break
    time.sleep(0.05)
write({"code": 0, "msg": f"up to {number}"})`),
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

  it('shows output and progress live, and that the run was cancelled', async () => {
    const runId = await start(ids.live);
    const { page, checkAccess, close } = await scene.open(`/runs/${runId}`, { reducedMotion: 'reduce' });
    const output = page.getByRole('region', { name: 'Output' });
    await output.getByText('red and plain').waitFor();
    await output.locator('[data-stream="stderr"]', { hasText: /^50%\n$/ }).waitFor();
    const red = "[...document.querySelectorAll('pre span')].find(({ textContent }) => textContent === 'red')";
    expect(await page.evaluate<string>(`getComputedStyle(${red}).fontWeight`)).toBe('600');
    await page.getByRole('progressbar', { name: 'page 21 of 50' }).waitFor();
    const state = page.getByRole('main').getByRole('status').first();
    expect(await state.textContent()).toBe('Running');
    await expect.poll(() => page.evaluate('document.getAnimations().length')).toBe(0);
    await checkAccess();
    await writeFile(join(gates, 'more'), '');
    await output.getByText('more').waitFor();
    await output.locator('[data-stream="stderr"]', { hasText: '100%\nnot' }).waitFor();
    await page.getByText('Some output is not UTF-8').waitFor();
    // The title of a hidden tab shows the state.
    await turnToTab(page, 'hidden');
    expect(await page.title()).toBe('Publish · Running · Hob');
    await scene.hob.post(`/api/runs/${runId}/cancel`, {});
    await expect.poll(() => page.title()).toBe('Publish · Cancelled · Hob');
    await turnToTab(page, 'visible');
    await page.getByText('The run was cancelled').waitFor();
    await expect.poll(() => page.title()).toBe('Publish · Cancelled · Hob');
    await page.getByRole('progressbar').waitFor({ state: 'detached' });
    expect(await state.textContent()).toBe('Cancelled');
    await close();
  });

  it('shows the result, the input and the call chain in Chinese and dark mode', async () => {
    const runId = await finish(ids.rich, { data: { images: ['/tmp/猫.png'] } });
    const { page, checkAccess, expects, close } = await scene.open(`/runs/${runId}`, {
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
    expects(/409 .*\/api\/open-folder$/);
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

  it('updates the call chain even if the service answers slowly', async () => {
    const { page, close } = await scene.open(`/runs/${await start(ids.parent)}`);
    const chain = page.getByRole('region', { name: 'Call chain' });
    await chain.getByRole('link', { name: 'first' }).getByRole('img', { name: 'running' }).waitFor();
    const held: (() => Promise<void>)[] = [];
    await page.route(
      '**/tree',
      async (route) => {
        const response = await route.fetch();
        held.push(() => route.fulfill({ response }));
      },
      { times: 1 },
    );
    await writeFile(join(gates, 'first'), '');
    await expect.poll(() => held.length).toBe(1);
    await writeFile(join(gates, 'second'), '');
    await expect
      .poll(async () => (await fetch(`${scene.hob.url}/api/runs?script=${ids.second}`)).text())
      .toContain('"succeeded"');
    await held[0]?.();
    await chain.getByRole('link', { name: 'second' }).getByRole('img', { name: 'succeeded' }).waitFor();
    await page.getByRole('button', { name: 'Cancel run' }).click();
    await page.getByText('The run was cancelled').waitFor();
    await close();
  });

  it('searches the output with the keyboard, and shows a single stream', async () => {
    const { page, checkAccess, close } = await scene.open(`/runs/${await finish(ids.rich)}`, {
      viewport: { width: 390, height: 844 },
    });
    const output = page.getByRole('region', { name: 'Output' });
    await output.getByText('line 999').waitFor();
    await page.keyboard.press('/');
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
    await page.getByRole('button', { name: 'Jump to end' }).click();
    await page.getByRole('button', { name: 'Jump to end' }).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'stderr', exact: true }).click();
    await expect.poll(() => output.textContent()).toBe('an ERROR here\n');
    // The very last line: the search must not advance the shared pattern, or the highlight misses its start.
    await page.getByLabel('Search the output').fill('error');
    await page.getByText('1 line', { exact: true }).first().waitFor();
    await page.keyboard.press('Enter');
    await expect.poll(marked).toEqual(['ERROR']);
    await checkAccess();
    await close();
  });

  it('limits the shown lines and the raw result, and says so', async () => {
    const runId = await finish(ids.flood);
    const { page, close } = await scene.open(`/runs/${runId}`);
    // Located by structure, because searching all lines for a text is slow.
    const foot = page.locator('section > div:last-child > span').first();
    await expect.poll(() => foot.textContent()).toBe('230,000 lines');
    const output = page.getByRole('region', { name: 'Output' });
    expect(await output.locator('> div > p').textContent()).toMatch(
      /^The first 3\d,\d{3} lines are not shown here/,
    );
    expect(await output.locator('pre').last().textContent()).toMatch(/line 229999\n$/);
    const result = page.getByRole('region', { name: 'Result', exact: true });
    await result.getByText('The record of this run is 2.0 MB').waitFor();
    const download = page.waitForEvent('download');
    await page.getByRole('link', { name: 'Download stdout' }).click();
    expect((await download).suggestedFilename()).toBe(`${runId}-stdout.txt`);
    await close();
  });

  it('colours only output near the view, and keeps its text and the selection', async () => {
    const { page, close } = await scene.open(`/runs/${await finish(ids.rainbow)}`);
    const foot = page.locator('section > div:last-child > span').first();
    await expect.poll(() => foot.textContent()).toBe('3,000 lines');
    const output = page.getByRole('region', { name: 'Output' });
    const coloured = () => output.locator('pre span[class^="look-"]').count();
    const colouredBlocks = () =>
      output.evaluate((element) =>
        [...element.querySelectorAll('pre:has(span)')].map((block) => block.textContent ?? ''),
      );
    await expect.poll(async () => (await colouredBlocks()).at(-1)).toContain('line 2999x');
    expect(await coloured()).toBeLessThan(10_000);
    expect((await output.textContent())?.match(/line \d+x/g)).toHaveLength(3000);

    await output.evaluate((element) => element.scrollTo({ top: 0 }));
    await expect.poll(async () => (await colouredBlocks())[0]).toContain('line 0x');
    await page.evaluate(`{
      const pieces = document.querySelectorAll('pre span[class^="look-"]');
      getSelection().setBaseAndExtent(pieces[0], 0, pieces[6], 1);
    }`);
    await output.evaluate((element) => element.scrollTo({ top: element.scrollHeight }));
    await expect.poll(async () => (await colouredBlocks()).at(-1)).toContain('line 2999x');
    expect(await page.evaluate<string>('String(getSelection())')).toBe('line 0x');

    await page.keyboard.press('Control+f');
    await page.keyboard.type('line 1500');
    await page.getByText('1 line', { exact: true }).first().waitFor();
    await page.keyboard.press('Enter');
    await expect
      .poll(() => page.evaluate<string[]>("[...CSS.highlights.get('found-here')].map(String)"))
      .toEqual(['line 1500']);
    const blocks = await colouredBlocks();
    expect(blocks.join('')).toContain('line 1500x');
    expect(blocks.join('')).not.toContain('line 2999x');
    expect(await coloured()).toBeLessThan(10_000);
    await close();
  });

  it('runs again with Ctrl+Enter after asking for secrets, and deletes the run', async () => {
    const runId = await finish(ids.secret, { params: { key: 'abc' } });
    const { page, checkAccess, expects, close } = await scene.open(`/runs/${runId}`, { colorScheme: 'dark' });
    await page.getByText('The script failed with exit code 3').waitFor();
    const edit = page.getByRole('link', { name: 'Edit and run' });
    expect(await edit.getAttribute('href')).toBe(`/scripts/${ids.secret}?from=${runId}`);
    expects(/400 .*\/rerun$/);
    const asked: string[] = [];
    page.on('request', (request) => request.url().endsWith('/rerun') && asked.push(request.url()));
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).waitFor();
    await page.keyboard.press('Control+Enter');
    await page.keyboard.press('Escape');
    await page.getByRole('menu').waitFor({ state: 'detached' });
    await page.getByText('The script failed with exit code 3').click();
    for (const aside of ['isComposing', 'repeat'])
      await page.evaluate(
        `dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', ctrlKey: true, ${aside}: true }))`,
      );
    await page.keyboard.press('Control+Enter');
    await page.getByLabel('Access key').fill('12345');
    await checkAccess();
    await page.keyboard.press('Enter');
    await page.waitForURL((url) => url.pathname.startsWith('/runs/') && !url.pathname.endsWith(runId));
    const outcome = page.getByRole('region', { name: 'Outcome' });
    await outcome.getByText('length of the key: 5').waitFor();
    expect(asked).toHaveLength(2);
    await page.getByText('started from the console').waitFor();
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await page.getByRole('dialog').locator('button:focus', { hasText: 'Cancel' }).press('Enter');
    await page.locator('button[aria-label="More actions"]:focus').press('Enter');
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.waitForURL('**/runs');
    await close();
  });

  it('sends no requests for a run that is being deleted', async () => {
    const runId = await finish(ids.gone);
    const { page, close } = await scene.open('/runs');
    await page.clock.install();
    const askedAfterwards: string[] = [];
    let isDeleted = false;
    await page.route(`**/api/runs/${runId}`, async (route) => {
      if (isDeleted) askedAfterwards.push(route.request().url());
      const response = await route.fetch();
      if (route.request().method() === 'DELETE') {
        isDeleted = true;
        await page.clock.runFor(5000);
        return route.fulfill({ response });
      }
      // The page polls every second while the number of leftover processes is unknown.
      const record = { ...(await response.json()), left_running: null, ended_at: new Date().toISOString() };
      return route.fulfill({ response, json: record });
    });
    await page.goto(new URL(`/runs/${runId}`, page.url()).href);
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.waitForURL('**/runs');
    expect(isDeleted).toBe(true);
    expect(askedAfterwards).toEqual([]);
    await close();
  });

  it('works without its script, and reports a missing run', async () => {
    const runId = await finish(ids.gone);
    const { page, checkAccess, expects, close } = await scene.open(`/runs/${runId}`);
    await page.getByText('here I was').waitFor();
    await rm(join(scene.scripts, 'gone'), { recursive: true });
    await page.getByText('script no longer exists').waitFor();
    expect(await page.getByRole('button', { name: 'Run again' }).count()).toBe(0);
    expect((await fetch(`${scene.hob.url}/api/runs/${runId}`, { method: 'DELETE' })).status).toBe(200);
    expects(new RegExp(`404 .*/api/runs/${runId}$`));
    await page.reload();
    await page.getByRole('heading', { level: 1, name: 'Run not found' }).waitFor();
    await checkAccess();
    await page.getByRole('link', { name: 'All runs' }).click();
    await page.waitForURL('**/runs');
    await close();
  });

  it('uses the clock of the service, and notices when the service hangs', async () => {
    const { page, expects, close } = await scene.open('/');
    await page.clock.install({ time: Date.now() + 3_600_000 });
    await page.goto(`${scene.hob.url}/runs/${await start(ids.live)}`);
    const main = page.getByRole('main');
    await main
      .getByText(/^\d\.\d s$/)
      .first()
      .waitFor();
    await scene.hob.post('/api/notify', { notify_type: 'info', message: 'told just now' });
    await page.getByText('told just now').first().waitFor();
    await main.getByRole('button', { name: 'Cancel run' }).click();
    await page.getByText('The run was cancelled').waitFor();
    scene.hob.process.kill('SIGSTOP');
    try {
      expects(/404 .*\/api\/runs\/none$/);
      await page.evaluate("history.pushState(null, '', '/runs/none')");
      await page.clock.fastForward(41_000);
      await page.getByText('Hob is not responding. Reconnecting…').waitFor();
      await page.clock.fastForward(60_000);
      await main.getByRole('alert').getByText('Hob is not responding').waitFor();
    } finally {
      scene.hob.process.kill('SIGCONT');
    }
    await page.getByText('Run not found').waitFor();
    await page.getByText('Hob is not responding').waitFor({ state: 'detached' });
    await close();
  });

  // Must be the last test, because it kills the service.
  it('resumes when the service is back', async () => {
    await rm(join(gates, 'more'), { force: true });
    const counting = await scene.open(`/runs/${await start(ids.count)}`);
    const counted = async () =>
      (await counting.page.getByRole('region', { name: 'Output' }).textContent()) ?? '';
    await expect.poll(counted).toContain('\n1000\n');
    const runId = await start(ids.live);
    const { page, expects, close } = await scene.open(`/runs/${runId}`);
    const output = page.getByRole('region', { name: 'Output' });
    await output.locator('[data-stream="stderr"]', { hasText: '50%' }).waitFor();
    const other = await scene.open('/');
    await other.page.getByRole('heading', { name: 'Scripts' }).waitFor();
    const form = await scene.open(`/scripts/${ids.rich}`);
    await form.page.getByLabel('images').fill('/tmp/a.png');
    expects(isAway);
    other.expects(/net::ERR_\w+/);
    counting.expects(isAway);
    form.expects(isAway);
    await scene.hob.stop('SIGKILL');
    await page.getByText('Hob is not responding').waitFor();
    // A page that was not opened before is not loaded yet.
    await other.page.getByRole('link', { name: 'Models' }).first().click();
    await other.page.getByText('Loading').waitFor();
    await form.page.getByRole('button', { name: 'Run', exact: false }).first().click();
    await form.page.getByRole('form').getByRole('alert').waitFor();
    await writeFile(join(gates, 'more'), '');
    const next = await launchHob({ home: scene.hob.home, scripts: [scene.scripts] });
    try {
      expect(next.url).toBe(scene.hob.url);
      await output.locator('[data-stream="stderr"]', { hasText: '100%\nnot' }).waitFor();
      expect(await output.textContent()).toMatch(/^red and plain\nmore\n100%\nnot/);
      await page.getByText('Hob is not responding').waitFor({ state: 'detached' });
      await writeFile(join(gates, 'enough'), '');
      const message = await counting.page
        .getByText(/^up to \d+$/)
        .first()
        .textContent();
      const lineCount = Number(message?.slice('up to '.length)) + 1;
      await expect.poll(async () => (await counted()).split('\n').length - 1).toBe(lineCount);
      expect(await counted()).toBe(Array.from({ length: lineCount }, (_, number) => `${number}\n`).join(''));
      await counting.close();
      await page.getByRole('button', { name: 'Cancel run' }).click();
      await page.getByText('The run was cancelled').waitFor();
      await close();
      await other.page.getByRole('heading', { name: 'Models' }).waitFor();
      await other.close();
      await form.page.getByRole('form').getByRole('alert').waitFor({ state: 'detached' });
      expect(await form.page.getByLabel('images').inputValue()).toBe('/tmp/a.png');
      await form.close();
    } finally {
      await next.stop();
    }
  });
});
