import { chmod, mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { describe, expect, it } from 'vitest';

import { tempFolder } from '../../../test/support/hob.ts';
import { type Script, type ScriptRuntime, undeclared } from '../script.ts';
import { argumentsOf, InterpreterFinder, resolveCommand } from './resolve-command.ts';

async function install(path: string, version: string): Promise<string> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, `#!/bin/sh\necho '${version}'\necho\n`);
  await chmod(path, 0o755);
  return path;
}

/** A machine with only these programs, and a script on it. */
async function machine(programs: Record<string, string>, platform: NodeJS.Platform = 'linux') {
  const folder = await tempFolder();
  const bin = join(folder, 'bin');
  await mkdir(bin);
  for (const [name, version] of Object.entries(programs)) await install(join(bin, name), version);
  const env = { PATH: bin };
  const scriptFolder = join(folder, '我的 script');
  await mkdir(scriptFolder);
  const host = { finder: new InterpreterFinder(env), env, platform };
  return {
    bin,
    scriptFolder,
    entry: join(scriptFolder, 'main'),
    resolve: (runtime: Partial<ScriptRuntime>) => resolveCommand(scriptIn(scriptFolder, runtime), host),
    resolveIn: (runtime: Partial<ScriptRuntime>, python: string) =>
      resolveCommand(scriptIn(scriptFolder, runtime), host, { python }),
  };
}

function scriptIn(folder: string, runtime: Partial<ScriptRuntime>): Script {
  return {
    ...undeclared,
    id: '2f0c5c5e-8f43-4b0e-9d0e-3f2d6a1f7c11',
    name: 'Script',
    folder,
    manifestPath: join(folder, 'script.toml'),
    runtime: {
      language: 'python',
      languageVersion: null,
      entry: 'main',
      terminal: 'always',
      timeoutMs: null,
      concurrency: null,
      lock: null,
      retries: null,
      survivors: 'keep',
      notifyOn: 'never',
      env: {},
      binaries: [],
      requireModels: false,
      preload: [],
      mayStartWarm: true,
      ...runtime,
    },
  };
}

const command = (file: string, args: string[], env: Record<string, string> = {}) => ({
  kind: 'command',
  command: { file, args, env },
});

/** A command that a warm interpreter can run as well. */
const warmCommand = (
  language: 'python' | 'node.js',
  file: string,
  args: string[],
  env: Record<string, string> = {},
) => ({
  kind: 'command',
  command: { file, args, env, warm: { language, options: args.slice(0, -1), entry: args.at(-1) } },
});

const unavailable = (...words: (string | RegExp)[]) => ({
  kind: 'unavailable',
  message: {
    en: expect.toSatisfy((text: string) => words.every((word) => text.match(word) !== null)),
    zh: expect.stringMatching(/\p{Script=Han}/u),
  },
});

const pythonEnv = { PYTHONUTF8: '1', PYTHONIOENCODING: 'utf-8', PYTHONUNBUFFERED: '1' };

describe('an interpreted script', () => {
  it.each([
    ['bash', 'bash', []],
    ['sh', 'sh', []],
    ['ruby', 'ruby', []],
    ['perl', 'perl', []],
    ['php', 'php', []],
    ['bun', 'bun', ['run']],
    ['deno', 'deno', ['run', '--allow-all']],
    ['powershell', 'pwsh', ['-NoProfile', '-NonInteractive', '-File']],
  ] as const)('in %s is started with %s', async (language, program, args) => {
    const { resolve, bin, entry } = await machine({ [program]: '20.1.0' });
    expect(await resolve({ language })).toEqual(command(join(bin, program), [...args, entry]));
  });

  it.each([
    'node.js',
    'bash',
    'sh',
    'ruby',
    'perl',
    'php',
    'bun',
    'deno',
    'powershell',
    'python',
    'typescript',
  ] as const)('in %s states what to install if its interpreter is missing', async (language) => {
    const { resolve } = await machine({});
    expect(await resolve({ language })).toEqual(unavailable('PATH', /Install/));
  });

  it('states the required and the installed version if they do not match', async () => {
    const { resolve, bin } = await machine({ ruby: '2.7.1' });
    expect(await resolve({ language: 'ruby', languageVersion: '>=3.1' })).toEqual(
      unavailable('ruby', '>=3.1', '2.7.1', join(bin, 'ruby')),
    );
    expect(await resolve({ language: 'ruby', languageVersion: '>=2' })).toMatchObject({ kind: 'command' });
  });

  it('finds its entry in a subfolder', async () => {
    const { resolve, bin, scriptFolder } = await machine({ bash: '5.2.0' });
    expect(await resolve({ language: 'bash', entry: 'src/main.sh' })).toEqual(
      command(join(bin, 'bash'), [join(scriptFolder, 'src', 'main.sh')]),
    );
  });
});

