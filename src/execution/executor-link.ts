import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';

import { errnoOf } from '../shared/errors.ts';
import { isAlive } from '../shared/is-alive.ts';
import type { Logger } from '../shared/log.ts';
import { Heartbeat } from './heartbeat.ts';
import { receiveMessages, sendMessage } from './message-lines.ts';
import {
  type ExecutorAddress,
  type FromExecutor,
  fromExecutorTypes,
  protocolVersion,
  type ToExecutor,
} from './messages.ts';
import { throughShortPath } from './socket-path.ts';

export type Welcome = FromExecutor & { type: 'welcome' };

interface LinkEvents {
  /** A connection is there, for the first time or again. */
  welcomed(link: ExecutorLink, welcome: Welcome): void;
  heard(link: ExecutorLink, message: FromExecutor): void;
  /** It does not answer any more, or answers again. */
  silenceChanged(link: ExecutorLink): void;
  /** The executor has ended; nothing more will come. */
  gone(link: ExecutorLink): void;
}

const helloWithinMs = 5000;
const firstRetryMs = 100;
const longestRetryMs = 5000;
/** How often we look whether an executor that we cannot talk to is still there. */
const muteCheckMs = 1000;
/** How long something may wait for a message that it can go with. */
const soonMs = 5;

/** The connection to one executor. It is made again whenever it breaks, until the executor is gone. */
export class ExecutorLink {
  readonly address: ExecutorAddress;
  readonly #events: LinkEvents;
  readonly #log: Logger;
  #socket: Socket | undefined;
  /** Set while something waits to be sent. */
  #soon: NodeJS.Timeout | undefined;
  readonly #heartbeat = new Heartbeat({
    ping: () => this.tell({ type: 'ping' }),
    silent: () => this.#fallSilent(),
  });
  #silentSinceMs: number | null = null;
  #isClosed = false;

  private constructor(address: ExecutorAddress, events: LinkEvents, log: Logger) {
    this.address = address;
    this.#events = events;
    this.#log = log;
  }

  /** Resolves after the first attempt, whether it went well or not: further ones follow by themselves. Null: nobody is there. */
  static async open(address: ExecutorAddress, events: LinkEvents, log: Logger): Promise<ExecutorLink | null> {
    const link = new ExecutorLink(address, events, log);
    if (link.isMute) void link.#outwait();
    else if (!(await link.#attempt())) void link.#persist();
    else if (!link.isConnected) return null;
    return link;
  }

  /** Whether it can be told anything at all: one of another build cannot. */
  get isMute(): boolean {
    return this.address.protocol !== protocolVersion;
  }

  get isConnected(): boolean {
    return this.#socket?.writable === true;
  }

  /** Whether its process is there and does not answer: it was stopped, or hangs. */
  get isSilent(): boolean {
    return this.#silentSinceMs !== null;
  }

  /** Without a connection the message is dropped: whoever sends it must look at the next welcome what became of it. */
  tell(message: ToExecutor): void {
    if (!this.#socket?.writable) return;
    sendMessage(this.#socket, message);
    if (this.#soon !== undefined) this.#flush();
  }

  /** The same for what is not urgent: it goes with the next message, or a moment later by itself. Each wakes the executor. */
  tellSoon(message: ToExecutor): void {
    if (!this.#socket?.writable) return;
    if (this.#soon === undefined) {
      this.#socket.cork();
      this.#soon = setTimeout(() => this.#flush(), soonMs).unref();
    }
    sendMessage(this.#socket, message);
  }

  #flush(): void {
    clearTimeout(this.#soon);
    this.#soon = undefined;
    this.#socket?.uncork();
  }

  /** Leaves the executor to itself: it ends when its runs have. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#heartbeat.stop();
    if (this.#socket !== undefined) await takeLeave(this.#socket);
  }

  async #persist(): Promise<void> {
    for (let pauseMs = firstRetryMs; !this.#isClosed; pauseMs = Math.min(2 * pauseMs, longestRetryMs)) {
      await wait(pauseMs);
      if (this.#isClosed || (await this.#attempt())) return;
    }
  }

  /** An executor of another build, whose language we do not speak, finishes its runs on its own. */
  async #outwait(): Promise<void> {
    this.#log.warn(
      { pid: this.address.pid },
      'executor has another version; it finishes its runs on its own',
    );
    while (!this.#isClosed && isAlive(this.address.pid) && (await hasListener(this.address.socket))) {
      await wait(muteCheckMs, undefined, { ref: false });
    }
    if (!this.#isClosed) this.#end();
  }

  /** Whether there is nothing left to try: a connection is there, or nobody to connect to. */
  async #attempt(): Promise<boolean> {
    let socket: Socket | undefined;
    try {
      socket = throughShortPath(this.address.socket, (path) => connect(path));
      await this.#greet(socket);
      return true;
    } catch (error) {
      socket?.destroy();
      const isGone = meansNobody(error, this.address.socket);
      if (isGone) this.#end();
      else if (!this.isSilent)
        this.#log.warn({ err: error, pid: this.address.pid }, 'cannot reach the executor yet');
      return isGone;
    }
  }

  #onBroken(socket: Socket): void {
    if (this.#socket !== socket) return;
    this.#socket = undefined;
    if (this.#isClosed) return;
    this.#log.debug({ pid: this.address.pid }, 'lost the connection to the executor');
    // At once: most often the executor has ended, and others wait to hear that.
    void this.#attempt().then((isSettled) => {
      if (!isSettled) void this.#persist();
    });
  }

  #greet(socket: Socket): Promise<void> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#fallSilent();
        reject(new Error('no welcome message in time'));
      }, helloWithinMs);
      socket.on('error', reject);
      socket.once('close', () => {
        clearTimeout(timer);
        reject(new Error('connection closed before the welcome message'));
      });
      socket.once('connect', () => {
        const { secret } = this.address;
        sendMessage(socket, { type: 'hello', protocol: protocolVersion, secret });
      });
      const hear = (message: FromExecutor) => {
        this.#hearAnything();
        if (message.type !== 'welcome') {
          this.#events.heard(this, message);
          return;
        }
        clearTimeout(timer);
        // Before the next message: it may depend on the welcome.
        this.#adopt(socket, message);
        resolve();
      };
      receiveMessages(socket, fromExecutorTypes, hear);
    });
  }

  #adopt(socket: Socket, welcome: Welcome): void {
    if (this.#isClosed) {
      void takeLeave(socket);
      return;
    }
    this.#socket = socket;
    socket.once('close', () => this.#onBroken(socket));
    if (welcome.answersPing) this.#heartbeat.start();
    this.#events.welcomed(this, welcome);
  }

  #fallSilent(): void {
    if (this.#silentSinceMs !== null || this.#isClosed) return;
    this.#silentSinceMs = performance.now();
    this.#log.warn({ pid: this.address.pid }, 'executor does not respond');
    this.#events.silenceChanged(this);
  }

  #hearAnything(): void {
    this.#heartbeat.heard();
    if (this.#silentSinceMs === null) return;
    const silentMs = Math.round(performance.now() - this.#silentSinceMs);
    this.#silentSinceMs = null;
    this.#log.info({ pid: this.address.pid, silentMs }, 'executor responds again');
    this.#events.silenceChanged(this);
  }

  #end(): void {
    this.#heartbeat.stop();
    this.#silentSinceMs = null;
    this.#events.gone(this);
  }
}

/** A socket without a listener belongs to a process that has ended, whoever has its id now. */
function meansNobody(error: unknown, socketPath: string): boolean {
  const errno = errnoOf(error);
  // The way to a socket with a long path may be missing while the socket is there.
  return errno === 'ECONNREFUSED' || (errno === 'ENOENT' && !existsSync(socketPath));
}

async function hasListener(socketPath: string): Promise<boolean> {
  try {
    const socket = throughShortPath(socketPath, (path) => connect(path));
    await once(socket, 'connect');
    socket.destroy();
    return true;
  } catch (error) {
    return !meansNobody(error, socketPath);
  }
}

/** The executor is told that nobody will be back soon; it may end at once. */
async function takeLeave(socket: Socket): Promise<void> {
  sendMessage(socket, { type: 'farewell' });
  await new Promise<void>((resolve) => {
    socket.once('close', () => resolve());
    socket.end();
    setTimeout(() => socket.destroy(), 1000).unref();
  });
}
