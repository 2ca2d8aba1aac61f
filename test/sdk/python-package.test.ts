import { execFile, spawnSync } from 'node:child_process';
import { cp } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';

import { expect, it } from 'vitest';

import { projectRoot, tempFolder } from '../support/hob.ts';
import { has } from '../support/needs.ts';

const execute = promisify(execFile);

// The python3 on PATH may be another one than Debian's, which has the Debian packages. setuptools must load before pip.
const python = ['python3', '/usr/bin/python3'].find(
  (program) => spawnSync(program, ['-c', 'import setuptools, wheel, pip']).status === 0,
);

it.skipIf(!has("Python's pip, setuptools and wheel", python !== undefined))(
  'pip installs the Python package with its types',
  async () => {
    const program = python ?? '';
    const [source, target, elsewhere] = [await tempFolder(), await tempFolder(), await tempFolder()];
    // A copy, because the build writes into the folder.
    await cp(join(projectRoot, 'sdk', 'python'), source, {
      recursive: true,
      filter: (path) => basename(path) !== '__pycache__',
    });
    const options = ['--no-build-isolation', '--no-index', '--disable-pip-version-check', '--target', target];
    await execute(program, ['-m', 'pip', 'install', ...options, source], { cwd: elsewhere });

    const lines = `
import os, hob, hob.client
folder = os.path.dirname(hob.__file__)
print(folder)
print(hob.client.__file__)
print(os.path.exists(os.path.join(folder, "py.typed")))
`;
    const { stdout } = await execute(program, ['-c', lines], {
      cwd: elsewhere,
      env: { ...process.env, PYTHONPATH: target },
    });
    expect(stdout.split('\n')).toEqual([join(target, 'hob'), join(target, 'hob', 'client.py'), 'True', '']);
  },
);
