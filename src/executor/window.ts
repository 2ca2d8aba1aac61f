import { accessSync, closeSync, constants, openSync, readSync } from 'node:fs';
import type { Socket } from 'node:net';
import { isAbsolute } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

import { sendMessage } from '../execution/message-lines.ts';
import type { RunSpec, TerminalSize, TypedPiece, WindowSpec } from '../execution/messages.ts';
import type { FromWindow, ToWindow, WindowEnd } from '../execution/window-messages.ts';
import type { Capture, PipeReader } from './capture.ts';
import { environmentOf, type GivenRun } from './given-run.ts';

/** How long a window may take to send the rest of the output: it waits for a busy local program, not for a network. */
const drainWithinMs = 2000;

type Greeting = FromWindow & { type: 'window' };
type Exit = FromWindow & { type: 'exited' };

/** An open window. It either offers a terminal for the script or starts the script itself, and sends the output. */
export class Window {
  /** The device file of the terminal that it offers; null if it starts the script itself. */
  readonly terminal: string | null;
  readonly env: Readonly<Record<string, string>>;
  /** Resolves when the user has closed the window, or it has ended for another reason. */
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
    this.#send({ type: 'welcome', title, language, hold });
  }

  type(base64: string): void {
    this.#send({ type: 'typed', base64 });
  }

  resize({ columns, rows }: TerminalSize): void {
    this.#send({ type: 'resized', columns, rows });
  }

  /** Rejects a window that opened too late. */
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

  /** Writes the output to these captures from now on. */
  read(captures: Readonly<Record<'stdout' | 'stderr', Capture>>): PipeReader {
    this.#captures = captures;
    return {
      closed: this.#released,
      drain: async () => {
        await this.drain();
      },
    };
  }

  /** Requests all output written so far. Resolves with whether the window still exists, even if it does not answer. */
  async drain(): Promise<boolean> {
    const drained = new Promise<boolean>((resolve) => {
      this.#noteDrained = resolve;
    });
    if (this.#socket.destroyed) return false;
    if (this.#isSilent) return true;
    this.#send({ type: 'drain' });
    const silence = wait(drainWithinMs, 'silence' as const, { ref: false });
    const answer = await Promise.race([drained, silence]);
    // A window that did not answer once is not waited for again.
    this.#isSilent = answer === 'silence';
    return answer !== false;
  }

  /** For a window without a terminal to offer: the window starts the script itself, and reports how it ended. */
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
    else this.#send({ type: 'start', file, args, isVerbatim, cwd, env });
    const pid = await spawned;
    return { ...(pid !== undefined && { pid }), exited };
  }

  /** The script was killed. If only the window can report that, and does not, the exit is assumed. */
  expectExit(): void {
    setTimeout(() => this.#noteLoss(), drainWithinMs).unref();
  }

  /** The run has ended: the window shows how, and the executor does not wait for it any more. */
  end({ cause, exitCode, signal, durationMs }: WindowEnd): void {
    this.#send({ type: 'ended', cause, exitCode, signal, durationMs });
    this.#release();
  }

  /** If a window that started the script itself is lost, the exit of the script is lost with it. */
  #noteLoss(): void {
    this.#noteSpawned(undefined);
    this.#noteExit({ type: 'exited', code: null, signal: 'SIGKILL', error: null });
  }

  #send(message: ToWindow): void {
    if (this.#socket.writable) sendMessage(this.#socket, message);
  }
}

/** The number of remembered senders: more than the pages that one run has open at once. */
const mostSenders = 64;

/**
 * The terminal of a run that is shown in pages of the console. Typed input may arrive twice if the service is killed
 * before it could answer, and must not be typed twice. This process outlives the service, so it counts the input. Every
 * page that shows a terminal query of a program answers that query, now or when the page is opened later; only the
 * first answer is used.
 */
export class PageTerminal {
  readonly #window: Pick<Window, 'type' | 'resize'>;
  /** The last sequence number of each sender; the most recent sender is last. */
  readonly #typed = new Map<string, number>();
  #answeredBytes = 0;
  #size: TerminalSize;

  constructor(window: Pick<Window, 'type' | 'resize'>, size: TerminalSize) {
    this.#window = window;
    this.#size = size;
  }

  get size(): TerminalSize {
    return this.#size;
  }

  type({ base64, order, answers }: TypedPiece): void {
    if (order !== null && !this.#isNew(order)) return;
    if (answers !== null && answers <= this.#answeredBytes) return;
    this.#answeredBytes = answers ?? this.#answeredBytes;
    this.#window.type(base64);
  }

  resize({ columns, rows }: TerminalSize): void {
    this.#size = { columns, rows };
    this.#window.resize(this.#size);
  }

  #isNew({ sender, number }: { sender: string; number: number }): boolean {
    const last = this.#typed.get(sender);
    if (last !== undefined && number <= last) return false;
    this.#typed.delete(sender);
    this.#typed.set(sender, number);
    for (const oldest of this.#typed.keys()) {
      if (this.#typed.size <= mostSenders) break;
      this.#typed.delete(oldest);
    }
    return true;
  }
}

/**
 * Opens the terminal given as `$0`, which makes it the controlling terminal of this session leader, then executes the
 * script. Without the first line, SIGHUP would end all processes that a script leaves running in a window together with
 * the script.
 */
const onTerminal = `trap '' HUP
exec <>"$0" >&0 2>&0
exec "$@"`;

/** The number of bytes that the kernel reads to recognize the type of a file. */
const startBytes = 256;

type Command = Pick<RunSpec, 'file' | 'args' | 'env'>;

/** The command that runs another one on a terminal. Throws if the other command cannot be started. */
export function commandOnTerminal({ file, args, env }: Command, terminal: string): Command {
  // Check first: if the program were missing, the shell in between would exit with a code of its own.
  checkProgram(file);
  const words = ['-c', onTerminal, terminal, ...restoreOdd(env, file), file, ...args];
  return { file: '/bin/sh', args: words, env };
}

function checkProgram(file: string): void {
  if (!isAbsolute(file)) return;
  accessSync(file, constants.X_OK);
  const interpreter = /^#![ \t]*([^\s\0]+)/.exec(readStart(file))?.[1] ?? '';
  if (isAbsolute(interpreter)) accessSync(interpreter, constants.X_OK);
}

function readStart(file: string): string {
  let fd: number | undefined;
  try {
    fd = openSync(file, 'r');
    const start = Buffer.alloc(startBytes);
    return start.toString('utf8', 0, readSync(fd, start));
  } catch {
    // Some programs can be started but not read.
    return '';
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

/**
 * Many shells drop variables whose names are not valid in a shell, for example exported functions of bash. This sets
 * them again.
 */
function restoreOdd(env: Readonly<Record<string, string>>, file: string): string[] {
  const odd = Object.entries(env).filter(([name]) => !/^[a-z_][a-z0-9_]*$/i.test(name));
  // `env` would take a path that contains this character for a variable.
  if (odd.length === 0 || file.includes('=')) return [];
  return ['/usr/bin/env', '--', ...odd.map(([name, value]) => `${name}=${value}`)];
}
