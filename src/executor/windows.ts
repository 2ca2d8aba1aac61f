import { randomBytes } from 'node:crypto';
import type { Socket } from 'node:net';
import { basename } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

import type { TerminalSize, WindowSpec } from '../execution/messages.ts';
import type { FromWindow } from '../execution/window-messages.ts';
import { errnoOf } from '../shared/errors.ts';
import type { Text } from '../shared/text.ts';
import type { NativeProcesses, ProcessExit, Program } from './native/processes.ts';
import { startThroughNode } from './start-through-node.ts';
import { Window } from './window.ts';

/**
 * How long an emulator may take until the program in its window connects: some start a number of desktop servers first.
 */
const usuallyOpensWithinMs = 10_000;
/**
 * An emulator that failed may have opened its window nevertheless; the program in it would connect within this time.
 */
const failedGraceMs = 250;

const reasons = {
  none: { en: 'no terminal emulator found', zh: '没有终端程序' },
  stopped: { en: 'the run was stopped', zh: '运行已被终止' },
  unpaged: { en: 'this machine provides no pseudo-terminal', zh: '此系统无法提供伪终端' },
} as const satisfies Record<string, Text>;

export interface Opening {
  readonly window: Window | null;
  /** Why there is no window although one was requested. */
  readonly windowless: Text | null;
}

interface WindowsOptions {
  /** The program to run in a window, without its arguments. */
  program: readonly string[];
  /** The program to run instead of a window if a page shows the terminal, without its arguments. */
  pageProgram: readonly string[];
  /** Null where programs can only be started through Node. */
  processes: NativeProcesses | null;
  /** The socket that windows connect to. */
  socketPath: string;
  opensWithinMs?: number;
}

/** Opens windows, and identifies each by its ticket when the program in it connects. */
export class Windows {
  readonly #options: WindowsOptions;
  readonly #expected = new Map<string, (window: Window) => void>();
  readonly #open = new Map<Socket, Window>();

  constructor(options: WindowsOptions) {
    this.#options = options;
  }

  /** Never rejects. A window that opens after `stopped`, or too late, is closed. */
  async open(spec: WindowSpec, stopped: Promise<void>): Promise<Opening> {
    if (spec.page !== undefined) return this.#openForPage(spec, spec.page, stopped);
    let windowless: Text | null = reasons.none;
    for (const command of spec.commands) {
      const opening = await this.#try([...command, ...this.#options.program], spec, stopped);
      if (opening.window !== null) return opening;
      ({ windowless } = opening);
      if (opening.isFinal) break;
    }
    return { window: null, windowless };
  }

