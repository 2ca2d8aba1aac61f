import { existsSync } from 'node:fs';
import { chmod, lstat, mkdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { projectRoot, runCli, tempFolder } from '../support/hob.ts';

/** The user of a machine with some clients. */
async function scene(...folders: string[]) {
  const user = await tempFolder();
  for (const folder of folders) await mkdir(join(user, folder), { recursive: true });
  const env = { HOME: user, LANG: 'C.UTF-8', XDG_CONFIG_HOME: '', XDG_DATA_HOME: '', CLAUDE_CONFIG_DIR: '' };
  return {
    path: (file: string) => join(user, file),
    read: (file: string) => readFile(join(user, file), 'utf8'),
    async put(file: string, text: string) {
      await mkdir(dirname(join(user, file)), { recursive: true });
      await writeFile(join(user, file), text);
    },
    hob: (...args: string[]) => runCli(['mcp', ...args], env).ended,
    hobOf: (home: string, ...args: string[]) => runCli(['mcp', ...args], { ...env, HOB_HOME: home }).ended,
  };
}

const args = ['--v8-pool-size=1', '--max-semi-space-size=1', join(projectRoot, 'bin', 'hob.js'), 'mcp'];
const started = { command: process.execPath, args };
const notRunning = 'Hob is not running. To start it: hob start, or at every login: hob service install\n';
const inClaude = '.config/Claude/claude_desktop_config.json';
const inCode = '.config/Code/User/mcp.json';

describe.runIf(process.platform === 'linux')('hob mcp install', () => {
  it('writes what each client expects', async () => {
    const { hob, read, path } = await scene('.config/Code');
    const entries = {
      'claude-desktop': [inClaude, { mcpServers: { hob: started } }],
      'claude-code': ['.claude.json', { mcpServers: { hob: { type: 'stdio', ...started, env: {} } } }],
      vscode: [inCode, { servers: { hob: { type: 'stdio', ...started } } }],
      cursor: ['.cursor/mcp.json', { mcpServers: { hob: started } }],
    } as const;
    for (const [client, [file, content]] of Object.entries(entries)) {
      expect(await hob('install', '--client', client)).toMatchObject({
        code: 0,
        stdout: expect.stringMatching(
          `^Added Hob to ${path(file)}\nRestart .* if it is open\\.\n${notRunning}$`,
        ),
        stderr: '',
      });
      expect(JSON.parse(await read(file))).toEqual(content);
      expect((await stat(path(file))).mode & 0o777).toBe(0o600);
    }
    expect((await stat(path('.cursor'))).mode & 0o777).toBe(0o700);
    const again = await hob('install', '--client', 'vscode');
    expect(again).toMatchObject({
      code: 0,
      stdout: `VS Code is already set up: ${path(inCode)}\n${notRunning}`,
    });
  });

  it('keeps other entries, comments, unknown keys and the mode of the file', async () => {
    const { hob, put, read, path } = await scene();
    const before =
      '// Mine\n{\n\t"inputs": [],\n\t"servers": {\n\t\t"a": { "command": "x" } // first\n\t}\n}\n';
    await put(inCode, before);
    await chmod(path(inCode), 0o644);
    await hob('install', '--client', 'vscode');
    const text = await read(inCode);
    expect(text).toMatch(
      /^\/\/ Mine\n\{\n\t"inputs": \[\],\n\t"servers": \{\n\t\t"a": \{ "command": "x" \}, \/\/ first\n\t\t"hob": \{/,
    );
    expect((await stat(path(inCode))).mode & 0o777).toBe(0o644);
    expect(await hob('remove', '--client', 'vscode')).toMatchObject({ code: 0 });
    expect(await read(inCode)).toBe(before);
    expect(await hob('remove', '--client', 'vscode')).toMatchObject({
      code: 0,
      stdout: `${path(inCode)} has no entry for Hob.\n`,
    });
  });

  it('updates its own entry, and keeps what the user added to it', async () => {
    const { hob, put, read } = await scene('.cursor');
    const old = { command: '/old/node', args: [args[2], 'mcp'], env: { LANG: 'zh' }, disabled: false };
    await put('.cursor/mcp.json', JSON.stringify({ mcpServers: { hob: old } }));
    expect((await hob('status')).stdout).toMatch(/cursor +outdated/);
    expect(await hob('install', '--client', 'cursor')).toMatchObject({ code: 0 });
    expect(JSON.parse(await read('.cursor/mcp.json'))).toEqual({
      mcpServers: { hob: { ...old, ...started } },
    });
    expect((await hob('status')).stdout).toMatch(/cursor +installed/);
  });

  it('replaces and removes an entry that starts something else only with --force', async () => {
    const { hob, hobOf, put, read, path } = await scene();
    const text = '{ "mcpServers": { "hob": { "command": "other" } } }';
    await put(inClaude, text);
    for (const command of ['install', 'remove'])
      expect(await hob(command, '--client', 'claude-desktop')).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('starts something else'),
      });
    expect(await read(inClaude)).toBe(text);
    expect((await hob('status')).stdout).toMatch(/claude-desktop +starts something else/);
    const home = path('hob');
    expect(await hobOf(home, 'install', '--client', 'claude-desktop', '--force')).toMatchObject({ code: 0 });
    expect(JSON.parse(await read(inClaude))).toEqual({
      mcpServers: { hob: { ...started, env: { HOB_HOME: home } } },
    });
    expect(await hob('remove', '--client', 'claude-desktop')).toMatchObject({ code: 1 });
    expect(await hobOf(home, 'remove', '--client', 'claude-desktop')).toMatchObject({ code: 0 });
    expect(JSON.parse(await read(inClaude))).toEqual({ mcpServers: {} });
  });

  it('leaves a broken file and a broken link as they are, and follows a link', async () => {
    const { hob, put, read, path } = await scene();
    await put('.claude.json', '{\n  "a": 1,\n  "mcpServers": {\n');
    expect(await hob('install', '--client', 'claude-code')).toMatchObject({
      code: 1,
      stderr: `hob: ${path('.claude.json')} was not changed: it is not valid JSON (line 4, column 1). Correct the file, then try again.\n`,
    });
    expect(await read('.claude.json')).toBe('{\n  "a": 1,\n  "mcpServers": {\n');
    expect((await hob('status')).stdout).toMatch(/claude-code +file not readable/);

    await put('dotfiles/cursor.json', '{}');
    await mkdir(path('.cursor'));
    await symlink('../dotfiles/cursor.json', path('.cursor/mcp.json'));
    expect(await hob('install', '--client', 'cursor')).toMatchObject({ code: 0 });
    expect((await lstat(path('.cursor/mcp.json'))).isSymbolicLink()).toBe(true);
    expect(JSON.parse(await read('dotfiles/cursor.json'))).toEqual({ mcpServers: { hob: started } });

    await mkdir(dirname(path(inClaude)), { recursive: true });
    await symlink('missing.json', path(inClaude));
    expect(await hob('install', '--client', 'claude-desktop')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('a link to a file that does not exist'),
    });
  });

  it('prints the entry and changes nothing with --print', async () => {
    const { hob, path } = await scene();
    const { code, stdout } = await hob('install', '--client', 'vscode', '--print');
    const [place, ...lines] = stdout.split('\n');
    expect([code, place]).toEqual([0, `Would add to ${path(inCode)}:`]);
    expect(JSON.parse(lines.join('\n'))).toEqual({ servers: { hob: { type: 'stdio', ...started } } });
    expect(existsSync(path('.config'))).toBe(false);
  });

  it('names the clients that it finds', async () => {
    const { hob, path } = await scene('.config/Code', '.claude');
    const unnamed = await hob('install');
    expect(unnamed).toMatchObject({ code: 2, stdout: '' });
    expect(unnamed.stderr).toContain(
      '  --client claude-desktop\n  --client claude-code (found on this machine)\n',
    );
    expect(await hob('install', '--client', 'emacs')).toMatchObject({ code: 2 });
    const { stdout } = await hob('status', '--json');
    expect(JSON.parse(stdout)).toEqual({
      clients: [
        {
          client: 'claude-code',
          title: 'Claude Code',
          file: path('.claude.json'),
          state: 'missing',
          problem: null,
        },
        { client: 'vscode', title: 'VS Code', file: path(inCode), state: 'missing', problem: null },
      ],
    });
    const none = await scene();
    expect((await none.hob('status')).stdout).toContain('No client was found.');
  });
});
