import { lstat, realpath } from 'node:fs/promises';
import { basename, isAbsolute, join } from 'node:path';
import { isExecutable, pathFolders } from '../shared/find-program.ts';
import { hasDisplay } from '../shared/has-display.ts';
import type { Logger } from '../shared/log.ts';
import type { Text } from '../shared/text.ts';

interface Machine {
  readonly platform: NodeJS.Platform;
  readonly environment: Readonly<Record<string, string>>;
}

/** An emulator and its arguments. The command to run in the window is appended unchanged. */
type Command = readonly string[];

interface Desktop extends Machine {
  /** The known words of the command: some emulators cannot pass on every character unchanged. */
  readonly inside: readonly string[];
}

/** The supported apps, by lower-case name, and how each opens a window with `commandLine`. */
const apps = {
  terminal: `tell application "Terminal"
activate
do script "exec" & commandLine
end tell`,
  iterm: `tell application "iTerm"
activate
create window with default profile command text 2 thru -1 of commandLine
end tell`,
} as const;

type App = keyof typeof apps;

/** Windows Terminal ends a command at this character, even within quotes. */
const separator = ';';

/** How to start a command in a terminal emulator. */
interface Emulator {
  readonly name: string;
  /**
   * Arguments between the emulator and the command. They must select the form that takes the remaining arguments unchanged:
   * many emulators also have one that takes a shell command line.
   */
  readonly before: readonly string[];
  /** The only display system it supports; absent: both. */
  readonly only?: 'x11' | 'wayland';
  /** A character that the emulator interprets anywhere in the command instead of passing it on. */
  readonly interprets?: string;
}

/** In the default order of preference. */
export const emulators: readonly Emulator[] = [
  // A tab would open in an existing window, and closing that window would end the run.
  { name: 'gnome-terminal', before: ['--window', '--'] },
  // konsole and qterminal, which share code, expand variables in the command.
  { name: 'konsole', before: ['-e'], interprets: '$' },
  { name: 'xfce4-terminal', before: ['-x'] },
  { name: 'mate-terminal', before: ['-x'] },
  { name: 'lxterminal', before: ['-e'] },
  { name: 'qterminal', before: ['-e'], interprets: '$' },
  { name: 'ptyxis', before: ['--new-window', '--'] },
  { name: 'kgx', before: ['--'] },
  // By default it passes the command to a running instance as a shell command line.
  { name: 'terminator', before: ['--no-dbus', '-x'] },
  { name: 'kitty', before: ['--'] },
  { name: 'alacritty', before: ['-e'] },
  { name: 'foot', before: ['--'], only: 'wayland' },
  { name: 'wezterm', before: ['start', '--'] },
  { name: 'ghostty', before: ['-e'] },
  { name: 'st', before: ['-e'], only: 'x11' },
  { name: 'urxvt', before: ['-e'], only: 'x11' },
  { name: 'rxvt', before: ['-e'], only: 'x11' },
  { name: 'xterm', before: ['-e'], only: 'x11' },
];

/**
 * Possible targets of x-terminal-emulator that do not pass a command on unchanged: they split it again, read it in another character
 * set, or need a server that is not running.
 */
const unsuitableEmulators: readonly string[] = ['tilix', 'sakura', 'koi8rxterm', 'footclient'];

/** The emulators of each desktop, by its name in XDG_CURRENT_DESKTOP. */
const emulatorsOfDesktops: Readonly<Record<string, readonly string[]>> = {
  gnome: ['gnome-terminal', 'kgx', 'ptyxis'],
  unity: ['gnome-terminal'],
  'x-cinnamon': ['gnome-terminal'],
  kde: ['konsole'],
  xfce: ['xfce4-terminal'],
  mate: ['mate-terminal'],
  lxde: ['lxterminal'],
  lxqt: ['qterminal'],
  sway: ['foot'],
};

/** Commands that open a terminal window, best first. The program to run in it and its arguments are appended. */
export type TerminalSearch =
  | { readonly kind: 'found'; readonly commands: readonly Command[] }
  | { readonly kind: 'none'; readonly reason: 'no-display' | 'no-emulator'; readonly message: Text };

