import { realpath } from 'node:fs/promises';

import { hasDisplay } from '../shared/has-display.ts';
import type { Logger } from '../shared/log.ts';
import type { Text } from '../shared/text.ts';
import { findProgram } from './find-program.ts';
import { findLinuxTerminals, knownCommand } from './linux-terminals.ts';
import { findMacTerminal, macApp } from './mac-terminals.ts';
import type { Command, Desktop } from './terminal-command.ts';
import { findWindowsTerminals } from './windows-terminals.ts';

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
