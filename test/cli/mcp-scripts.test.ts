import { afterAll, beforeAll, expect, it } from 'vitest';

import { type CommandScene, launchScene } from '../support/command-scene.ts';
import { writeScript } from '../support/scripts.ts';

let scene: CommandScene;

beforeAll(async () => {
  scene = await launchScene(async (scripts) => {
    await writeScript(scripts, 'clean-up', { name: 'Clean up' });
    await writeScript(scripts, 'backup', { name: 'Backup', tables: '[service.mcp]\nenabled = false\n' });
  });
});
afterAll(() => scene.stop());

const linesOf = (stdout: string) =>
  stdout
    .trimEnd()
    .split('\n')
    .map((line) => line.split(/ {2,}/));

it('lists the scripts with their tools, and offers and withholds one', async () => {
  const list = async () => linesOf((await scene.cli('mcp', 'scripts').ended).stdout);
  expect(await list()).toEqual([
    ['TOOL', 'OFFERED', 'ASKS FIRST', 'SCRIPT'],
    ['backup', 'no', '-', 'Backup'],
    ['clean-up', 'yes', 'no', 'Clean up'],
  ]);
  expect(await scene.cli('mcp', 'withhold', 'clean-up').ended).toMatchObject({
    code: 0,
    stdout: 'Agents can no longer use Clean up.\n',
  });
  expect(await scene.cli('mcp', 'offer', 'Backup').ended).toMatchObject({
    code: 0,
    stdout: 'Agents can use Backup as the tool backup. You are not asked before a run.\n',
  });
  expect((await list()).slice(1)).toEqual([
    ['backup', 'yes', 'no', 'Backup'],
    ['clean-up', 'no', '-', 'Clean up'],
  ]);
  const json = await scene.cli('mcp', 'offer', 'clean-up', '--json').ended;
  expect(JSON.parse(json.stdout)).toMatchObject({
    name: 'Clean up',
    offered: true,
    choice: { offered: true },
  });
});

it('refuses an unknown script', async () => {
  const { code, stderr } = await scene.cli('mcp', 'offer', 'nobody').ended;
  expect(code).toBe(1);
  expect(stderr).toContain('No script has the id, slug or name "nobody"');
});
