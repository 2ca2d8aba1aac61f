import { mkdir, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

import { describe, expect, it } from 'vitest';

import { projectRoot, tempFolder } from '../../../test/support/hob.ts';
import type { Command } from './command.ts';
import { ownEnvironmentOf, parameterFileVariable, withSdk } from './resolve-command.ts';

const sdk = join(projectRoot, 'sdk');
const register = pathToFileURL(join(sdk, 'node', 'register.mjs')).href;
const env = { PATH: '/usr/bin' };

async function entryWith(text: string): Promise<string> {
  const entry = join(await tempFolder(), 'main.mjs');
  await writeFile(entry, text);
  return entry;
}

const nodeCommand = (entry: string): Command => ({
  file: '/usr/bin/node',
  args: ['--old', entry],
  env: {},
  warm: { language: 'node.js', options: ['--old'], entry },
});

describe('the SDK', () => {
  it.each([
    `import hob from 'hob';`,
    `import { run } from "hob"`,
    `import 'hob'`,
    `const hob = await import( 'hob' );`,
    `export { main } from 'hob';`,
    `import { Hob } from 'hob/client';`,
  ])('is loaded before a module that has %s, warm or cold', async (text) => {
    const entry = await entryWith(text);
    const { args, warm } = withSdk(nodeCommand(entry), 'node.js', env);
    expect(args).toEqual(['--old', '--import', register, entry]);
    expect(warm).toEqual({ language: 'node.js', options: ['--old', '--import', register], entry });
  });

  it.each([`const hob = require('hob');`, `import x from 'hobby';`, `import x from './hob';`, ''])(
    'does not change the start of a module that has %j',
    async (text) => {
      const command = nodeCommand(await entryWith(text));
      expect(withSdk(command, 'node.js', env)).toEqual({
        ...command,
        lastFolders: { NODE_PATH: join(sdk, 'node') },
      });
    },
  );

  it('notices that an entry has changed or is missing', async () => {
    const entry = await entryWith('1;');
    const optionsOf = () => withSdk(nodeCommand(entry), 'typescript', env).warm?.options.length;
    expect(optionsOf()).toBe(1);
    await writeFile(entry, `import 'hob';`);
    await utimes(entry, 1, 1);
    expect(optionsOf()).toBe(3);
    expect(withSdk(nodeCommand(`${entry}.gone`), 'node.js', env).args).toHaveLength(2);
  });

  it('is not added for a Python that has a module of that name installed', async () => {
    const prefix = await tempFolder();
    const packages = join(prefix, 'lib', 'python3.11', 'site-packages');
    await mkdir(packages, { recursive: true });
    const command = { file: join(prefix, 'bin', 'python'), args: [], env: {} };
    const given = () => withSdk(command, 'python', env).lastFolders;
    expect(given()).toEqual({ PYTHONPATH: join(sdk, 'python') });
    await writeFile(join(packages, 'hob.py'), '');
    expect(given()).toBeUndefined();
    const home = await tempFolder();
    await mkdir(join(home, '.local', 'lib', 'python3.12', 'site-packages', 'hob'), { recursive: true });
    const elsewhere = { ...command, file: '/nowhere/bin/python' };
    expect(withSdk(elsewhere, 'python', { HOME: home }).lastFolders).toBeUndefined();
  });

  it('is not added for languages without one', () => {
    const command = { file: 'ruby', args: ['main.rb'], env: {} };
    expect(withSdk(command, 'ruby', env)).toBe(command);
  });
});

describe('the environment that a command adds to that of the user', () => {
  const command = { file: 'x', args: [], env: { B: 'language', C: 'language' } };

  it('prefers values of the manifest, and appends the folder of Hob last', () => {
    const user = { A: 'user', B: 'user', LIST: '/user' };
    const lastFolders = { LIST: '/ours', OTHER: '/ours' };
    expect(ownEnvironmentOf({ ...command, lastFolders }, user, { C: 'manifest' })).toEqual({
      B: 'language',
      C: 'manifest',
      LIST: '/user:/ours',
      OTHER: '/ours',
    });
    expect(ownEnvironmentOf({ ...command, lastFolders }, user, { LIST: '/own' }).LIST).toBe('/own:/ours');
  });

  it('creates no PATH if there is none, and uses the existing spelling', () => {
    const lastFolders = { PATH: '/ours' };
    expect(ownEnvironmentOf({ ...command, env: {}, lastFolders }, {}, {})).toEqual({});
    expect(ownEnvironmentOf({ ...command, env: {}, lastFolders }, { Path: '/a' }, {})).toEqual({
      Path: '/a:/ours',
    });
  });

  it('contains the parameter file only if the language cannot start warm', () => {
    const warm = { language: 'python', options: [], entry: 'x' } as const;
    expect(parameterFileVariable(command, '/p')).toEqual({ HOB_PARAMETER_FILE: '/p' });
    expect(parameterFileVariable({ ...command, warm }, '/p')).toEqual({});
    expect(parameterFileVariable({ ...command, parameterFile: 'none' }, '/p')).toEqual({});
  });
});