  /** Handles a message from a window, on a known connection or on a new one. */
  receive(socket: Socket, message: FromWindow): void {
    const window = this.#open.get(socket);
    if (window !== undefined) {
      window.receive(message);
      return;
    }
    const admit = message.type === 'window' ? this.#expected.get(message.ticket) : undefined;
    if (message.type !== 'window' || admit === undefined) {
      socket.destroy();
      return;
    }
    const opened = new Window(socket, message);
    this.#open.set(socket, opened);
    socket.once('close', () => this.#open.delete(socket));
    admit(opened);
  }

  async #openForPage(
    spec: WindowSpec,
    { columns, rows }: TerminalSize,
    stopped: Promise<void>,
  ): Promise<Opening> {
    const command = [...this.#options.pageProgram, String(columns), String(rows)];
    const { window, windowless } = await this.#try(command, spec, stopped);
    // The user did not choose this program, so its name would not help.
    const isStopped = windowless === reasons.stopped;
    return { window, windowless: window === null && !isStopped ? reasons.unpaged : windowless };
  }

  /** Starts a program that opens a window; the socket path and the ticket are appended to its arguments. */
  async #try(
    command: readonly string[],
    spec: WindowSpec,
    stopped: Promise<void>,
  ): Promise<Opening & { isFinal: boolean }> {
    const ticket = randomBytes(16).toString('hex');
    const called = new Promise<Window>((resolve) => this.#expected.set(ticket, resolve));
    const { socketPath, processes, opensWithinMs = usuallyOpensWithinMs } = this.#options;
    const terminal = launchTerminal([...command, socketPath, ticket], spec.env, processes);
    const over = new AbortController();
    let isDismissed = false;
    const pause = async (ms: number) => {
      await wait(ms, undefined, { signal: over.signal }).catch(() => {});
    };
    try {
      const first = await Promise.race([
        called,
        terminal.failed.then(async (reason) => {
          await pause(failedGraceMs);
          return { reason, isFinal: false };
        }),
        pause(opensWithinMs).then(() => ({ reason: late(command, opensWithinMs), isFinal: true })),
        stopped.then(() => ({ reason: reasons.stopped, isFinal: true })),
      ]);
      if (first instanceof Window) {
        first.welcome(spec);
        return { window: first, windowless: null, isFinal: true };
      }
      isDismissed = first.reason === reasons.stopped;
      if (isDismissed) this.#dismissLater(ticket, terminal);
      else terminal.end();
      return { window: null, windowless: first.reason, isFinal: first.isFinal };
    } finally {
      over.abort();
      if (!isDismissed) this.#expected.delete(ticket);
    }
  }

  /**
   * Closes a window that is about to open and is not needed any more. Its emulator may show windows of other runs, too,
   * so it is ended only if it hangs.
   */
  #dismissLater(ticket: string, terminal: LaunchedTerminal): void {
    const { opensWithinMs = usuallyOpensWithinMs } = this.#options;
    const hangs = setTimeout(() => {
      this.#expected.delete(ticket);
      terminal.end();
    }, opensWithinMs).unref();
    this.#expected.set(ticket, (window) => {
      clearTimeout(hangs);
      this.#expected.delete(ticket);
      window.dismiss();
    });
  }
}

function late([file = '']: readonly string[], ms: number): Text {
  const [name, seconds] = [basename(file), ms / 1000];
  return { en: `${name} opened no window within ${seconds} s`, zh: `${name} 在 ${seconds} 秒内没有打开窗口` };
}

interface LaunchedTerminal {
  /**
   * Resolves with the reason if the emulator could not be started or exits with an error. Success means nothing: some
   * emulators pass the window to a server process and exit.
   */
  readonly failed: Promise<Text>;
  /** Ends an emulator whose window did not open. */
  end(): void;
}

/**
 * Starts a terminal emulator with a command to run in its window. The emulator outlives this process, like any program
 * of its user.
 */
function launchTerminal(
  command: readonly string[],
  env: Readonly<Record<string, string>>,
  processes: NativeProcesses | null,
): LaunchedTerminal {
  const [file = '', ...args] = command;
  const name = basename(file);
  let end = (): void => {};
  const failed = new Promise<Text>((resolve) => {
    try {
      const { pid, exited } = start({ file, args, env, cwd: process.cwd() }, processes);
      end = () => pid !== undefined && signalIfAlive(pid);
      void exited.then(({ code, signal, error }) => {
        end = () => {};
        if (error !== null) resolve(notStarted(name, `spawn ${file} ${error}`));
        else if (code !== 0) resolve(endedBadly(name, code, signal));
      });
    } catch (error) {
      resolve(notStarted(name, `spawn ${file} ${errnoOf(error) ?? String(error)}`));
    }
  });
  return { failed, end: () => end() };
}

function signalIfAlive(pid: number): void {
  try {
    process.kill(pid, 'SIGTERM');
  } catch {
    // It has ended, and its exit is reported soon.
  }
}

function start(
  program: Program,
  processes: NativeProcesses | null,
): { pid?: number | undefined; exited: Promise<ProcessExit> } {
  if (processes !== null) return processes.start(program, [null, null, null]);
  const { child, exited } = startThroughNode(program, 'ignore');
  return { pid: child.pid, exited };
}

function notStarted(name: string, why: string): Text {
  return { en: `${name} could not be started (${why})`, zh: `${name} 无法启动（${why}）` };
}

function endedBadly(name: string, code: number | null, signal: string | null): Text {
  if (signal !== null)
    return { en: `${name} was terminated by ${signal}`, zh: `${name} 被信号 ${signal} 终止` };
  return { en: `${name} exited with code ${code}`, zh: `${name} 退出，退出码 ${code}` };
}
