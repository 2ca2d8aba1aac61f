import { closeSync, readSync, writeSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { ReadStream } from 'node:tty';

import { describeEnding } from '../../contract/endings.ts';
import { describeDuration } from '../../contract/quantities.ts';
import { receiveMessages, sendMessage } from '../../execution/message-lines.ts';
import type { TerminalSize } from '../../execution/messages.ts';
import { throughShortPath } from '../../execution/socket-path.ts';
import {
  type FromWindow,
  type ToWindow,
  toWindowTypes,
  type WindowEnd,
} from '../../execution/window-messages.ts';
import { assertNever } from '../../shared/assert-never.ts';
import { errnoOf } from '../../shared/errors.ts';
import type { Text } from '../../shared/text.ts';
import type { PlainOutput } from './plain-output.ts';
import type { Screen, ScreenEvents } from './screen.ts';
import { type ScriptInWindow, spawnInWindow, startDrain } from './spawn-in-window.ts';

/** How long to wait for output that is still in the pipes after the script has ended. */
const pipesDrainMs = 250;

type Welcome = ToWindow & { type: 'welcome' };

interface ProgramOptions {
  /** Connected to the executor. */
  socket: Socket;
  ticket: string;
  env: Readonly<Record<string, string>>;
  makeScreen: (events: ScreenEvents) => Screen;
  plain: PlainOutput;
  /** Called when the window may close. */
  leave: () => void;
}

/** The program in a window. It gives the script a terminal, passes on input and output, and shows how the run ended. */
export class WindowProgram {
  readonly #options: ProgramOptions;
  readonly #screen: Screen;
  /** Receivers that cannot accept more output at the moment. */
  readonly #full = new Set<'screen' | 'executor'>();
  #terminal: PseudoTerminal | null = null;
  #welcome: Welcome | null = null;
  /** The script, if this program started it because there is no pseudo-terminal. */
  #script: ScriptInWindow | null = null;
  #isDraining = false;
  #isOver = false;

  constructor(options: ProgramOptions) {
    this.#options = options;
    this.#screen = options.makeScreen({
      typed: (keys) => (this.#isOver ? this.#leave() : this.#terminal?.type(keys)),
      resized: (size) => this.#terminal?.resize(size),
      drained: () => this.#onRoom('screen'),
      // Closing the window cancels the run first; its remaining output is still captured.
      closed: () => (this.#isOver || this.#welcome === null ? this.#leave() : this.#post({ type: 'closed' })),
    });
    const { socket } = options;
    socket.on('drain', () => this.#onRoom('executor'));
    socket.on('error', () => socket.destroy());
    socket.on('close', () => this.#onDisconnect());
    receiveMessages<ToWindow>(socket, toWindowTypes, (message) => this.#handle(message));
  }

  async open(): Promise<void> {
    // Without a pseudo-terminal, this program starts the script itself.
    this.#terminal = await PseudoTerminal.open(this.#screen.size).catch(() => null);
    if (this.#terminal === null && !this.#screen.takesScripts) {
      this.#options.leave();
      return;
    }
    const { ticket, env } = this.#options;
    this.#post({ type: 'window', ticket, terminal: this.#terminal?.name ?? null, env });
  }

  #handle(message: ToWindow): void {
    switch (message.type) {
      case 'welcome':
        this.#welcome = message;
        this.#screen.setTitle(message.title);
        if (this.#terminal === null) break;
        this.#screen.passKeys();
        this.#terminal.read((bytes) => this.#pass('stdout', bytes, this.#options.plain.take(bytes)));
        break;
      case 'start':
        this.#script = spawnInWindow(message, {
          send: (sent) => this.#post(sent),
          pass: (stream, bytes) => this.#pass(stream, bytes, bytes) || this.#isDraining,
        });
        break;
      case 'typed':
        this.#terminal?.type(Buffer.from(message.base64, 'base64'));
        break;
      case 'resized':
        this.#terminal?.resize(message);
        break;
      case 'drain':
        void this.#drain();
        break;
      case 'ended':
        this.#showEnd(message);
        break;
      default:
        assertNever(message);
    }
  }

  async #drain(): Promise<void> {
    this.#terminal?.drain();
    this.#send('stdout', this.#options.plain.end());
    if (this.#script !== null) {
      // Read everything that is available, without back-pressure. Processes left by the script may hold the pipes open forever.
      this.#isDraining = true;
      this.#script.resume();
      await Promise.race([this.#script.written, wait(pipesDrainMs)]);
      this.#isDraining = false;
    }
    this.#post({ type: 'drained' });
  }

  /** Shows output and sends it to the executor for the log. Returns whether there is room for more. */
  #pass(stream: 'stdout' | 'stderr', shown: Buffer, kept: Buffer): boolean {
    if (!this.#screen.write(shown)) this.#full.add('screen');
    if (!this.#isOver) this.#send(stream, kept);
    return this.#full.size === 0;
  }

  #send(stream: 'stdout' | 'stderr', bytes: Buffer): void {
    if (bytes.length === 0) return;
    const hasRoom = this.#post({ type: 'output', stream, base64: bytes.toString('base64') });
    if (!hasRoom) this.#full.add('executor');
  }

  #onRoom(where: 'screen' | 'executor'): void {
    this.#full.delete(where);
    if (this.#full.size > 0) return;
    this.#terminal?.resume();
    this.#script?.resume();
  }

  #showEnd(end: WindowEnd): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#options.socket.end();
    const { hold, language } = this.#welcome ?? { hold: 'never', language: 'en' };
    const isSuccess = end.cause === 'exit' && end.exitCode === 0;
    const isHeld = hold === 'always' || (hold === 'failure' && !isSuccess);
    if (!isHeld || !this.#screen.isOpen) {
      this.#leave();
      return;
    }
    this.#screen.say(describeHeldEnd(end)[language], isSuccess ? 'green' : 'red');
    this.#screen.passKeys();
  }

  /** The executor closed the connection: before the welcome, this window came too late; before the end of the run, the executor died. */
  #onDisconnect(): void {
    if (this.#isOver) return;
    if (this.#welcome === null) this.#leave();
    else this.#showEnd({ cause: 'lost', exitCode: -1, signal: null, durationMs: 0 });
  }

  #leave(): void {
    if (this.#terminal?.release()) startDrain(this.#terminal.master);
    this.#options.leave();
  }

  #post(message: FromWindow): boolean {
    const { socket } = this.#options;
    return !socket.writable || sendMessage(socket, message);
  }
}

/** Connects to the executor. If it is gone, the window is not needed. */
export function connectToExecutor(
  path: string,
  leave: () => void,
  connected: (socket: Socket) => Promise<void>,
): void {
  const socket = throughShortPath(path, (short) => connect(short));
  socket.once('error', leave);
  socket.once('connect', () => {
    socket.off('error', leave);
    void connected(socket);
  });
}

/** Describes the end of a run in a window that waits for a key. Chinese has no space between sentences. */
export function describeHeldEnd(end: WindowEnd): Text {
  const { en, zh } = describeWindowEnd(end);
  return { en: `${en} Press any key to close this window.`, zh: `${zh}按任意键关闭窗口。` };
}

function describeWindowEnd(end: WindowEnd): Text {
  const took = describeDuration(end.durationMs);
  if (end.cause === 'exit' && end.exitCode === 0)
    return { en: `Done in ${took.en}.`, zh: `已完成，用时 ${took.zh}。` };
  const { en, zh } = describeEnding(end);
  if (end.cause === 'spawn-failed' || end.cause === 'lost') return { en: `${en}.`, zh: `${zh}。` };
  return { en: `${en} after ${took.en}.`, zh: `${zh}，用时 ${took.zh}。` };
}

/** Maximum bytes of one drain: much more than the buffer of the terminal holds. */
const largestDrainBytes = 1024 * 1024;

/** Maximum typed input to buffer for a script that does not read it. The rest is dropped, as in the kernel's own buffer. */
const mostTypedBytes = 4 * 1024 * 1024;

/** Delay before a write to a full terminal is retried: Node has no event for free space. */
const fullRetryMs = 20;

/**
 * A pseudo-terminal for a script. Reading returns the output of the script; writing simulates typed input. The node-pty classes
 * would also read from the script's side, and so take input away from the script.
 */
class PseudoTerminal {
  /** The device file that the script opens. */
  readonly name: string;
  readonly master: number;
  readonly #stream: ReadStream;
  readonly #resize: (size: TerminalSize) => void;
  /** Kept open until the end. If no process held it, the terminal would close before the script has opened it. */
  #slave: number | null;
  #take: (bytes: Buffer) => boolean = () => true;
  /** Input that is not yet written to the terminal. */
  #typed = Buffer.alloc(0);
  #retry: NodeJS.Timeout | undefined;

  private constructor(
    { master, slave, pty }: { master: number; slave: number; pty: string },
    resize: (size: TerminalSize) => void,
  ) {
    this.name = pty;
    this.master = master;
    this.#slave = slave;
    this.#resize = resize;
    const onread = {
      buffer: Buffer.allocUnsafe(64 * 1024),
      // Returning false pauses reading, which slows down a script that writes too fast.
      callback: (length: number, buffer: Uint8Array) => this.#take(Buffer.from(buffer.subarray(0, length))),
    };
    // The constructor accepts `onread`, as `connect` does, although its type does not declare it.
    const options = { readable: true, onread };
    this.#stream = new ReadStream(master, options);
    // A closed terminal reports EIO. It is ignored, because the end of the script is observed elsewhere.
    this.#stream.on('error', () => {});
  }

  static async open({ columns, rows }: TerminalSize): Promise<PseudoTerminal> {
    const { requireBinary } = await import('@lydell/node-pty/requireBinary.js');
    const native = requireBinary('pty.node');
    const opened = native.open(columns, rows);
    return new PseudoTerminal(opened, (size) => native.resize(opened.master, size.columns, size.rows));
  }

  /** Passes the output of the script to `take`. If `take` returns false, reading pauses until `resume`. */
  read(take: (bytes: Buffer) => boolean): void {
    this.#take = take;
    this.#stream.resume();
  }

  resume(): void {
    this.#stream.resume();
  }

  /**
   * Sends typed input to the script. It does not use the stream: libuv writes to a terminal in a blocking loop and would hang while the
   * script does not read.
   */
  type(keys: Buffer): void {
    if (this.#typed.length + keys.length > mostTypedBytes) return;
    this.#typed = Buffer.concat([this.#typed, keys]);
    if (this.#retry === undefined) this.#writeTyped();
  }

  resize(size: TerminalSize): void {
    if (!this.#stream.destroyed) this.#resize(size);
  }

  /** Passes on the output that is in the terminal now, without waiting for more. */
  drain(): void {
    this.#readAll((bytes) => this.#take(Buffer.from(bytes)));
  }

  /** Closes the script's side. Returns whether a process that the script left running still holds it. */
  release(): boolean {
    if (this.#slave !== null) closeSync(this.#slave);
    this.#slave = null;
    this.#take = () => true;
    return this.#readAll(() => {});
  }

  #writeTyped(): void {
    this.#retry = undefined;
    if (this.#stream.destroyed) return;
    try {
      while (this.#typed.length > 0) this.#typed = this.#typed.subarray(writeSync(this.master, this.#typed));
    } catch (error) {
      if (errnoOf(error) === 'EAGAIN') this.#retry = setTimeout(() => this.#writeTyped(), fullRetryMs);
      // The terminal is closed. Drop the input.
      else this.#typed = Buffer.alloc(0);
    }
  }

  /** Reads what is in the terminal now. Returns whether more may follow, because a process holds the other side. */
  #readAll(take: (bytes: Buffer) => void): boolean {
    const chunk = Buffer.allocUnsafe(64 * 1024);
    for (let taken = 0; taken < largestDrainBytes; ) {
      if (this.#stream.destroyed) return false;
      try {
        const bytes = readSync(this.master, chunk);
        if (bytes === 0) return false;
        take(chunk.subarray(0, bytes));
        taken += bytes;
      } catch (error) {
        return errnoOf(error) === 'EAGAIN';
      }
    }
    // More than the terminal can hold, so a process is still writing.
    return true;
  }
}
