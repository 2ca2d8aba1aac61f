import { connect, type Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { describeEnding } from '../../contract/endings.ts';
import { describeDuration } from '../../contract/quantities.ts';
import { receiveMessages, sendMessage } from '../../execution/message-lines.ts';
import { throughShortPath } from '../../execution/socket-path.ts';
import {
  type FromWindow,
  type ToWindow,
  toWindowTypes,
  type WindowEnd,
} from '../../execution/window-messages.ts';
import { assertNever } from '../../shared/assert-never.ts';
import type { Text } from '../../shared/text.ts';
import type { PlainOutput } from './plain-output.ts';
import { PseudoTerminal } from './pseudo-terminal.ts';
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
