import { execFileSync, spawn } from 'node:child_process';
import { on, once } from 'node:events';
import { chmod, readFile, symlink, writeFile } from 'node:fs/promises';
import { createServer, type Socket } from 'node:net';
import { basename, delimiter, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { emulators, findEmulator, findTerminals } from '../../src/terminals/find-terminals.ts';
import { type Desk, deskPrograms, launchDesk } from '../support/desk.ts';
import { tempFolder } from '../support/hob.ts';
import { findProgram, has, testPath } from '../support/needs.ts';
import { fileThere } from '../support/until.ts';

const witness = fileURLToPath(new URL('../support/window-witness.mjs', import.meta.url));

/** Words that a shell, an emulator or a careless script would split or expand. */
const words = [
  'two  words',
  '"double" \'single\'',
  '$(exit 3) $HOME',
  '`exit 3`',
  'first\nsecond',
  '中文 😀',
  'back\\slash\\\\',
  '',
  '--hold',
  '-e',
  '; & | > <',
  '%s %u %%',
  '*',
  'tab\there',
];

/** The arguments and environment that a program in a window reports. */
interface Report {
  readonly words: readonly string[];
  readonly ttys: readonly boolean[];
  readonly term: string;
}

/** The command of the first emulator on this PATH. */
async function firstCommand(
  environment: Readonly<Record<string, string>>,
  options: { terminalCommand?: readonly string[]; platform?: NodeJS.Platform } = {},
): Promise<readonly string[]> {
  const search = await findTerminals({
    platform: 'linux',
    terminalCommand: [],
    inside: [],
    log: { warn: () => {} },
    environment,
    ...options,
  });
  return (search.kind === 'found' && search.commands[0]) || [];
}

const isHere = (name: string) => findProgram(name) !== null;
const needed = [...deskPrograms, 'xterm', 'xfce4-terminal'];
const installed = emulators.map(({ name }) => name).filter(isHere);

describe.skipIf(!needed.every((name) => has(name, isHere(name))))('a command for a terminal window', () => {
  let desk: Desk;
  beforeAll(async () => {
    desk = await launchDesk();
  });
  afterAll(() => desk.stop());

  /** Opens windows one after the other, all open at once, and returns the report of each. */
  async function openWindows(command: readonly string[], count: number, appended = words): Promise<Report[]> {
    const socket = join(await tempFolder(), 'socket');
    const { next, close } = await acceptReports(socket);
    onTestFinished(close);
    const [program = '', ...args] = command;
    const heard: Report[] = [];
    for (let at = 0; at < count; at++) {
      const child = spawn(program, [...args, process.execPath, witness, socket, ...appended], {
        env: { PATH: testPath, ...desk.env },
        stdio: 'ignore',
        detached: true,
      });
      child.on('error', () => {});
      heard.push(await next());
    }
    return heard;
  }

  it.each(installed.filter((name) => findEmulator(name)?.only !== 'wayland'))(
    'arrives unchanged in %s, also if that is already running',
    async (name) => {
      const command = await firstCommand({ PATH: testPath, ...desk.env }, { terminalCommand: [name] });
      expect(basename(command[0] ?? '')).toBe(name);
      const fit = wordsFor(name);
      for (const testimony of await openWindows(command, 2, fit)) {
        expect(testimony.words).toEqual(fit);
        expect(testimony.ttys).toEqual([true, true, true]);
        expect(testimony.term).toMatch(/./);
      }
    },
  );

  it.each(alternatives())(
    'arrives unchanged if x-terminal-emulator is %s, or is not passed to it',
    async (target) => {
      const folder = await tempFolder();
      await symlink(target, join(folder, 'x-terminal-emulator'));
      const command = await firstCommand({ ...desk.env, PATH: folder });
      if (command.length === 0) {
        expect(basename(target)).toMatch(/^(?:tilix\.wrapper|sakura|koi8rxterm|foot|footclient)$/);
        return;
      }
      const fit = wordsFor(basename(target));
      for (const testimony of await openWindows(command, 2, fit)) expect(testimony.words).toEqual(fit);
    },
  );
});

describe('a command for a terminal window, passed to a program that only records it', () => {
  /** A folder with a program that writes its arguments into a file, each followed by a NUL. */
  async function pretend(name: string): Promise<{ folder: string; noted: () => Promise<string[]> }> {
    const folder = await tempFolder();
    const file = join(folder, 'noted');
    await writeFile(
      join(folder, name),
      `#!/bin/sh\nprintf '%s\\0' "$@" > '${file}.new'\nmv '${file}.new' '${file}'\n`,
    );
    await chmod(join(folder, name), 0o755);
    return {
      folder,
      async noted() {
        await fileThere(file);
        return (await readFile(file, 'utf8')).split('\0').slice(0, -1);
      },
    };
  }

  it.each([
    { name: 'osascript', platform: 'darwin', before: ['-e', expect.stringMatching(/^on run argv\n/)] },
    { name: 'wt.exe', platform: 'win32', before: ['-w', 'new', 'new-tab', '--'] },
    { name: 'conhost.exe', platform: 'win32', before: ['--'] },
    { name: 'xdg-terminal-exec', platform: 'linux', before: [] },
  ] as const)('arrives as data at $name', async ({ name, platform, before }) => {
    const { folder, noted } = await pretend(name);
    const [program = '', ...args] = await firstCommand({ PATH: folder, DISPLAY: ':9' }, { platform });
    expect(basename(program)).toBe(name);
    spawn(program, [...args, '/usr/bin/node', ...words], {
      env: { PATH: [folder, testPath].join(delimiter) },
      stdio: 'ignore',
    });
    expect(await noted()).toEqual([...before, '/usr/bin/node', ...words]);
  });

  it('is not part of the script for macOS, which never changes', async () => {
    const { folder } = await pretend('osascript');
    const script = (await firstCommand({ PATH: folder }, { platform: 'darwin' }))[2];
    expect(script).toBe((await firstCommand({ PATH: folder, HOME: '/"$(x)' }, { platform: 'darwin' }))[2]);
    expect(script).toContain('quoted form of (contents of argument)');
  });
});

/** The words that an emulator passes on correctly. */
function wordsFor(name: string): string[] {
  const interpreted = findEmulator(name)?.interprets;
  return words.filter((word) => interpreted === undefined || !word.includes(interpreted));
}

/** The programs that x-terminal-emulator may point to on this machine. */
function alternatives(): string[] {
  if (!isHere('update-alternatives')) return [];
  try {
    const listed = execFileSync('update-alternatives', ['--list', 'x-terminal-emulator'], { stdio: 'pipe' });
    return String(listed).trim().split('\n');
  } catch {
    // None is installed.
    return [];
  }
}

/** Accepts connections of programs in windows, which stay open until it is closed. */
async function acceptReports(socket: string): Promise<{ next: () => Promise<Report>; close: () => void }> {
  const connections: Socket[] = [];
  const server = createServer((connection) => connections.push(connection));
  const arrivals = on(server, 'connection');
  await once(server.listen(socket), 'listening');
  return {
    async next() {
      const arrival = await arrivals.next();
      const connection: Socket = arrival.value[0];
      connection.on('error', () => {});
      for await (const line of createInterface(connection)) return JSON.parse(line);
      throw new Error('the window closed before it reported');
    },
    close() {
      server.close();
      for (const connection of connections) connection.destroy();
    },
  };
}
