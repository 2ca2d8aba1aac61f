import { randomBytes } from 'node:crypto';
import type { Socket } from 'node:net';
import { basename } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

import type { TerminalSize, WindowSpec } from '../execution/messages.ts';
import type { FromWindow } from '../execution/window-messages.ts';
import type { Text } from '../shared/text.ts';
import { type LaunchedTerminal, launchTerminal } from './launch-terminal.ts';
import { Window } from './window.ts';

/** How long an emulator may take until the program in its window calls us: some start a desktop's worth of servers first. */
const usuallyOpensWithinMs = 10_000;
/** An emulator that failed may have opened its window all the same; its program would call about now. */
const failedGraceMs = 250;

const reasons = {
  none: { en: 'no terminal emulator found', zh: '没有终端程序' },
  stopped: { en: 'the run was stopped', zh: '运行已被终止' },
  unpaged: { en: 'this machine provides no pseudo-terminal', zh: '此系统无法提供伪终端' },
} as const satisfies Record<string, Text>;

export interface Opening {
  readonly window: Window | null;
  /** Why there is none, where one was asked for. */
  readonly windowless: Text | null;
}

interface WindowsOptions {
  /** What is to run in a window, without its arguments. */
  program: readonly string[];
  /** What is to run in the place of a window where a page shows the terminal, without its arguments. */
  pageProgram: readonly string[];
  /** Where windows call us. */
  socketPath: string;
  opensWithinMs?: number;
}

/** Opens windows, and knows each again by its ticket when the program in it calls. */
export class Windows {
  readonly #options: WindowsOptions;
  readonly #expected = new Map<string, (window: Window) => void>();
  readonly #open = new Map<Socket, Window>();

  constructor(options: WindowsOptions) {
    this.#options = options;
  }

  /** Never rejects. One that comes after `stopped`, or too late, is sent away. */
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

  /** Takes what came from a window, by this connection or for the first time. */
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
    // Whoever reads it has no use for the name of a program that they did not choose.
    const isStopped = windowless === reasons.stopped;
    return { window, windowless: window === null && !isStopped ? reasons.unpaged : windowless };
  }

  /** Starts what opens a window, with where to call and what to say there behind it. */
  async #try(
    command: readonly string[],
    spec: WindowSpec,
    stopped: Promise<void>,
  ): Promise<Opening & { isFinal: boolean }> {
    const ticket = randomBytes(16).toString('hex');
    const called = new Promise<Window>((resolve) => this.#expected.set(ticket, resolve));
    const { socketPath, opensWithinMs = usuallyOpensWithinMs } = this.#options;
    const terminal = launchTerminal([...command, socketPath, ticket], spec.env);
    const over = new AbortController();
    let isSentAway = false;
    const enough = async (ms: number) => {
      await wait(ms, undefined, { signal: over.signal }).catch(() => {});
    };
    try {
      const first = await Promise.race([
        called,
        terminal.failed.then(async (reason) => {
          await enough(failedGraceMs);
          return { reason, isFinal: false };
        }),
        enough(opensWithinMs).then(() => ({ reason: late(command, opensWithinMs), isFinal: true })),
        stopped.then(() => ({ reason: reasons.stopped, isFinal: true })),
      ]);
      if (first instanceof Window) {
        first.welcome(spec);
        return { window: first, windowless: null, isFinal: true };
      }
      isSentAway = first.reason === reasons.stopped;
      if (isSentAway) this.#sendAway(ticket, terminal);
      else terminal.end();
      return { window: null, windowless: first.reason, isFinal: first.isFinal };
    } finally {
      over.abort();
      if (!isSentAway) this.#expected.delete(ticket);
    }
  }

  /**
   * Nobody needs the window any more that is about to open. Its emulator may show those of other runs, too: it is ended only
   * when it hangs.
   */
  #sendAway(ticket: string, terminal: LaunchedTerminal): void {
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
