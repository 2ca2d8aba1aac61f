import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { type ConsoleScene, hasChromium, launchConsole } from '../support/console.ts';
import { someFiles } from '../support/hub/stored-file.ts';
import { TestHub } from '../support/hub/test-hub.ts';
import { writeScript } from '../support/scripts.ts';

const upscale = '61000000-8f43-4b0e-9d0e-3f2d6a1f7c11';

describe.runIf(hasChromium)('the models page', () => {
  let hub: TestHub;
  let scene: ConsoleScene;
  let disk: string;

  beforeAll(async () => {
    hub = await TestHub.launch(someFiles());
    disk = await mkdtemp(join(tmpdir(), 'hob-models-'));
    await writeModel(join(disk, 'mine', 'acme', 'kept'));
    scene = await launchConsole(
      async (scripts) => {
        await writeScript(scripts, 'upscale', {
          id: upscale,
          name: '图片放大',
          tables: '[[service.models]]\nsource = "huggingface"\nrepo_id = "ada/tiny"\n',
        });
      },
      `huggingface_endpoint = "${hub.url}"\nmodel_folders = ["${join(disk, 'mine')}"]\n`,
      {
        HF_HUB_CACHE: join(disk, 'hf'),
        MODELSCOPE_CACHE: join(disk, 'ms'),
        HF_TOKEN_PATH: join(disk, 'none'),
      },
    );
  });
  afterAll(async () => {
    await scene.stop();
    hub.close();
    await rm(disk, { recursive: true, force: true });
  });

  it('downloads a required model, stops, resumes and deletes it', async () => {
    const { page, checkAccess, close } = await scene.open('/models');
    const tiny = page.getByRole('listitem', { name: 'ada/tiny' });
    await tiny.getByText('missing').waitFor();
    expect(await tiny.getByRole('link', { name: '图片放大' }).getAttribute('href')).toBe(
      `/scripts/${upscale}`,
    );

    hub.fail('model.safetensors', { kind: 'stall', afterBytes: 2_000_000 });
    await tiny.getByRole('button', { name: 'Download' }).press('Enter');
    const bar = page.getByRole('progressbar', { name: 'Downloading ada/tiny' });
    await page.locator('[role=progressbar][aria-valuenow="75"]').waitFor();
    await tiny.getByText('3.0 MB of 4.0 MB').waitFor();
    await checkAccess();
    await tiny.locator('button:focus', { hasText: 'Stop' }).press('Enter');
    await tiny.getByText('The partial download is kept').waitFor();
    expect(await bar.count()).toBe(0);

    const before = hub.bytesSent('model.safetensors');
    await tiny.getByRole('button', { name: 'Resume' }).click();
    await tiny.getByText('Complete', { exact: true }).waitFor();
    expect(hub.bytesSent('model.safetensors') - before).toBe(1_000_000);

    await tiny.getByRole('button', { name: 'Delete ada/tiny' }).click();
    await page.getByText('图片放大 cannot use it until you download it again').waitFor();
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await tiny.getByText('missing').waitFor();
    await page.getByText('freed', { exact: false }).first().waitFor();
    await close();
  });

  it('explains why a foreign model cannot be deleted, and notices new models', async () => {
    const { page, checkAccess, close } = await scene.open('/models', {
      locale: 'zh-CN',
      colorScheme: 'dark',
    });
    const kept = page.getByRole('listitem', { name: 'acme/kept' });
    await kept.getByRole('img', { name: 'model_folders' }).waitFor();
    expect(await kept.getByRole('button', { name: '删除' }).count()).toBe(0);
    await checkAccess();
    await writeModel(join(scene.hob.home, 'models', 'acme', 'new'));
    await writeScript(scene.scripts, 'other', { name: 'Other' });
    await page.getByRole('listitem', { name: 'acme/new' }).waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('kept');
    await page.getByRole('listitem', { name: 'acme/new' }).waitFor({ state: 'detached' });
    await close();
  });

  it('downloads any model by the URL of its page, and shows errors', async () => {
    const { page, checkAccess, close } = await scene.open('/models');
    await page.getByRole('button', { name: 'Download model' }).press('Enter');
    const dialog = page.getByRole('dialog');
    await dialog.locator('input[placeholder="openai/whisper-tiny"]:focus').waitFor();
    await page.keyboard.press('Escape');
    await page.locator('button:focus', { hasText: 'Download model' }).press('Enter');
    await dialog.getByRole('textbox', { name: 'Model' }).fill('nonsense');
    await dialog.getByRole('button', { name: 'Download' }).click();
    await dialog.getByText('Enter owner/name, such as openai/whisper-tiny').waitFor();
    await checkAccess();
    await dialog.getByRole('textbox', { name: 'Model' }).fill('https://huggingface.co/ada/none/tree/main');
    await dialog.getByLabel('Files').fill('*.onnx');
    await dialog.getByRole('textbox', { name: 'Revision' }).press('Enter');
    await dialog.waitFor({ state: 'detached' });
    const none = page.getByRole('listitem', { name: 'ada/none' });
    await none.getByRole('alert').waitFor();
    await none.getByRole('button', { name: 'Download' }).waitFor();
    await none.getByRole('button', { name: 'Dismiss ada/none' }).click();
    await none.waitFor({ state: 'detached' });
    await page.reload();
    await page.getByRole('listitem', { name: 'ada/tiny' }).waitFor();
    expect(await none.count()).toBe(0);
    await close();
  });
});

async function writeModel(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'model.onnx'), 'x'.repeat(5000));
}
