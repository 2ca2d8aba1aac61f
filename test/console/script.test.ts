import { execFile } from 'node:child_process';
import { mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import type { Script } from '../../web/src/api/wire.ts';
import { inputField, refusedField } from '../../web/src/script/form/make-call.ts';
import { comeFromAfar } from '../support/come-from-afar.ts';
import { type ConsoleScene, hasChromium, launchConsole } from '../support/console.ts';
import { bash, writeScript } from '../support/scripts.ts';

const resize = '60000000-8f43-4b0e-9d0e-3f2d6a1f7c11';
const plain = '61000000-8f43-4b0e-9d0e-3f2d6a1f7c11';
const broken = '62000000-8f43-4b0e-9d0e-3f2d6a1f7c11';
const folders = '63000000-8f43-4b0e-9d0e-3f2d6a1f7c11';

const fields = `
[[service.inputs]]
name = "images"
label = "Images"
type = "list"
pick = "files"
exts = [".png"]
[[service.params]]
name = "mode"
label = "Mode"
type = "str"
default = "lossy"
choices = ["lossy", "lossless"]
choice_labels = { lossy = "Smaller", lossless = "Better" }
[[service.params]]
name = "quality"
label = "Quality"
type = "int"
default = 85
when = { field = "mode", eq = "lossy" }
[[service.params]]
name = "scale"
label = "Scale"
type = "float"
[[service.params]]
name = "format"
label = "Format"
type = "str"
choices = ["png", "jpeg", "webp", "avif", "tiff"]
[[service.params]]
name = "title"
label = "Title"
type = "str"
required = true
[[service.params]]
name = "keep"
label = "Keep"
type = "bool"
default = true
[[service.params]]
name = "tags"
label = "Tags"
type = "list"
[[service.params]]
name = "headers"
label = "Headers"
type = "dict"
[[service.params]]
name = "key"
label = "Key"
type = "str"
required = true
secret = true
[[service.params]]
name = "preset"
label = "Preset"
type = "str"
secret = true
default = "standard"
`;

const folder = `
[[service.inputs]]
name = "target"
label = "Target"
type = "str"
pick = "folders"
`;

const awkward = `it's "quoted" \\ $HOME \`x\` 中文 😀`;

describe.runIf(hasChromium)('the script page', () => {
  let scene: ConsoleScene;
  let photos: string;
  /** A folder without matching files. */
  let dull: string;

  beforeAll(async () => {
    scene = await launchConsole(async (scripts) => {
      const entry = bash('cat "$1"');
      await writeScript(scripts, 'resize', {
        id: resize,
        name: 'Resize 缩放',
        node: true,
        entry,
        tables: fields,
      });
      await writeScript(scripts, 'plain', { id: plain, name: 'Plain', entry });
      await writeScript(scripts, 'folders', {
        id: folders,
        name: 'Folders',
        node: true,
        entry,
        tables: folder,
      });
      await writeScript(scripts, 'broken', {
        id: broken,
        name: 'Broken',
        runtime: 'timeout = "soon"',
        entry,
      });
    });
    photos = join(scene.folder, 'photos');
    await mkdir(join(photos, 'sub'), { recursive: true });
    for (const name of ['a.png', 'b.png', 'c.txt', '.hidden.png']) await writeFile(join(photos, name), name);
    await symlink('nowhere', join(photos, 'broken.png'));
    dull = join(scene.folder, 'dull');
    await mkdir(dull);
    for (const name of ['.a.png', '.profile', 'b.txt']) await writeFile(join(dull, name), name);
    await mkdir(join(scene.folder, 'many'));
    for (let index = 0; index < 2000; index += 1)
      await writeFile(join(scene.folder, 'many', `${index}.png`), '');
  });
  afterAll(() => scene.stop());

  const recordOf = async (address: string): Promise<Record<string, unknown>> => {
    const id = address.split('/').at(-1);
    const answer = await fetch(`${scene.hob.url}/api/runs/${id}?wait=20`);
    return JSON.parse(await answer.text());
  };
  const field = (page: Page, name: string) => page.getByLabel(name, { exact: true });

  it('runs with the entered values on Ctrl+Enter, and restores them later', async () => {
    const { page, checkAccess, close } = await scene.open(`/scripts/${resize}`);
    await page.getByRole('heading', { name: 'Resize 缩放' }).waitFor();
    await checkAccess();
    const sizeOf = async (name: string) => {
      const box = await page.getByRole('button', { name }).boundingBox();
      return [box?.width, box?.height];
    };
    // Buttons inside a field are smaller than the field.
    expect(await sizeOf('Show Key')).toEqual([24.5, 24.5]);
    expect(await sizeOf('Favourite: Resize')).toEqual([31.5, 31.5]);
    await field(page, 'Images').fill('/tmp/a b.png\n"/tmp/c.png"');
    await field(page, 'Quality').fill('50');
    await field(page, 'Scale').fill('0.5');
    await field(page, 'Format').selectOption('webp');
    await page.getByRole('textbox', { name: 'Title' }).fill(awkward);
    await page.getByRole('switch', { name: 'Keep' }).click();
    await field(page, 'Tags').fill('one\ntwo words\n');
    await field(page, 'Headers').fill('{"a": [1, null]}');
    await page.getByRole('textbox', { name: /^Key/ }).fill('hunter2');
    await page.keyboard.press('Control+Enter');
    await page.waitForURL('**/runs/*');
    const sent = {
      mode: 'lossy',
      quality: 50,
      scale: 0.5,
      format: 'webp',
      title: awkward,
      keep: false,
      tags: ['one', 'two words'],
      headers: { a: [1, null] },
    };
    const run = await recordOf(page.url());
    expect(run).toMatchObject({
      origin: 'console',
      state: 'succeeded',
      data: { images: ['/tmp/a b.png', '/tmp/c.png'] },
      params: { ...sent, key: '***' },
    });

    // The values are restored, but not the secret.
    await page.goto(`${scene.hob.url}/scripts/${resize}`);
    await page.getByRole('link', { name: /Succeeded/ }).waitFor();
    expect(await page.getByRole('textbox', { name: 'Title' }).inputValue()).toBe(awkward);
    expect(await page.getByRole('textbox', { name: /^Key/ }).inputValue()).toBe('');
    expect(await page.evaluate('JSON.stringify({ ...localStorage })')).not.toContain('hunter2');
    await page.getByRole('button', { name: 'Reset to defaults' }).click();
    expect(await field(page, 'Quality').inputValue()).toBe('85');
    expect(await page.getByRole('textbox', { name: 'Title' }).inputValue()).toBe('');

    // Edit and run: from the record of the run.
    await page.goto(`${scene.hob.url}/scripts/${resize}?from=${String(run.run_id)}`);
    await page.getByText(/^Secrets are not stored\. Enter them again: Key$/).waitFor();
    expect(await field(page, 'Tags').inputValue()).toBe('one\ntwo words');
    await page.getByText('Better').click();
    await field(page, 'Quality').waitFor({ state: 'detached' });
    await page.getByRole('textbox', { name: /^Key/ }).fill('x');
    await page.getByRole('button', { name: /^Run/ }).click();
    await page.waitForURL('**/runs/*');
    // Hidden parameters are not sent, so the service uses their defaults.
    expect(await recordOf(page.url())).toMatchObject({ params: { ...sent, mode: 'lossless', quality: 85 } });
    await close();
  });

  it('validates before it runs, and shows an error at each field', async () => {
    const { page, checkAccess, close } = await scene.open(`/scripts/${resize}`, { colorScheme: 'dark' });
    await field(page, 'Quality').fill('many');
    // An invalid field shows its error when it loses the focus. An empty one does not.
    await page.getByRole('textbox', { name: 'Title' }).focus();
    await page.getByText('Enter a whole number, such as 85').waitFor();
    await field(page, 'Headers').fill('{"a": 1');
    expect(await page.getByText('Invalid JSON').count()).toBe(0);
    await field(page, 'Tags').fill('[1, 2');
    await page.getByText('Invalid JSON: the text ends too early').waitFor();
    await field(page, 'Headers').fill('{"a": 1,}');
    await page.getByText('Invalid JSON: see line 1, column 9').waitFor();
    await page.getByText('Invalid JSON: the text ends too early').waitFor();
    await field(page, 'Headers').fill('{"a": 1}');
    await field(page, 'Tags').fill('[1, 2]');
    await page.getByText('Invalid JSON').waitFor({ state: 'detached' });
    expect(await page.getByText('This field is required').count()).toBe(0);
    await field(page, 'Headers').fill('{\n  "a": 1,\n}');
    await page.getByRole('button', { name: /^Run/ }).click();
    await page.getByText('Enter a whole number, such as 85').waitFor();
    await page.getByText('Invalid JSON: see line 3, column 1').waitFor();
    expect(await page.getByText('This field is required').count()).toBe(2);
    expect(await page.locator(':focus').getAttribute('data-field')).toBe('quality');
    await checkAccess();
    await field(page, 'Quality').fill('1');
    await page.getByText('Enter a whole number, such as 85').waitFor({ state: 'detached' });
    expect(new URL(page.url()).pathname).toBe(`/scripts/${resize}`);
    // A reset survives a reload.
    await page.getByRole('button', { name: 'Reset to defaults' }).click();
    await page.reload();
    await page.getByRole('heading', { name: 'Resize 缩放' }).waitFor();
    expect(await field(page, 'Quality').inputValue()).toBe('85');
    expect(await field(page, 'Headers').inputValue()).toBe('');
    await close();
  });

  // This error has a fixed form without field names, so the console reads its text. This test fails if the wording changes.
  it('finds the field in an error message of the service', async () => {
    const known: Script = JSON.parse(await (await fetch(`${scene.hob.url}/api/scripts/${resize}`)).text());
    const params = { title: 'x', key: 'x' };
    const refusals: [Record<string, unknown>, string | null][] = [
      [{ params: { ...params, quality: 'many' } }, 'quality'],
      [{ params: { ...params, mode: 'odd' } }, 'mode'],
      [{ params: { ...params, headers: [] } }, 'headers'],
      [{ params: { ...params, key: 7 } }, 'key'],
      [{ params: { key: 'x' } }, 'title'],
      [{ params, data: { images: [7] } }, inputField],
      [{ params: 7 }, null],
    ];
    for (const [body, field] of refusals) {
      for (const language of ['en', 'zh-CN']) {
        const headers = { 'content-type': 'application/json', 'accept-language': language };
        const answer = await fetch(`${scene.hob.url}/api/execute`, {
          method: 'POST',
          headers,
          body: JSON.stringify({ script_id: resize, ...body }),
        });
        expect(answer.status).toBe(400);
        const { message }: { message: string } = JSON.parse(await answer.text());
        expect([message, refusedField(message, known)]).toEqual([message, field]);
      }
    }
  });

  it('chooses files with the keyboard alone', async () => {
    const { page, checkAccess, close } = await scene.open(`/scripts/${resize}`);
    // Text typed before the first listing arrives is kept.
    const held: (() => Promise<void>)[] = [];
    await page.route('**/api/files*', async (route) => void held.push(() => route.continue()), { times: 1 });
    await page.getByRole('button', { name: 'Browse' }).click();
    const path = page.getByLabel('Folder path', { exact: true });
    await path.fill(photos);
    await expect.poll(() => held.length).toBe(1);
    await held[0]?.();
    await page.getByRole('list', { name: 'Breadcrumbs' }).waitFor();
    expect(await path.inputValue()).toBe(photos);
    await page.keyboard.press('Enter');
    await page.getByRole('option', { name: 'a.png' }).waitFor();
    const names = () => page.getByRole('option').evaluateAll((rows) => rows.map((row) => row.textContent));
    expect(await names()).toEqual([
      expect.stringContaining('sub'),
      expect.stringContaining('a.png'),
      expect.stringContaining('b.png'),
    ]);
    await checkAccess();
    await page.getByRole('switch', { name: 'Hidden items' }).click();
    await page.getByRole('option', { name: '.hidden.png' }).waitFor();
    await page.getByRole('combobox', { name: 'Filter' }).focus();
    await page.keyboard.press('Enter');
    await page.getByText('This folder is empty').waitFor();
    expect(await path.inputValue()).toBe(join(photos, 'sub'));
    await page.keyboard.press('Backspace');
    await page.keyboard.type('b.p');
    await page.getByRole('option', { name: 'a.png' }).waitFor({ state: 'detached' });
    for (let count = 0; count < 3; count += 1) await page.keyboard.press('Backspace');
    await page.getByRole('option', { name: 'a.png' }).waitFor();
    for (const key of ['ArrowDown', 'ArrowDown', ' ', 'ArrowDown', ' ']) await page.keyboard.press(key);
    await page.getByRole('button', { name: 'Choose 2 items' }).waitFor();
    await page.keyboard.press('Control+Enter');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    // Ctrl+Enter only chooses files and does not run the script, so no field shows an error.
    expect(await page.getByText('This field is required').count()).toBe(0);
    expect(await page.getByRole('textbox', { name: 'Images' }).inputValue()).toBe(
      `${join(photos, 'a.png')}\n${join(photos, 'b.png')}`,
    );
    // Browsing starts in the last folder. Of many entries only those in view are rendered.
    await page.getByRole('button', { name: 'Browse' }).click();
    await page.getByRole('option', { name: 'a.png' }).waitFor();
    await path.fill(join(scene.folder, 'many'));
    await page.keyboard.press('Enter');
    await page.getByText('2000 items').waitFor();
    expect(await page.getByRole('option').count()).toBeLessThan(50);
    await page.getByRole('combobox', { name: 'Filter' }).focus();
    for (let count = 0; count < 5; count += 1) await page.keyboard.press('PageDown');
    await page.getByRole('option', { name: '50.png', exact: false }).waitFor();
    await close();
  });

  it('shows the call as code that works when it is pasted', async () => {
    const { page, checkAccess, close } = await scene.open(`/scripts/${resize}`, {
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    await field(page, 'Images').fill(`/tmp/it's 图.png`);
    await page.getByRole('textbox', { name: 'Title' }).fill(awkward);
    await page.getByRole('button', { name: 'Multiple lines: Title' }).click();
    // The text area replaces the field, and has its focus.
    await page.locator('textarea:focus').waitFor();
    await page.getByRole('textbox', { name: 'Title' }).fill(`${awkward}\nline "two"`);
    await field(page, 'Headers').fill('{"it\'s": true, "n": null}');
    await page.getByRole('button', { name: 'Copy as code' }).click();
    await page.getByText('Set $KEY in the environment').waitFor();
    await checkAccess();
    const readCopied = await comeFromAfar(page);
    await page.getByRole('button', { name: 'Copy code' }).click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    expect(await readCopied()).toBe(await page.getByRole('textbox', { name: 'curl' }).inputValue());
    const programs = {
      curl: ['bash', '-c'],
      Python: ['python3', '-c'],
      JavaScript: [process.execPath, '--input-type=module', '-e'],
    } as const;
    for (const [name, [program, ...options]] of Object.entries(programs)) {
      await page.getByRole('tab', { name }).click();
      const code = await page.getByRole('textbox', { name }).inputValue();
      const secret = `se"cr\\et\t'${name}' $HOME \`x\`\n\n密 😀 & \\n\n`;
      const { KEY: _, ...without } = process.env;
      const run = (text: string, env: NodeJS.ProcessEnv) =>
        promisify(execFile)(program, [...options, text], { env });
      await expect(run(code, without)).rejects.toThrow('KEY');
      // Errors are in the language of the page. Python reports only the status.
      const wrong = run(code.replace('"quality": 85', '"quality": "x"'), { ...without, KEY: secret });
      expect(await wrong.then(({ stdout }) => stdout, String)).toMatch(/quality must be int|HTTP Error 400/);
      const { stdout } = await run(code, { ...without, KEY: secret });
      const [runId = ''] = /[0-9a-f]{8}-[0-9a-f-]{27}/.exec(stdout) ?? [];
      expect(await recordOf(runId)).toMatchObject({
        origin: 'execute',
        state: 'succeeded',
        data: { images: [`/tmp/it's 图.png`] },
        params: {
          mode: 'lossy',
          quality: 85,
          title: `${awkward}\nline "two"`,
          keep: true,
          headers: { "it's": true, n: null },
          key: '***',
        },
      });
      const written = await fetch(`${scene.hob.url}/api/runs/${runId}/stdout`);
      expect(await written.text()).toContain(JSON.stringify(secret));
    }
    await close();
  });

  it('explains what is broken or missing, and what to do next', async () => {
    const { page, checkAccess, close } = await scene.open(`/scripts/${plain}`, {
      locale: 'zh-CN',
      colorScheme: 'dark',
      viewport: { width: 390, height: 800 },
    });
    await page.getByText('无需任何输入').waitFor();
    await page.getByText('还没有运行过').waitFor();
    await page.getByRole('button', { name: '收藏：Plain' }).click();
    await checkAccess();
    // The script is deleted while its page is open.
    const away = await scene.open(`/scripts/${broken}`);
    away.expects(new RegExp(`409 .*/api/scripts/${broken}$`));
    await away.page.getByText('timeout must be a number').waitFor();
    away.expects(new RegExp(`404 .*/api/scripts/${broken}$`));
    await rm(join(scene.scripts, 'broken'), { recursive: true });
    await away.page.getByRole('heading', { level: 1, name: 'Script not found' }).waitFor();
    await away.page.getByRole('link', { name: 'All scripts' }).click();
    await away.page.getByRole('link', { name: 'Resize 缩放' }).click();
    await away.page.getByRole('button', { name: 'Browse' }).click();
    const path = away.page.getByLabel('Folder path', { exact: true });
    away.expects(/404 .*\/api\/files\?path=\S+none/);
    away.expects(/400 .*\/api\/files\?path=\S+a\.png$/);
    await path.fill(join(photos, 'none', 'at', 'all'));
    await away.page.keyboard.press('Enter');
    await away.page.getByText('This is the nearest existing folder').waitFor();
    await away.page.getByRole('option', { name: 'a.png' }).waitFor();
    await away.page.getByRole('button', { name: 'Parent folder' }).click();
    await away.page.getByRole('option', { name: 'photos' }).waitFor();
    expect(await away.page.getByText('This is the nearest existing folder').count()).toBe(0);
    await path.fill(join(photos, 'a.png'));
    await away.page.keyboard.press('Enter');
    await away.page.getByRole('option', { name: 'a.png' }).waitFor();
    expect(await away.page.getByText('This is the nearest existing folder').count()).toBe(0);
    // The file browser explains why a folder looks empty, and can show all entries.
    await path.fill(dull);
    await away.page.keyboard.press('Enter');
    await away.page.getByText('Not shown: 1 hidden item, 2 of other types').waitFor();
    await away.page.getByRole('button', { name: 'Show items' }).click();
    await away.page.getByText('3 items').waitFor();
    await away.page.getByRole('button', { name: 'Cancel' }).click();
    // Browsing starts in the entered folder, which is also the default choice.
    await away.page.goto(`${scene.hob.url}/scripts/${folders}`);
    await field(away.page, 'Target').fill(join(photos, 'sub'));
    await away.page.getByRole('button', { name: 'Browse' }).click();
    await away.page.getByText('This folder is empty').waitFor();
    expect(await away.page.getByRole('switch', { name: 'Other file types' }).count()).toBe(0);
    await away.page.getByRole('button', { name: 'Choose this folder' }).click();
    expect(await field(away.page, 'Target').inputValue()).toBe(join(photos, 'sub'));
    await away.close();
    await close();
  });
});