interface TerminalSearchOptions extends Desktop {
  /** The setting `terminal_command`: program and arguments; empty to search for a terminal. */
  readonly terminalCommand: readonly string[];
  readonly log: Pick<Logger, 'warn'>;
}

/** More attempts would only delay the run. */
const mostCommands = 3;

const noDisplay: Text = {
  en: 'there is no desktop session (neither DISPLAY nor WAYLAND_DISPLAY is set). To get windows, start Hob from a desktop session; see docs/desktop.md.',
  zh: '没有桌面（DISPLAY 和 WAYLAND_DISPLAY 均未设置）。如需窗口，请在桌面会话中启动 Hob，详见 docs/desktop.md。',
};
const noEmulator: Text = {
  en: 'no terminal emulator was found. Install one (Debian, Ubuntu: apt install xterm), or set terminal_command to the one you use.',
  zh: '没有找到终端程序。请安装一个（Debian、Ubuntu：apt install xterm），或在设置 terminal_command 中指定。',
};

/** Finds ways to open a terminal window on this machine. */
export async function findTerminals(options: TerminalSearchOptions): Promise<TerminalSearch> {
  if (usesDisplays(options.platform) && !hasDisplay(options.environment)) {
    return { kind: 'none', reason: 'no-display', message: noDisplay };
  }
  const commands = new Map<string, Command>();
  for await (const command of candidates(options)) {
    // A program often has several names. Try each program only once.
    const [program = '', ...rest] = command;
    const identity = [await realpath(program).catch(() => program), ...rest].join('\0');
    if (!commands.has(identity)) commands.set(identity, command);
    if (commands.size === mostCommands) break;
  }
  if (commands.size === 0) return { kind: 'none', reason: 'no-emulator', message: noEmulator };
  return { kind: 'found', commands: [...commands.values()] };
}

async function* candidates(options: TerminalSearchOptions): AsyncGenerator<Command> {
  const { platform, terminalCommand, log } = options;
  if (terminalCommand.length > 0) {
    const chosen = await chosenCommand(options);
    if (chosen.length === 0) {
      const program = terminalCommand[0];
      log.warn({ program }, 'the program in terminal_command does not exist; trying other terminals');
    }
    yield* chosen;
  }
  if (platform === 'darwin') yield* await findMacTerminal('terminal', options);
  else if (platform === 'win32') yield* findWindowsTerminals(options);
  else yield* findLinuxTerminals(options);
}

/** The command from the setting. For a known program, the name alone is enough. */
async function chosenCommand(options: TerminalSearchOptions): Promise<readonly Command[]> {
  const [program = '', ...rest] = options.terminalCommand;
  const app = options.platform === 'darwin' && rest.length === 0 ? macApp(program) : null;
  if (app !== null) return findMacTerminal(app, options);
  if (rest.length === 0) {
    const known = await knownCommand(program, options);
    if (known.length > 0) return known;
  }
  const path = await findProgram(program, options);
  return path === null ? [] : [[path, ...rest]];
}

function usesDisplays(platform: NodeJS.Platform): boolean {
  return platform !== 'darwin' && platform !== 'win32';
}

/** The installed emulators, the preferred one first. */
async function* findLinuxTerminals(desktop: Desktop): AsyncGenerator<Command> {
  const { environment } = desktop;
  const chooser = await findProgram('xdg-terminal-exec', desktop);
  // Older versions do not support `--`, and the command never looks like an option.
  if (chooser !== null) yield [chooser];
  yield* await knownCommand(environment.TERMINAL ?? '', desktop);
  yield* await alternative(desktop);
  for (const { name } of orderEmulators(environment.XDG_CURRENT_DESKTOP ?? '')) {
    yield* await knownCommand(name, desktop);
  }
}

/** The command for an emulator, given by name or path; empty if it is unknown or not usable here. */
async function knownCommand(program: string, desktop: Desktop): Promise<Command[]> {
  const emulator = findEmulator(basename(program));
  if (emulator === undefined || !isOfUse(emulator, desktop)) return [];
  const path = await findProgram(program, desktop);
  return path === null ? [] : [[path, ...emulator.before]];
}

