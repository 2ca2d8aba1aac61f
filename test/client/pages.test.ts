import { execFile } from 'node:child_process';
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { describe, expect, it } from 'vitest';

import { projectRoot, startHob, tempFolder } from '../support/hob.ts';
import { findProgram, has } from '../support/needs.ts';
import { python, writeScript } from '../support/scripts.ts';

const hasPython = has('Python', findProgram('python3') !== null);
const execute = promisify(execFile);

/** The script that the pages run. */
const resize = {
  id: '2f0c5c5e-8f43-4b0e-9d0e-3f2d6a1f7c11',
  name: 'Resize images',
  language: 'python',
  entry: python(`
import time
images = run["data"]["images"]
for image in images:
    # One write, so that the text arrives in one chunk.
    os.write(1, f"resizing {image}\\n".encode())
time.sleep(run["params"]["pause"])
write({"code": 0, "msg": f"{len(images)} images"})
`),
  tables: `
[[service.inputs]]
name = "images"
type = "list"
[[service.params]]
name = "quality"
type = "int"
default = 85
[[service.params]]
name = "pause"
type = "int"
default = 0
`,
};

/** The blocks of a page in one program, and all outputs that the page shows. */
async function programOf(page: string, kind: string): Promise<{ program: string; shown: string }> {
  const text = await readFile(join(projectRoot, page), 'utf8');
  const blocks = (name: string) =>
    [...text.matchAll(new RegExp(`^\`\`\`${name}\\n([\\s\\S]*?)^\`\`\`$`, 'gm'))].map(
      ([, body = '']) => body,
    );
  return { program: blocks(kind).join('\n'), shown: blocks('text').join('') };
}

async function open() {
  const scripts = await tempFolder();
  await writeScript(scripts, 'resize', resize);
  const { home } = await startHob({ scripts: [scripts] });
  return { env: { ...process.env, HOB_HOME: home }, folder: await tempFolder() };
}

describe.skipIf(!hasPython)('the code on the page of a client', () => {
  it('prints the shown output: TypeScript', async () => {
    const { program, shown } = await programOf('sdk/node/hob/README.md', 'ts');
    const { env, folder } = await open();
    await mkdir(join(folder, 'node_modules'));
    await symlink(projectRoot, join(folder, 'node_modules', 'hob'));
    await writeFile(join(folder, 'main.mts'), program);
    const { stdout } = await execute('node', ['--import', import.meta.resolve('tsx'), 'main.mts'], {
      cwd: folder,
      env,
    });
    expect(stdout).toBe(shown);
    const compiler = join(projectRoot, 'node_modules', 'typescript', 'bin', 'tsc');
    const types = ['--typeRoots', join(projectRoot, 'node_modules', '@types'), '--types', 'node'];
    const options = ['--strict', '--noEmit', '--module', 'nodenext', '--target', 'es2023', ...types];
    const compiled = await execute('node', [compiler, ...options, 'main.mts'], { cwd: folder }).catch(
      (error) => error,
    );
    expect(compiled.stdout).toBe('');
  });

  it('prints the shown output: Python', async () => {
    const { program, shown } = await programOf('sdk/python/README.md', 'python');
    const { env, folder } = await open();
    await writeFile(join(folder, 'main.py'), program);
    const { stdout } = await execute('python3', ['main.py'], {
      cwd: folder,
      env: { ...env, PYTHONPATH: join(projectRoot, 'sdk', 'python') },
    });
    expect(stdout).toBe(shown);
  });
});