describe('a Python script', () => {
  it('reads and writes UTF-8, and its output is unbuffered', async () => {
    const { resolve, bin, entry } = await machine({ python3: '3.11.0' });
    expect(await resolve({})).toEqual(warmCommand('python', join(bin, 'python3'), [entry], pythonEnv));
  });

  it('is started with the environment in its own folder', async () => {
    const { resolve, scriptFolder, entry } = await machine({ python3: '3.11.0' });
    const own = await install(join(scriptFolder, '.venv', 'bin', 'python'), '3.9.0');
    expect(await resolve({ languageVersion: '3.9' })).toEqual(warmCommand('python', own, [entry], pythonEnv));
  });

  it('is not started with another Python if its own has the wrong version', async () => {
    const { resolve, scriptFolder } = await machine({ python3: '3.11.0' });
    const own = await install(join(scriptFolder, '.venv', 'bin', 'python'), '3.9.0');
    expect(await resolve({ languageVersion: '>=3.10' })).toEqual(unavailable('>=3.10', '3.9.0', own));
    await install(own, '3.12.0');
    expect(await resolve({ languageVersion: '>=3.10' })).toMatchObject({ kind: 'command' });
  });

  it('reports that its own Python does not start', async () => {
    const { resolve, scriptFolder } = await machine({ python3: '3.11.0' });
    const own = await install(join(scriptFolder, '.venv', 'bin', 'python'), 'nonsense');
    expect(await resolve({})).toEqual(unavailable('.venv', 'Create that environment again'));
    await install(own, '3.12.0');
    expect(await resolve({})).toMatchObject({ kind: 'command', command: { file: own } });
  });

  it('reports that its own Python is a broken link', async () => {
    const { resolve, scriptFolder } = await machine({ python3: '3.11.0' });
    await mkdir(join(scriptFolder, '.venv', 'bin'), { recursive: true });
    await symlink('/nowhere/python3.8', join(scriptFolder, '.venv', 'bin', 'python'));
    expect(await resolve({})).toEqual(unavailable('.venv', 'Create that environment again'));
  });
});

describe('a script for Node', () => {
  it('is started with node', async () => {
    const { resolve, bin, entry } = await machine({ node: '20.1.0' });
    expect(await resolve({ language: 'node.js' })).toEqual(
      warmCommand('node.js', join(bin, 'node'), [entry]),
    );
  });
});

describe('a script that may start in a warm interpreter', () => {
  it.each([
    ['python', 'python3', '3.11.0'],
    ['node.js', 'node', '24.0.0'],
    ['typescript', 'node', '24.0.0'],
  ] as const)('in %s has no warm start on Windows', async (language, program, version) => {
    const { resolve } = await machine({ [program]: version }, 'win32');
    const resolution = await resolve({ language });
    expect(resolution).toMatchObject({ kind: 'command' });
    expect(Reflect.get(resolution, 'command')).not.toHaveProperty('warm');
  });
});