/** The x-terminal-emulator of Debian-based systems. It accepts `-e`, but some of its possible targets handle that badly. */
async function alternative(desktop: Desktop): Promise<Command[]> {
  const path = await findProgram('x-terminal-emulator', desktop);
  if (path === null) return [];
  const target = await realpath(path).catch(() => path);
  const name = basename(target).replace(/\.wrapper$/, '');
  if (unsuitableEmulators.includes(name)) return [];
  const emulator = findEmulator(name);
  if (emulator !== undefined && !isOfUse(emulator, desktop)) return [];
  return emulator?.name === basename(target) ? [[target, ...emulator.before]] : [[path, '-e']];
}

function isOfUse({ only, interprets }: Emulator, { environment, inside }: Desktop): boolean {
  if (interprets !== undefined && inside.some((word) => word.includes(interprets))) return false;
  if (only === 'x11') return isSet(environment.DISPLAY);
  if (only === 'wayland') return isSet(environment.WAYLAND_DISPLAY);
  return true;
}

function isSet(variable: string | undefined): boolean {
  return variable !== undefined && variable !== '';
}

export function findEmulator(name: string): Emulator | undefined {
  return emulators.find((emulator) => emulator.name === name);
}

/** All emulators, those of the desktop first. `desktops` has the form of XDG_CURRENT_DESKTOP, such as `ubuntu:GNOME`. */
function orderEmulators(desktops: string): readonly Emulator[] {
  const own = desktops
    .toLowerCase()
    .split(':')
    .flatMap((desktop) =>
      Object.hasOwn(emulatorsOfDesktops, desktop) ? (emulatorsOfDesktops[desktop] ?? []) : [],
    )
    .flatMap((name) => findEmulator(name) ?? []);
  return [...new Set([...own, ...emulators])];
}

/** Windows Terminal, then the built-in console. */
async function* findWindowsTerminals(desktop: Desktop): AsyncGenerator<Command> {
  const isSplit = desktop.inside.some((word) => word.includes(separator));
  const modern = isSplit ? null : await findProgram('wt', desktop);
  if (modern !== null) yield [modern, '-w', 'new', 'new-tab', '--'];
  const plain =
    (await findProgram('conhost', desktop)) ?? (await findProgram(systemConsole(desktop), desktop));
  if (plain !== null) yield [plain, '--'];
}

function systemConsole({ environment }: Desktop): string {
  const key = Object.keys(environment).find((variable) => variable.toUpperCase() === 'SYSTEMROOT');
  return join((key === undefined ? '' : environment[key]) || 'C:\\Windows', 'System32', 'conhost.exe');
}

function macApp(word: string): App | null {
  const name = word
    .toLowerCase()
    .replace(/\.app$/, '')
    .replace('iterm2', 'iterm');
  return name === 'terminal' || name === 'iterm' ? name : null;
}

/**
 * An AppleScript opens the window. The script is constant and gets the command as arguments. Both apps take a shell command line, so
 * AppleScript quotes each argument for the shell.
 */
async function findMacTerminal(app: App, machine: Machine): Promise<string[][]> {
  const program = await findProgram('osascript', machine);
  const script = `on run argv
set commandLine to ""
repeat with argument in argv
set commandLine to commandLine & " " & quoted form of (contents of argument)
end repeat
${apps[app]}
end run`;
  return program === null ? [] : [[program, '-e', script]];
}

/** Finds a program by its absolute path, or by its name in PATH. Null if it does not exist. */
async function findProgram(name: string, machine: Machine): Promise<string | null> {
  for (const path of possiblePaths(name, machine)) {
    if (await isProgram(path, machine.platform)) return path;
  }
  return null;
}

function possiblePaths(name: string, { platform, environment }: Machine): string[] {
  const names = platform === 'win32' && !/\.[a-z]+$/i.test(name) ? [`${name}.exe`] : [name];
  if (isAbsolute(name)) return names;
  // A relative path would mean a different program in every working directory.
  if (/[/\\]/.test(name)) return [];
  return pathFolders(environment).flatMap((folder) => names.map((file) => join(folder, file)));
}

async function isProgram(path: string, platform: NodeJS.Platform): Promise<boolean> {
  if (platform !== 'win32') return isExecutable(path);
  // Windows Terminal is an alias that can be started but not opened as a file.
  return (await lstat(path).catch(() => null))?.isDirectory() === false;
}
