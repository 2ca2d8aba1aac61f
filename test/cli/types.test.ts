import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { expect, it } from 'vitest';

import { projectRoot, runCli, startHob, tempFolder } from '../support/hob.ts';
import { writeScript } from '../support/scripts.ts';

const execute = promisify(execFile);

const tables = `
[[service.inputs]]
name = "images"
type = "list"
[[service.params]]
name = "quality"
label = "Quality"
type = "int"
default = 85
description = "From 1 */ to 100"
[[service.params]]
name = "mode"
type = "str"
choices = ["lossy", "loss\\"less"]
required = true
[[service.params]]
name = "my-flag"
type = "bool"
default = false
[[service.outputs]]
name = "total"
type = "int"
[[service.outputs]]
name = "output_paths"
type = "list"
`;

it('hob types prints the types of a script, which compilers accept', async () => {
  const scripts = await tempFolder();
  const id = await writeScript(scripts, 'resize', { name: 'Resize 2 images!', tables });
  const plain = await writeScript(scripts, 'plain', { name: '图片' });
  const hob = await startHob({ scripts: [scripts] });
  const types = async (...args: string[]) => {
    const { code, stdout, stderr } = await runCli(['types', ...args, '--home', hob.home]).ended;
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    return stdout;
  };
  const text = await types(id);
  expect(text).toBe(`// The types of the script Resize 2 images!. Written by: hob types ${id}

export const resize2ImagesId = '${id}';

export interface Resize2Images {
  data: { images: string[] } | string[];
  params: {
    /** Quality. From 1 *\\/ to 100. Default: 85 */
    quality?: number;
    mode: "lossy" | "loss\\"less";
    /** Default: false */
    "my-flag"?: boolean;
  };
  result: {
    total?: number;
    output_paths?: unknown[];
  };
}
`);
  const folder = await tempFolder();
  await writeFile(join(folder, 'resize.ts'), text);
  await writeFile(join(folder, 'plain.ts'), await types(plain));
  const use = `
import { Hob } from ${JSON.stringify(join(projectRoot, 'sdk', 'node', 'hob', 'client.mjs'))};
import { resize2ImagesId, type Resize2Images } from './resize.js';
import { 图片Id, type 图片 } from './plain.js';
const hob = new Hob();
const run = await hob.run<Resize2Images>(resize2ImagesId, { data: ['a'], params: { mode: 'lossy' } });
export const total: number | undefined = run.result?.total;
export const other = hob.run<图片>(图片Id, { params: { any: 1 } });
// @ts-expect-error: a required param is missing
void hob.run<Resize2Images>(resize2ImagesId, { params: {} });
`;
  await writeFile(join(folder, 'use.mts'), use);
  await writeFile(join(folder, 'package.json'), '{"type":"module"}');
  const compiler = join(projectRoot, 'node_modules', 'typescript', 'bin', 'tsc');
  const flags = ['--strict', '--noEmit', '--module', 'nodenext', '--target', 'es2023', '--skipLibCheck'];
  const typeRoots = ['--typeRoots', join(projectRoot, 'node_modules', '@types'), '--types', 'node'];
  const args = [compiler, ...flags, ...typeRoots, join(folder, 'use.mts')];
  const compiled = await execute('node', args, { cwd: folder }).catch((error) => error);
  expect(compiled.stdout).toBe('');

  const python = join(folder, 'resize.py');
  await writeFile(
    python,
    `${await types(id, '--python')}
print(resize2ImagesId == "${id}", sorted(Resize2ImagesParams.__annotations__), sorted(Resize2ImagesResult.__annotations__))
`,
  );
  const { stdout } = await execute('python3', [python]);
  expect(stdout).toBe("True ['mode', 'my-flag', 'quality'] ['code', 'msg', 'output_paths', 'total']\n");
});
