import { execFile } from 'node:child_process';
import { copyFile, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { expect, it } from 'vitest';

import { projectRoot, startHob, tempFolder } from '../support/hob.ts';
import { bash, writeScript } from '../support/scripts.ts';

const execute = promisify(execFile);
const fixture = join(projectRoot, 'test', 'fixtures', 'typed-client');

it('strictly typed calls of every tag work with types generated from the document', async () => {
  const [scripts, home, packages, folder] = [
    await tempFolder(),
    await tempFolder(),
    await tempFolder(),
    await tempFolder(),
  ];
  const id = await writeScript(scripts, 'resize', {
    entry: bash('echo hello; echo \'{"code":0,"msg":"done"}\' > "$output"'),
    node: true,
    tables: '[[service.inputs]]\nname = "images"\n[[service.params]]\nname = "quality"\ntype = "int"\n',
  });
  await writeScript(packages, 'package');
  const model = join(home, 'models', 'acme', 'tiny');
  await mkdir(model, { recursive: true });
  await writeFile(join(model, 'model.onnx'), 'x');
  const cache = await tempFolder();
  const hob = await startHob({
    home,
    scripts: [scripts],
    env: { HF_HUB_CACHE: cache, MODELSCOPE_CACHE: cache },
  });

  const document = await (await fetch(`${hob.url}/api/openapi.json`)).text();
  await writeFile(join(folder, 'openapi.json'), document);
  await symlink(join(projectRoot, 'node_modules'), join(folder, 'node_modules'));
  await copyFile(join(fixture, 'calls.ts'), join(folder, 'calls.ts'));
  await writeFile(join(folder, 'package.json'), '{"type":"module"}');
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(strictOptions));
  const node = (...args: string[]) =>
    execute(process.execPath, args, { cwd: folder }).catch((error) => {
      throw new Error(`${args[0]}: ${error.stdout}${error.stderr}`);
    });
  await node(join(fixture, 'generate.mjs'), 'openapi.json', 'api.ts');
  expect(await readFile(join(folder, 'api.ts'), 'utf8')).not.toContain('operations = Record<string, never>');
  await node(join(projectRoot, 'node_modules', 'typescript', 'bin', 'tsc'), '-p', '.');

  const { stdout } = await node('--import', 'tsx', 'calls.ts', hob.url, id, join(packages, 'package'));
  const tags: { name: string }[] = JSON.parse(document).tags;
  expect(JSON.parse(stdout).sort()).toEqual(tags.map(({ name }) => name).sort());
});

const strictOptions = {
  compilerOptions: {
    target: 'es2023',
    module: 'nodenext',
    types: ['node'],
    strict: true,
    noUncheckedIndexedAccess: true,
    exactOptionalPropertyTypes: true,
    verbatimModuleSyntax: true,
    allowImportingTsExtensions: true,
    noEmit: true,
  },
  files: ['calls.ts'],
};
