import { chmod, mkdir, symlink, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';

import { describe, expect, it, vi } from 'vitest';

import { tempFolder } from '../../test/support/hob.ts';
import { emulators, findTerminals } from './find-terminals.ts';

const x11 = { DISPLAY: ':9' };
const wayland = { WAYLAND_DISPLAY: 'wayland-9' };

interface Case {
  /** Programs on PATH. */
  programs?: readonly string[];
  /** Links on PATH and their targets. */
  links?: Readonly<Record<string, string>>;
  environment?: Readonly<Record<string, string>>;
  platform?: NodeJS.Platform;
  terminalCommand?: readonly string[];
  inside?: readonly string[];
}

/** Searches a PATH that contains only these programs. Returns them without their folder. */
async function look({ programs = [], links = {}, environment = x11, platform = 'linux', ...rest }: Case) {
  const folder = await tempFolder();
  for (const name of programs) {
    await writeFile(join(folder, name), '');
    await chmod(join(folder, name), 0o755);
  }
  for (const [name, target] of Object.entries(links)) await symlink(join(folder, target), join(folder, name));
  const warn = vi.fn();
  const search = await findTerminals({
    platform,
    environment: { PATH: ['relative', folder].join(delimiter), ...environment },
    terminalCommand: [],
    inside: [],
    log: { warn },
    ...rest,
  });
  const bare = (word: string) => (word.startsWith(folder) ? word.slice(folder.length + 1) : word);
  const commands = search.kind === 'found' ? search.commands.map((command) => command.map(bare)) : [];
  return { search, commands, lines: commands.map((command) => command.join(' ')), warn, folder };
}

describe('a terminal emulator on Linux', () => {
  it('is not searched for without a display, even if the setting names one', async () => {
    const programs = ['xterm', 'kitty'];
    for (const environment of [{}, { DISPLAY: '', WAYLAND_DISPLAY: '' }]) {
      const { search, warn } = await look({ programs, environment, terminalCommand: ['gone'] });
      expect(search).toMatchObject({ kind: 'none', reason: 'no-display' });
      expect(search).toHaveProperty('message.en', expect.stringContaining('WAYLAND_DISPLAY'));
      expect(warn).not.toHaveBeenCalled();
    }
  });

  it('may be missing; the message says what to do', async () => {
    const { search } = await look({ programs: ['bash', 'tilix'] });
    expect(search).toMatchObject({ kind: 'none', reason: 'no-emulator' });
    expect(search).toHaveProperty('message.en', expect.stringContaining('terminal_command'));
    expect(search).toHaveProperty('message.zh', expect.stringContaining('terminal_command'));
  });

  it('comes from the setting, then from the user, the system and the desktop', async () => {
    const everything = {
      programs: ['xdg-terminal-exec', 'kitty', 'other', 'konsole', 'gnome-terminal', 'mine'],
      links: { 'x-terminal-emulator': 'other' },
      environment: { ...x11, TERMINAL: 'kitty', XDG_CURRENT_DESKTOP: 'KDE' },
    };
    const order = [
      'xdg-terminal-exec',
      'kitty --',
      'x-terminal-emulator -e',
      'konsole -e',
      'gnome-terminal --window --',
    ];
    expect((await look({ ...everything, terminalCommand: ['mine', '-run'] })).lines).toEqual([
      'mine -run',
      ...order.slice(0, 2),
    ]);
    for (let left = 0; left < order.length; left++) {
      const gone = order.slice(0, left).map((line) => line.split(' ')[0]);
      const programs = everything.programs.filter((name) => !gone.includes(name) && name !== 'mine');
      const links = gone.includes('x-terminal-emulator') ? {} : everything.links;
      const { lines } = await look({ ...everything, programs, links });
      expect(lines).toEqual(order.slice(left, left + 3));
    }
  });

  it.each(emulators)('can be $name, with the arguments it needs', async ({ name, before, only }) => {
    const environment = only === 'wayland' ? wayland : x11;
    expect((await look({ programs: [name], environment })).commands).toEqual([[name, ...before]]);
    // In the setting, the name alone is enough; with arguments, the setting is used unchanged.
    const both = { programs: [name, 'xdg-terminal-exec'], environment };
    expect((await look({ ...both, terminalCommand: [name] })).commands[0]).toEqual([name, ...before]);
    expect((await look({ ...both, terminalCommand: [name, '--odd', 'a b'] })).commands[0]).toEqual([
      name,
      '--odd',
      'a b',
    ]);
  });

  it.each([
    ['ubuntu:GNOME', 'kgx --'],
    ['KDE', 'konsole -e'],
    ['XFCE', 'xfce4-terminal -x'],
    ['MATE', 'mate-terminal -x'],
    ['LXDE', 'lxterminal -e'],
    ['LXQt', 'qterminal -e'],
    ['constructor:nothing', 'konsole -e'],
    ['', 'konsole -e'],
  ])('is preferably the one of the desktop %s', async (desktop, first) => {
    const { lines } = await look({
      programs: ['kgx', 'konsole', 'xfce4-terminal', 'mate-terminal', 'lxterminal', 'qterminal'],
      environment: { ...x11, XDG_CURRENT_DESKTOP: desktop },
    });
    expect(lines[0]).toBe(first);
  });

  it('supports the display system in use', async () => {
    const programs = ['foot', 'st', 'xterm'];
    expect((await look({ programs })).lines).toEqual(['st -e', 'xterm -e']);
    expect((await look({ programs, environment: wayland })).lines).toEqual(['foot --']);
    expect((await look({ programs, environment: { ...x11, ...wayland } })).lines[0]).toBe('foot --');
    const chosen = { links: { 'x-terminal-emulator': 'foot' }, environment: { ...x11, TERMINAL: 'foot' } };
    expect((await look({ programs, ...chosen })).lines).toEqual(['st -e', 'xterm -e']);
  });

  it('passes the command on unchanged', async () => {
    const programs = ['konsole', 'qterminal', 'xterm'];
    const choices = {
      links: { 'x-terminal-emulator': 'konsole' },
      environment: { ...x11, TERMINAL: 'konsole' },
    };
    expect((await look({ programs, ...choices, inside: ['/a$b'] })).lines).toEqual(['xterm -e']);
    expect((await look({ programs, ...choices, inside: ['/a b'] })).lines).toEqual([
      'konsole -e',
      'qterminal -e',
      'xterm -e',
    ]);
  });

  it('behind x-terminal-emulator gets its own arguments, and is skipped if it splits commands', async () => {
    const behind = async (target: string) =>
      (await look({ programs: [target], links: { 'x-terminal-emulator': target } })).lines;
    expect(await behind('terminator')).toEqual(['terminator --no-dbus -x']);
    expect(await behind('gnome-terminal.wrapper')).toEqual(['x-terminal-emulator -e']);
    expect(await behind('uxterm')).toEqual(['x-terminal-emulator -e']);
    for (const unfit of ['tilix.wrapper', 'sakura', 'koi8rxterm', 'footclient']) {
      expect(await behind(unfit)).toEqual([]);
    }
  });

  it('in TERMINAL may be a path, and is skipped if it is unknown', async () => {
    const programs = ['kitty', 'tilix', 'xterm'];
    const elsewhere = join(await tempFolder(), 'xterm');
    await writeFile(elsewhere, '');
    await chmod(elsewhere, 0o755);
    const first = async (TERMINAL: string) =>
      (await look({ programs, environment: { ...x11, TERMINAL } })).lines[0];
    expect(await first('xterm')).toBe('xterm -e');
    expect(await first(elsewhere)).toBe(`${elsewhere} -e`);
    expect(await first('tilix')).toBe('kitty --');
    expect(await first('/no/such/xterm')).toBe('kitty --');
  });

  it('is tried once, even if it has several names', async () => {
    const { lines } = await look({
      programs: ['urxvt', 'xterm'],
      links: { rxvt: 'urxvt', 'x-terminal-emulator': 'xterm' },
      environment: { ...x11, TERMINAL: 'xterm' },
    });
    expect(lines).toEqual(['xterm -e', 'urxvt -e']);
  });

  it('must be an executable file in an absolute folder of PATH', async () => {
    const { folder } = await look({});
    await mkdir(join(folder, 'xterm'));
    await writeFile(join(folder, 'konsole'), '');
    const options = { platform: 'linux', terminalCommand: [], inside: [], log: { warn: vi.fn() } } as const;
    const search = await findTerminals({ ...options, environment: { ...x11, PATH: folder } });
    expect(search).toMatchObject({ kind: 'none', reason: 'no-emulator' });
    expect(await findTerminals({ ...options, environment: x11 })).toMatchObject({ reason: 'no-emulator' });
  });

  it.each(['no-such-terminal', '/no/such/terminal', './xterm', '~/bin/xterm'])(
    'in the setting as %s that does not exist is reported, and another one is used',
    async (program) => {
      const { lines, warn } = await look({ programs: ['xterm'], terminalCommand: [program, '-e'] });
      expect(lines).toEqual(['xterm -e']);
      expect(warn).toHaveBeenCalledExactlyOnceWith(
        { program },
        'the program in terminal_command does not exist; trying other terminals',
      );
    },
  );
});

describe('a terminal on macOS', () => {
  const platform = 'darwin';
  const programs = ['osascript', 'kitty'];

  it('is Terminal, opened by a constant script that quotes its arguments', async () => {
    const { commands } = await look({ platform, programs, environment: {} });
    expect(commands).toEqual([
      ['osascript', '-e', expect.stringMatching(/^on run argv\n.*quoted form of.*"Terminal"/s)],
    ]);
  });

  it('can be set to iTerm or any program', async () => {
    const first = async (...terminalCommand: string[]) =>
      (await look({ platform, programs, environment: {}, terminalCommand })).commands[0];
    expect((await first('iTerm'))?.[2]).toContain('tell application "iTerm"');
    expect((await first('iTerm2.app'))?.[2]).toContain('tell application "iTerm"');
    expect((await first('Terminal'))?.[2]).toContain('tell application "Terminal"');
    expect(await first('kitty')).toEqual(['kitty', '--']);
  });

  it('may be missing', async () => {
    expect((await look({ platform, environment: {} })).search).toMatchObject({ reason: 'no-emulator' });
  });
});

describe('a terminal on Windows', () => {
  const platform = 'win32';

  it('is a new window of Windows Terminal, or the console', async () => {
    const both = {
      platform,
      programs: ['wt.exe', 'conhost.exe'],
      environment: {},
      inside: ['C:\\node.exe'],
    } as const;
    expect((await look(both)).lines).toEqual(['wt.exe -w new new-tab --', 'conhost.exe --']);
    expect((await look({ ...both, programs: ['conhost.exe'] })).lines).toEqual(['conhost.exe --']);
    expect((await look({ ...both, programs: [] })).search).toMatchObject({ reason: 'no-emulator' });
  });

  it('is the console if Windows Terminal would split the command at a semicolon', async () => {
    const programs = ['wt.exe', 'conhost.exe'];
    const { lines } = await look({ platform, programs, environment: {}, inside: ['C:\\a;b\\node.exe'] });
    expect(lines).toEqual(['conhost.exe --']);
  });

  it('can be set to any program', async () => {
    const programs = ['wt.exe', 'alacritty.exe'];
    const { commands } = await look({
      platform,
      programs,
      environment: {},
      terminalCommand: ['alacritty', '-e'],
    });
    expect(commands[0]).toEqual(['alacritty.exe', '-e']);
  });
});
