import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';

import { errnoOf } from '../shared/errors.ts';
import type { Logger } from '../shared/log.ts';
import { isAlive } from '../shared/process-stat.ts';
import { lineOf, receiveMessages, sendMessage } from './message-lines.ts';
import {
  type ExecutorAddress,
  type FromExecutor,
  fromExecutorTypes,
  protocolVersion,
  type ToExecutor,
} from './messages.ts';
import { throughShortPath } from './socket-path.ts';

const beatMs = 2000;

/** Six seconds, if every beat is on time. */
const mostMisses = 3;

interface HeartbeatEvents {
  /** Sends a message that the peer answers. */
  ping(): void;
  /** The peer has not sent anything for too long. Called once until the peer sends something again. */
  silent(): void;
}

/**
 * Notices that the peer does not answer any more. It counts beats, not time: a beat that is late because this process
 * was stopped, suspended or busy counts once, however late it is. Messages that arrived meanwhile are processed before
 * the next beat.
 */
export class Heartbeat {
  readonly #events: HeartbeatEvents;
  #timer: NodeJS.Timeout | undefined;
  #isUnanswered = false;
  #misses = 0;

  constructor(events: HeartbeatEvents) {
    this.#events = events;
  }

  start(): void {
    this.#timer ??= setInterval(() => this.beat(), beatMs).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  /** Only one ping is pending at a time, so that a stopped peer does not find thousands of pings when it continues. */
  beat(): void {
    if (!this.#isUnanswered) {
      this.#isUnanswered = true;
      this.#events.ping();
      return;
    }
    this.#misses += 1;
    if (this.#misses === mostMisses) this.#events.silent();
  }

  /** Any message shows that the peer is alive. */
  heard(): void {
    this.#isUnanswered = false;
    this.#misses = 0;
  }
}

export type Welcome = FromExecutor & { type: 'welcome' };

interface LinkEvents {
  /** The connection is established, for the first time or again. */
  welcomed(link: ExecutorLink, welcome: Welcome): void;
  heard(link: ExecutorLink, message: FromExecutor): void;
  /** The executor has stopped answering, or answers again. */
  silenceChanged(link: ExecutorLink): void;
  /** The executor has ended; no more events follow. */
  gone(link: ExecutorLink): void;
}

const helloWithinMs = 5000;
const firstRetryMs = 100;
const longestRetryMs = 5000;
/** The interval at which we check whether an executor of another build is still alive. */
const muteCheckMs = 1000;
/** How long a message may wait for another one to be sent with. */
const soonMs = 5;

/** The connection to one executor. It is established again whenever it breaks, until the executor has ended. */
export class ExecutorLink {
  readonly address: ExecutorAddress;
  readonly #events: LinkEvents;
  readonly #log: Logger;
  #socket: Socket | undefined;
  /** The lines of messages that wait to be sent with the next one. */
  #soon = '';
  #flushTimer: NodeJS.Timeout | undefined;
  readonly #heartbeat = new Heartbeat({
    ping: () => this.tell({ type: 'ping' }),
    silent: () => this.#markSilent(),
  });
  #silentSinceMs: number | null = null;
  #isClosed = false;

  private constructor(address: ExecutorAddress, events: LinkEvents, log: Logger) {
    this.address = address;
    this.#events = events;
    this.#log = log;
  }

