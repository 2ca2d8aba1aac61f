import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { type ConsoleScene, hasChromium, launchConsole } from '../support/console.ts';
import { callStateless } from '../support/mcp.ts';
import { bash, writeScript } from '../support/scripts.ts';
import { until } from '../support/until.ts';

const resize = '65000000-8f43-4b0e-9d0e-3f2d6a1f7c11';
const empty = '66000000-8f43-4b0e-9d0e-3f2d6a1f7c11';

describe.runIf(hasChromium)('the agents page', () => {
  let scene: ConsoleScene;

  beforeAll(async () => {
    scene = await launchConsole(async (scripts) => {
      await writeScript(scripts, 'resize', { id: resize, name: 'Resize images' });
    });
    await installPackage();
  });
  afterAll(() => scene.stop());

  /** Installs a package with a tool that may destroy. Its script notes each run. */
  const installPackage = async () => {
    const source = join(scene.folder, 'source');
    await mkdir(source);
    const [entry, text] = bash(`
echo run >> "${join(scene.folder, 'emptied')}"
echo '{"code":0,"msg":"emptied"}' > "$output"
`);
    const manifest = `
[service.info]
id = "${empty}"
name = "Empty the bin"
version = "1.0.0"
[service.runtime]
language = "bash"
entry = "${entry}"
[[service.params]]
name = "folder"
type = "str"
[service.mcp]
name = "empty_bin"
`;
    await writeFile(join(source, 'script.toml'), manifest);
    await writeFile(join(source, entry), text, { mode: 0o755 });
    expect(await scene.cli('install', source).ended).toMatchObject({ code: 0 });
  };
  const call = (args: Record<string, unknown>) => callStateless(scene.hob, 'empty_bin', args, 'Claude Code');
  const timesRun = async () =>
    (await readFile(join(scene.folder, 'emptied'), 'utf8').catch(() => '')).split('\n').length - 1;
  const isWide = (page: Page) => page.evaluate<boolean>('document.documentElement.scrollWidth > innerWidth');

  it('offers and withholds scripts, and shows how to connect a program', async () => {
    const { page, checkAccess, close } = await scene.open('/agents');
    await page.getByText('1 of 2 offered').waitFor();
    await page.getByText('hob mcp install --client claude-code').waitFor();
    await page.getByText(`${scene.hob.url}/mcp`).waitFor();
    await checkAccess();
    for (const width of [390, 1280]) {
      await page.setViewportSize({ width, height: 844 });
      expect(await isWide(page)).toBe(false);
    }
    await page.getByRole('switch', { name: 'Offer to agents: Resize images' }).click();
    await page.getByText('0 of 2 offered').waitFor();
    await page.getByRole('switch', { name: 'Offer to agents: Empty the bin' }).click();
    await page.getByText('1 of 2 offered').waitFor();
    // A package that may destroy asks by default.
    const asks = page.getByRole('switch', { name: 'Ask me before each run: Empty the bin' });
    expect(await asks.isChecked()).toBe(true);
    const { scripts } = (await scene.hob.get('/api/agents')).body;
    expect(scripts).toMatchObject([
      { script_id: empty, tool: 'empty_bin', packaged: true, offered: true, asks: true },
      { script_id: resize, packaged: false, offered: false },
    ]);
    await close();
  });

  it('asks before an agent runs a tool of a package that may destroy', async () => {
    const { page, checkAccess, close } = await scene.open('/');
    const refused = call({ folder: '/home/me/回收站' });
    // Every page shows that an agent waits.
    await page.getByRole('status').getByText('Claude Code wants to run Empty the bin').waitFor();
    await page.getByRole('link', { name: 'Answer' }).click();
    await page.getByText('/home/me/回收站').waitFor();
    await page.getByRole('region', { name: 'Waiting' }).getByText('Claude Code').waitFor();
    await checkAccess();
    await page.setViewportSize({ width: 390, height: 844 });
    expect(await isWide(page)).toBe(false);
    expect(await timesRun()).toBe(0);
    await page.getByRole('button', { name: 'Refuse: Empty the bin' }).click();
    expect(await refused).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('refused this call') }],
    });
    await page.getByRole('button', { name: 'Refuse: Empty the bin' }).waitFor({ state: 'detached' });
    expect(await timesRun()).toBe(0);

    const allowed = call({ folder: 'b' });
    await page.getByRole('button', { name: 'Allow once: Empty the bin' }).click();
    expect(await allowed).toMatchObject({ structuredContent: { msg: 'emptied' } });
    expect(await timesRun()).toBe(1);

    // Once is once: the same call is asked again. From now on it is not.
    const always = call({ folder: 'b' });
    await page.getByRole('button', { name: 'Always allow: Empty the bin' }).click();
    expect(await always).toMatchObject({ structuredContent: { msg: 'emptied' } });
    await until('the switch follows', async () => {
      const asks = page.getByRole('switch', { name: 'Ask me before each run: Empty the bin' });
      return !(await asks.isChecked());
    });
    expect(await call({ folder: 'c' })).toMatchObject({ structuredContent: { msg: 'emptied' } });
    expect(await timesRun()).toBe(3);

    // The run shows who started it.
    const { items } = (await scene.hob.get('/api/runs')).body as { items: { run_id: string }[] };
    await page.goto(`${scene.hob.url}/runs/${items[0]?.run_id}`);
    await page.getByText('agent: Claude Code').waitFor();
    await close();
  });
});
