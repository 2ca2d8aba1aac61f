import { realpath } from 'node:fs/promises';

import { hasDisplay } from '../shared/has-display.ts';
import type { Logger } from '../shared/log.ts';
import type { Text } from '../shared/text.ts';
import { findProgram } from './find-program.ts';
import { findLinuxTerminals, knownCommand } from './linux-terminals.ts';
import { findMacTerminal, macApp } from './mac-terminals.ts';
import type { Command, Desktop } from './terminal-command.ts';
import { findWindowsTerminals } from './windows-terminals.ts';

/** Ways to open a terminal window, best first: the arguments of what is to run in it are appended as they are. */
export type TerminalSearch =
  | { readonly kind: 'found'; readonly commands: readonly Command[] }
  | { readonly kind: 'none'; readonly reason: 'no-display' | 'no-emulator'; readonly message: Text };

interface TerminalSearchOptions extends Desktop {
  /** The setting of that name: the program and its arguments; empty where Hob is to find one. */
  readonly terminalCommand: readonly string[];
  readonly log: Pick<Logger, 'warn'>;
}

/** More would only make whoever waits for a window wait longer. */
const mostCommands = 3;

const noDisplay: Text = {
  en: 'there is no desktop session (neither DISPLAY nor WAYLAND_DISPLAY is set). To get windows, start Hob from a desktop session; see docs/desktop.md.',
  zh: '没有桌面（DISPLAY 和 WAYLAND_DISPLAY 均未设置）。如需窗口，请在桌面会话中启动 Hob，详见 docs/desktop.md。',
};
const noEmulator: Text = {
  en: 'no terminal emulator was found. Install one (Debian, Ubuntu: apt install xterm), or set terminal_command to the one you use.',
  zh: '没有找到终端程序。请安装一个（Debian、Ubuntu：apt install xterm），或在设置 terminal_command 中指定。',
};

/** How a terminal window can be opened on this machine. */
export async function findTerminals(options: TerminalSearchOptions): Promise<TerminalSearch> {
  if (usesDisplays(options.platform) && !hasDisplay(options.environment)) {
    return { kind: 'none', reason: 'no-display', message: noDisplay };
  }
  const commands = new Map<string, Command>();
  for await (const command of candidates(options)) {
    // One program often has several names, and what failed once is not worth a second try.
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

/** The setting as it stands; a program that is known needs no more than its name. */
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