  /**
   * Resolves after the first connection attempt, whether it succeeded or not; further attempts follow in the
   * background. Resolves with null if the executor has ended.
   */
  static async open(address: ExecutorAddress, events: LinkEvents, log: Logger): Promise<ExecutorLink | null> {
    const link = new ExecutorLink(address, events, log);
    if (link.isMute) void link.#waitForExit();
    else if (!(await link.#attempt())) void link.#retry();
    else if (!link.isConnected) return null;
    return link;
  }

  /** Whether no message can be sent to it: it is of a build with another protocol. */
  get isMute(): boolean {
    return this.address.protocol !== protocolVersion;
  }

  get isConnected(): boolean {
    return this.#socket?.writable === true;
  }

  /** Whether its process is alive but does not answer: it was stopped, or hangs. */
  get isSilent(): boolean {
    return this.#silentSinceMs !== null;
  }

  /** Without a connection the message is dropped. The sender learns from the next welcome whether it arrived. */
  tell(message: ToExecutor): void {
    if (!this.#socket?.writable) return;
    this.#socket.write(this.#soon + lineOf(message));
    this.#soon = '';
  }

  /**
   * The same for messages that are not urgent: they are sent with the next message, or a moment later. Each write wakes
   * the executor.
   */
  tellSoon(message: ToExecutor): void {
    if (!this.#socket?.writable) return;
    this.#soon += lineOf(message);
    // A timer that is already armed may flush earlier. To arm one for each message takes as long as the message itself.
    this.#flushTimer ??= setTimeout(() => this.#flush(), soonMs).unref();
  }

  #flush(): void {
    this.#flushTimer = undefined;
    if (this.#soon !== '' && this.#socket?.writable) this.#socket.write(this.#soon);
    this.#soon = '';
  }

  /** Disconnects from the executor, which ends when its runs have ended. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#heartbeat.stop();
    this.#flush();
    if (this.#socket !== undefined) await sayFarewell(this.#socket);
  }

  async #retry(): Promise<void> {
    for (let pauseMs = firstRetryMs; !this.#isClosed; pauseMs = Math.min(2 * pauseMs, longestRetryMs)) {
      await wait(pauseMs);
      if (this.#isClosed || (await this.#attempt())) return;
    }
  }

  /** Waits for the exit of an executor with another protocol. It finishes its runs without us. */
  async #waitForExit(): Promise<void> {
    this.#log.warn(
      { pid: this.address.pid },
      'executor has another version; it finishes its runs on its own',
    );
    while (!this.#isClosed && isAlive(this.address.pid) && (await hasListener(this.address.socket))) {
      await wait(muteCheckMs, undefined, { ref: false });
    }
    if (!this.#isClosed) this.#markGone();
  }

  /** Returns whether no further attempt is needed: the connection is established, or the executor has ended. */
  async #attempt(): Promise<boolean> {
    let socket: Socket | undefined;
    try {
      socket = throughShortPath(this.address.socket, (path) => connect(path));
      await this.#greet(socket);
      return true;
    } catch (error) {
      socket?.destroy();
      const isGone = meansGone(error, this.address.socket);
      if (isGone) this.#markGone();
      else if (!this.isSilent)
        this.#log.warn({ err: error, pid: this.address.pid }, 'cannot reach the executor yet');
      return isGone;
    }
  }

  #onBroken(socket: Socket): void {
    if (this.#socket !== socket) return;
    this.#socket = undefined;
    this.#soon = '';
    if (this.#isClosed) return;
    this.#log.debug({ pid: this.address.pid }, 'lost the connection to the executor');
    // Retry at once: most often the executor has ended, and callers wait for that event.
    void this.#attempt().then((isDone) => {
      if (!isDone) void this.#retry();
    });
  }

  #greet(socket: Socket): Promise<void> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#markSilent();
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
        this.#markResponsive();
        if (message.type !== 'welcome') {
          this.#events.heard(this, message);
          return;
        }
        clearTimeout(timer);
        // Process the welcome before the next message, which may depend on it.
        this.#adopt(socket, message);
        resolve();
      };
      receiveMessages(socket, fromExecutorTypes, hear);
    });
  }

  #adopt(socket: Socket, welcome: Welcome): void {
    if (this.#isClosed) {
      void sayFarewell(socket);
      return;
    }
    this.#socket = socket;
    socket.once('close', () => this.#onBroken(socket));
    if (welcome.answersPing) this.#heartbeat.start();
    this.#events.welcomed(this, welcome);
  }

  #markSilent(): void {
    if (this.#silentSinceMs !== null || this.#isClosed) return;
    this.#silentSinceMs = performance.now();
    this.#log.warn({ pid: this.address.pid }, 'executor does not respond');
    this.#events.silenceChanged(this);
  }

  #markResponsive(): void {
    this.#heartbeat.heard();
    if (this.#silentSinceMs === null) return;
    const silentMs = Math.round(performance.now() - this.#silentSinceMs);
    this.#silentSinceMs = null;
    this.#log.info({ pid: this.address.pid, silentMs }, 'executor responds again');
    this.#events.silenceChanged(this);
  }

  #markGone(): void {
    this.#heartbeat.stop();
    this.#silentSinceMs = null;
    this.#events.gone(this);
  }
}

/** A socket without a listener belongs to a process that has ended, even if another process has its id now. */
function meansGone(error: unknown, socketPath: string): boolean {
  const errno = errnoOf(error);
  // The short path to a socket with a long path may be missing although the socket exists.
  return errno === 'ECONNREFUSED' || (errno === 'ENOENT' && !existsSync(socketPath));
}

async function hasListener(socketPath: string): Promise<boolean> {
  try {
    const socket = throughShortPath(socketPath, (path) => connect(path));
    await once(socket, 'connect');
    socket.destroy();
    return true;
  } catch (error) {
    return !meansGone(error, socketPath);
  }
}

/** Tells the executor that the service will not be back soon; the executor may end at once. */
async function sayFarewell(socket: Socket): Promise<void> {
  sendMessage(socket, { type: 'farewell' });
  await new Promise<void>((resolve) => {
    socket.once('close', () => resolve());
    socket.end();
    setTimeout(() => socket.destroy(), 1000).unref();
  });
}
