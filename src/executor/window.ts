import type { Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';

import { sendMessage } from '../execution/message-lines.ts';
import type { TerminalSize, WindowSpec } from '../execution/messages.ts';
import type { FromWindow, ToWindow, WindowEnd } from '../execution/window-messages.ts';
import type { Capture } from './capture.ts';
import { environmentOf, type GivenRun } from './given-run.ts';
import type { PipeReader } from './pipe-reader.ts';

/** How long a window may take to hand over the last of the output: it is a busy program's turn, not a network's. */
const drainWithinMs = 2000;

type Greeting = FromWindow & { type: 'window' };
type Exit = FromWindow & { type: 'exited' };

/** A window that is open, as the executor sees it: it has a terminal for the script, or starts it, and hands over its output. */
export class Window {
  /** The file name of the terminal that it lends; null where it starts the script itself. */
  readonly terminal: string | null;
  readonly env: Readonly<Record<string, string>>;
  /** Resolves when somebody has closed it, or it has ended in some other way. */
  readonly gone: Promise<void>;
  readonly #socket: Socket;
  readonly #released: Promise<void>;
  #noteGone = (): void => {};
  #release = (): void => {};
  #noteDrained = (_isThere: boolean): void => {};
  #isSilent = false;
  #noteSpawned = (_pid: number | undefined): void => {};
  #noteExit = (_exit: Exit): void => {};
  #captures: Readonly<Record<'stdout' | 'stderr', Capture>> | undefined;

  constructor(socket: Socket, { terminal, env }: Greeting) {
    this.terminal = terminal;
    this.env = env;
    this.#socket = socket;
    this.gone = new Promise((resolve) => {
      this.#noteGone = resolve;
    });
    this.#released = new Promise((resolve) => {
      this.#release = resolve;
    });
    socket.once('close', () => {
      this.#noteGone();
      this.#noteDrained(false);
      this.#noteLoss();
      this.#release();
    });
  }

  welcome({ title, language, hold }: WindowSpec): void {
    this.#tell({ type: 'welcome', title, language, hold });
  }

  type(base64: string): void {
    this.#tell({ type: 'typed', base64 });
  }

  resize({ columns, rows }: TerminalSize): void {
    this.#tell({ type: 'resized', columns, rows });
  }

  /** It came too late. */
  dismiss(): void {
    this.#socket.destroy();
  }

  receive(message: FromWindow): void {
    switch (message.type) {
      case 'output':
        this.#captures?.[message.stream].take(Buffer.from(message.base64, 'base64'));
        break;
      case 'drained':
        this.#noteDrained(true);
        break;
      case 'spawned':
        this.#noteSpawned(message.pid);
        break;
      case 'exited':
        this.#noteSpawned(undefined);
        this.#noteExit(message);
        break;
      case 'closed':
        this.#noteGone();
        break;
      case 'window':
        break;
    }
  }

  /** Where its output goes, from now on. */
  read(captures: Readonly<Record<'stdout' | 'stderr', Capture>>): PipeReader {
    this.#captures = captures;
    return {
      closed: this.#released,
      drain: async () => {
        await this.drain();
      },
    };
  }

  /** Has all handed over that was written. Resolves with whether it is still there, if only with a silence. */
  async drain(): Promise<boolean> {
    const drained = new Promise<boolean>((resolve) => {
      this.#noteDrained = resolve;
    });
    if (this.#socket.destroyed) return false;
    if (this.#isSilent) return true;
    this.#tell({ type: 'drain' });
    const silence = wait(drainWithinMs, 'silence' as const, { ref: false });
    const answer = await Promise.race([drained, silence]);
    // Who did not answer once is not waited for again.
    this.#isSilent = answer === 'silence';
    return answer !== false;
  }

  /** Where no terminal can be lent: the window starts the script itself, and tells how it ended. */
  async start(spec: GivenRun): Promise<{ pid?: number; exited: Promise<Exit> }> {
    const { file, args, isVerbatim, cwd } = spec;
    const env = { ...environmentOf(spec), ...this.env };
    const exited = new Promise<Exit>((resolve) => {
      this.#noteExit = resolve;
    });
    const spawned = new Promise<number | undefined>((resolve) => {
      this.#noteSpawned = resolve;
    });
    if (this.#socket.destroyed) this.#noteLoss();
    else this.#tell({ type: 'start', file, args, isVerbatim, cwd, env });
    const pid = await spawned;
    return { ...(pid !== undefined && { pid }), exited };
  }

  /** The script was killed. Where only the window can say so, and does not, it is taken for said. */
  expectExit(): void {
    setTimeout(() => this.#noteLoss(), drainWithinMs).unref();
  }

  /** The run is over: the window shows how it ended, and need not be waited for. */
  end({ cause, exitCode, signal, durationMs }: WindowEnd): void {
    this.#tell({ type: 'ended', cause, exitCode, signal, durationMs });
    this.#release();
  }

  /** A window that started the script itself takes along what only it could have told. */
  #noteLoss(): void {
    this.#noteSpawned(undefined);
    this.#noteExit({ type: 'exited', code: null, signal: 'SIGKILL', error: null });
  }

  #tell(message: ToWindow): void {
    if (this.#socket.writable) sendMessage(this.#socket, message);
  }
}
