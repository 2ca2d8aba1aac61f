import { mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { tempFolder } from '../support/hob.ts';
import { hasTmux, hobOnPath, openTmux } from '../support/tmux.ts';

async function open(...args: string[]) {
  const home = await tempFolder();
  const scripts = join(home, 'scripts');
  await mkdir(scripts);
  const env = { PATH: await hobOnPath(), HOB_HOME: home };
  const terminal = await openTmux(['bash', '--norc'], { env });
  terminal.type(`hob new ${args.join(' ')}; echo "ended with $?"`);
  terminal.press('Enter');
  return { scripts, terminal };
}

describe.runIf(hasTmux)('hob new at a terminal', () => {
  it('prompts for all values, rejects invalid answers and creates the script', async () => {
    const { scripts, terminal } = await open();
    await mkdir(join(scripts, 'taken'));
    await terminal.shows('Name:');
    terminal.press('Enter');
    await terminal.shows('A script needs a name.');
    terminal.type('taken');
    terminal.press('Enter');
    await terminal.shows('already exists');
    terminal.type('图片 放大');
    terminal.press('Enter');
    await terminal.shows('5  powershell');
    terminal.type('9');
    terminal.press('Enter');
    await terminal.shows('Type a number from 1 to 5.');
    terminal.type('bash');
    terminal.press('Enter');
    await terminal.shows('Description in one sentence');
    terminal.type('Makes "pictures" larger');
    terminal.press('Enter');
    await terminal.shows('4  none');
    terminal.type('3');
    terminal.press('Enter');
    await terminal.shows('Can other scripts call it');
    terminal.type('y');
    terminal.press('Enter');
    await terminal.shows('ended with 0');
    expect(terminal.screen()).toContain("hob run '图片 放大' Hello");

    const folder = join(scripts, '图片-放大');
    expect((await readdir(folder)).sort()).toEqual(['README.md', 'main.sh', 'sample.txt', 'script.toml']);
    const manifest = await readFile(join(folder, 'script.toml'), 'utf8');
    expect(manifest).toContain('name = "图片 放大"\n');
    expect(manifest).toContain('desc = "Makes \\"pictures\\" larger"\n');
    expect(manifest).toContain('type = "str"\n');
    expect(manifest).toContain('enabled = true\n');
  });

  it('prompts only for missing values', async () => {
    const { scripts, terminal } = await open('one', '--lang', 'node', '--desc', 'x', '--input', 'none');
    await terminal.shows('Can other scripts call it');
    expect(terminal.screen()).not.toContain('powershell');
    terminal.press('Enter');
    await terminal.shows('ended with 0');
    expect(await readFile(join(scripts, 'one', 'script.toml'), 'utf8')).toContain('enabled = false\n');
  });

  it('writes nothing after Ctrl-C', async () => {
    const { scripts, terminal } = await open('one');
    await terminal.shows('5  powershell');
    terminal.press('C-c');
    await terminal.shows('ended with 130');
    expect(terminal.screen()).toContain('Nothing was written.');
    expect(await readdir(scripts)).toEqual([]);
  });
});
