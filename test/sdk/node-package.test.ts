import { execFile } from 'node:child_process';
import { cp, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { describe, expect, it } from 'vitest';

import { projectRoot, startHob, tempFolder } from '../support/hob.ts';
import { writeScript } from '../support/scripts.ts';

const own = join(projectRoot, 'sdk', 'node', 'hob');
const execute = promisify(execFile);

const read = async (path: string) => JSON.parse(await readFile(path, 'utf8'));

/** A folder in which the npm package is installed, without its dependencies. */
async function installed(): Promise<string> {
  const folder = await tempFolder();
  await mkdir(join(folder, 'node_modules', 'hob'), { recursive: true });
  for (const part of ['package.json', 'sdk', join('dist', 'client')])
    await cp(join(projectRoot, part), join(folder, 'node_modules', 'hob', part), { recursive: true });
  return folder;
}

describe('the npm package', () => {
  it('exports the same files whether it is installed or provided by Hob', async () => {
    const { exports: provided } = await read(join(own, 'package.json'));
    const { exports: all } = await read(join(projectRoot, 'package.json'));
    const text = JSON.stringify(provided)
      .replaceAll('"./', '"./sdk/node/hob/')
      .replaceAll('"./sdk/node/hob/client":', '"./client":');
    expect(all).toMatchObject(JSON.parse(text));
  });

  it('offers the script module and the client without its dependencies', async () => {
    const folder = await installed();
    const text = `
import assert from 'node:assert';
import { createRequire } from 'node:module';
import hob, { run } from 'hob';
import { Hob, HobError } from 'hob/client';
const require = createRequire(import.meta.url);
assert.equal(require('hob').run, run);
assert.equal(new (require('hob/client').Hob)() instanceof Object, true);
await assert.rejects(new Hob({ home: '/nowhere' }).scripts(), HobError);
console.log(typeof hob.main, typeof new Hob().run);
`;
    await writeFile(join(folder, 'main.mjs'), text);
    const { stdout } = await execute('node', ['main.mjs'], { cwd: folder });
    expect(stdout).toBe('function function\n');
  });

  it('lets a script call its Hob, from a module and from CommonJS', async () => {
    const scripts = await tempFolder();
    const target = await writeScript(scripts, 'target', { entry: ['main.sh', 'echo called\n'] });
    const body = (load: string, home: string) => `${load}
(async () => {
  const run = await new Hob({ home: ${JSON.stringify(home)} }).start('${target}');
  for await (const { text } of run.output()) process.stdout.write(text);
})();
`;
    const home = await tempFolder();
    const language = 'node.js';
    const module = await writeScript(scripts, 'module', {
      language,
      entry: ['main.mjs', body(`import { Hob } from 'hob/client';`, home)],
    });
    const common = await writeScript(scripts, 'common', {
      language,
      entry: ['main.cjs', body(`const { Hob } = require('hob/client');`, home)],
    });
    const hob = await startHob({ home, scripts: [scripts] });
    for (const id of [module, common])
      expect((await hob.run(id)).body).toMatchObject({ stdout: 'called\n', stderr: '', success: true });
  });

  it('has strict types of its own', async () => {
    const folder = await installed();
    await symlink(join(projectRoot, 'node_modules', '@types'), join(folder, 'node_modules', '@types'));
    await symlink(
      join(projectRoot, 'node_modules', 'undici-types'),
      join(folder, 'node_modules', 'undici-types'),
    );
    const text = `
import { Hob, HobError, type Run, type ScriptTypes } from 'hob/client';
interface Resize extends ScriptTypes {
  data: { images: string[] };
  params: { quality?: number };
  result: { output_paths: string[] };
}
export async function use(): Promise<string[]> {
  const hob = new Hob({ patienceMs: 1 });
  const plain: Run = await hob.run('x', { data: ['a'], signal: AbortSignal.timeout(1) });
  const run = await hob.run<Resize>('x', { data: { images: [] }, params: { quality: 3 } });
  // @ts-expect-error: not a param of the script
  await hob.run<Resize>('x', { params: { size: 3 } });
  for await (const event of hob.events()) if (event.type === 'run.progress') return [String(event.data.fraction)];
  for await (const { bytes } of hob.attach(plain.run_id).output()) return [String(bytes.length)];
  if (new Error() instanceof HobError) return [];
  return run.result?.output_paths ?? [];
}
`;
    for (const name of ['a.mts', 'b.cts']) await writeFile(join(folder, name), text);
    const options = {
      compilerOptions: { strict: true, module: 'nodenext', target: 'es2023', noEmit: true, types: ['node'] },
      files: ['a.mts', 'b.cts'],
    };
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(options));
    const compiler = join(projectRoot, 'node_modules', 'typescript', 'bin', 'tsc');
    const { stdout } = await execute('node', [compiler, '-p', folder]).catch((error) => error);
    expect(stdout).toBe('');
  });
});