describe('a TypeScript script', () => {
  it.each(['22.18.0', '24.0.0', '26.1.0'])('is started directly by Node %s', async (version) => {
    const { resolve, bin, entry } = await machine({ node: version });
    expect(await resolve({ language: 'typescript' })).toEqual(
      warmCommand('node.js', join(bin, 'node'), [entry]),
    );
  });

  it.each(['20.19.0', '22.17.1'])('is started through tsx on Node %s', async (version) => {
    const { resolve, bin, entry } = await machine({ node: version });
    const resolution = await resolve({ language: 'typescript' });
    const loader = resolution.kind === 'command' ? (resolution.command.args[1] ?? '') : '';
    expect(resolution).toEqual(
      warmCommand('node.js', join(bin, 'node'), ['--import', loader, entry], { TSX_DISABLE_CACHE: '1' }),
    );
    expect(fileURLToPath(loader)).toMatch(/[\\/]node_modules[\\/]tsx[\\/]/);
  });

  it('applies its language_version to Node', async () => {
    const { resolve } = await machine({ node: '20.19.0' });
    expect(await resolve({ language: 'typescript', languageVersion: '>=22' })).toEqual(
      unavailable('>=22', '20.19.0'),
    );
  });
});

describe('a program', () => {
  it('is started directly if it is executable, and otherwise reports how to make it executable', async () => {
    const { resolve, entry } = await machine({});
    await writeFile(entry, '');
    expect(await resolve({ language: 'exe' })).toEqual(unavailable('chmod', entry));
    await chmod(entry, 0o755);
    expect(await resolve({ language: 'exe' })).toEqual(command(entry, []));
  });
});

describe('a script for Windows', () => {
  it.each(['bat', 'autohotkey'] as const)('in %s is refused on other systems', async (language) => {
    const { resolve } = await machine({});
    expect(await resolve({ language })).toEqual(unavailable('Windows'));
  });

  it('in bat is started through cmd with arguments that come only from Hob', async () => {
    const { resolve, entry } = await machine({}, 'win32');
    const resolution = await resolve({ language: 'bat' });
    expect(resolution).toMatchObject({ kind: 'command', command: { file: 'cmd.exe', args: [entry] } });
    const { args, isVerbatim } = argumentsOf(Reflect.get(resolution, 'command'), 'C:\\a b\\params.json');
    // The outer quotes are for cmd, the inner ones for spaces.
    expect({ args, isVerbatim }).toEqual({
      args: ['/d', '/s', '/c', `""${entry}" "C:\\a b\\params.json""`],
      isVerbatim: true,
    });
  });

  it('in PowerShell ignores the execution policy', async () => {
    const { resolve, bin, entry } = await machine({ pwsh: '7.4.0' }, 'win32');
    expect(await resolve({ language: 'powershell' })).toEqual(
      command(join(bin, 'pwsh'), [
        '-NoProfile',
        '-NonInteractive',
        '-ExecutionPolicy',
        'Bypass',
        '-File',
        entry,
      ]),
    );
  });
});

describe('a page', () => {
  it.each([
    ['linux', 'xdg-open'],
    ['darwin', 'open'],
  ] as const)('is opened on %s with %s', async (platform, opener) => {
    const { resolve } = await machine({ [opener]: '1.0' }, platform);
    const resolution = await resolve({ language: 'html', entry: 'index 1.html' });
    expect(resolution).toMatchObject({
      kind: 'command',
      command: { args: [expect.stringMatching(/^file:\/\/\/.*%20script\/index%201\.html$/)] },
    });
    const none = await machine({}, platform);
    expect(await none.resolve({ language: 'html' })).toEqual(unavailable(opener));
  });

  it('is opened on Windows by the system', async () => {
    const { resolve } = await machine({}, 'win32');
    expect(await resolve({ language: 'html' })).toMatchObject({
      kind: 'command',
      command: { file: 'rundll32.exe' },
    });
  });
});

describe('a script with a built environment', () => {
  it('runs with the Python of that environment', async () => {
    const { resolveIn, entry } = await machine({});
    expect(await resolveIn({ language: 'python' }, '/environments/one/bin/python')).toMatchObject({
      kind: 'command',
      command: {
        file: '/environments/one/bin/python',
        args: [entry],
        warm: { language: 'python', options: [], entry },
      },
    });
  });
});
