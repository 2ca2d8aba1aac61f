import { readFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

import { AppError } from '../shared/errors.ts';
import { isAlive } from '../shared/is-alive.ts';
import type { Logger } from '../shared/log.ts';
import { launchExecutor } from './launch-executor.ts';
import { receiveMessages, sendMessage } from './message-lines.ts';
import {
  type ExecutorAddress,
  endWithoutProcess,
  executorFile,
  type FromExecutor,
  protocolVersion,
  type RunEnd,
  type RunSpec,
  type StopCause,
  type ToExecutor,
} from './messages.ts';

interface ClientOptions {
  home: string;
  entry: string;
  env: Readonly<Record<string, string>>;
  log: Logger;
}

type Welcome = FromExecutor & { type: 'welcome' };

interface PendingRun {
  /** Null for a run that an earlier service started: it can be waited for, but not started again. */
  readonly spec: RunSpec | null;
  readonly onStarted: (startedAtMs: number) => void;
  readonly settle: (end: RunEnd) => void;
}

const helloWithinMs = 5000;
const firstRetryMs = 250;
const longestRetryMs = 5000;

/** The service's side of the socket: finds the executor of this home, or starts one, and keeps track of what it was given. */
export class ExecutorClient {
  readonly #options: ClientOptions;
  readonly #pending = new Map<string, PendingRun>();
  #socket: Socket | undefined;
  #connecting: Promise<void> | undefined;
  #instance: string | undefined;
  #executorPid: number | undefined;
  /** What the executor runs that nobody here has asked for: an earlier service did. */
  #running = new Set<string>();
  /** Ends that nobody here waits for yet. */
  readonly #unclaimed = new Map<string, RunEnd>();
  #closed = false;

  constructor(options: ClientOptions) {
    this.#options = options;
  }

  /** Resolves when an executor can be talked to. */
  connect(): Promise<void> {
    if (this.#socket !== undefined) return Promise.resolve();
    this.#connecting ??= this.#establish().finally(() => {
      this.#connecting = undefined;
    });
    return this.#connecting;
  }

  /** Runs a script and resolves with its end, which is to be acknowledged once it is safely recorded. */
  async run(spec: RunSpec, onStarted: (startedAtMs: number) => void): Promise<RunEnd> {
    await this.connect().catch((error: unknown) => {
      throw new AppError(
        'executor-unavailable',
        { en: 'The process that runs scripts cannot be started.', zh: '无法启动脚本执行进程。' },
        { cause: error, retryAfterS: 5 },
      );
    });
    return new Promise((settle) => {
      this.#pending.set(spec.runId, { spec, onStarted, settle });
      this.#tell({ type: 'start', spec });
    });
  }

  /** The end of a run that an earlier service started; null when the executor knows nothing of it. */
  attach(runId: string): Promise<RunEnd> | null {
    const ended = this.#unclaimed.get(runId);
    if (ended !== undefined) return Promise.resolve(ended);
    if (!this.#running.has(runId)) return null;
    return new Promise((settle) => {
      this.#pending.set(runId, { spec: null, onStarted: () => {}, settle });
    });
  }

  stop(runId: string, cause: StopCause): void {
    this.#tell({ type: 'stop', runId, cause });
  }

  acknowledge(runId: string): void {
    this.#unclaimed.delete(runId);
    this.#tell({ type: 'acknowledge', runId });
  }

  /** Leaves the executor to itself: it ends when its runs have. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#connecting?.catch(() => {});
    const socket = this.#socket;
    if (socket === undefined) return;
    sendMessage(socket, { type: 'farewell' });
    await new Promise<void>((resolve) => {
      socket.once('close', () => resolve());
      socket.end();
      setTimeout(() => socket.destroy(), 1000).unref();
    });
  }

  async #establish(): Promise<void> {
    if (await this.#tryConnect()) return;
    await launchExecutor(this.#options);
    if (!(await this.#tryConnect())) throw new Error('the new executor does not answer');
  }

  async #tryConnect(): Promise<boolean> {
    const address = await readAddress(this.#options.home);
    if (address === null) return false;
    const socket = connect(address.socket);
    try {
      const welcome = await this.#greet(socket, address);
      this.#adopt(socket, welcome);
      return true;
    } catch (error) {
      socket.destroy();
      this.#options.log.debug({ err: error }, 'no executor answers at the known address');
      return false;
    }
  }

  #greet(socket: Socket, address: ExecutorAddress): Promise<Welcome> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error('no welcome in time')), helloWithinMs);
      socket.on('error', reject);
      socket.once('close', () => reject(new Error('closed before a welcome')));
      socket.once('connect', () => {
        sendMessage(socket, {
          type: 'hello',
          protocol: protocolVersion,
          secret: address.secret,
        });
      });
      receiveMessages<FromExecutor>(socket, ['welcome', 'started', 'ended'], (message) => {
        if (message.type === 'welcome') {
          clearTimeout(timer);
          resolve(message);
        } else {
          this.#hear(message);
        }
      });
    });
  }

  /** A connection is there, again or for the first time: what we wait for is compared with what the executor knows. */
  #adopt(socket: Socket, welcome: Welcome): void {
    this.#socket = socket;
    const isSame = this.#instance === welcome.instance;
    this.#instance = welcome.instance;
    this.#executorPid = welcome.pid;
    this.#running = new Set(welcome.running);
    socket.once('close', () => this.#onDisconnected(socket));
    for (const end of welcome.ended) {
      // An end that was dealt with before the connection broke comes again when its acknowledgement was lost.
      const isDealtWith = isSame && !this.#pending.has(end.runId) && !this.#unclaimed.has(end.runId);
      if (isDealtWith) this.acknowledge(end.runId);
      else this.#settle(end);
    }
    for (const [runId, run] of this.#pending) {
      if (welcome.running.includes(runId)) continue;
      // The same executor would know the run if the message had arrived; another one may have died after starting it.
      if (isSame && run.spec !== null) this.#tell({ type: 'start', spec: run.spec });
      else this.#settle(endWithoutProcess(runId, 'lost'));
    }
  }

  #onDisconnected(socket: Socket): void {
    if (this.#socket !== socket) return;
    this.#socket = undefined;
    if (this.#closed) return;
    this.#options.log.warn('the connection to the executor broke; reconnecting');
    void this.#reconnect();
  }

  async #reconnect(): Promise<void> {
    for (
      let pauseMs = firstRetryMs;
      !this.#closed && this.#socket === undefined;
      pauseMs = Math.min(2 * pauseMs, longestRetryMs)
    ) {
      try {
        await this.connect();
      } catch (error) {
        this.#options.log.error({ err: error }, 'the executor cannot be reached');
        // Until there is a new one, those who wait for the old one need not.
        if (this.#executorPid !== undefined && !isAlive(this.#executorPid)) this.#giveUpPending();
        await wait(pauseMs);
      }
    }
  }

  #giveUpPending(): void {
    for (const runId of [...this.#pending.keys()]) this.#settle(endWithoutProcess(runId, 'lost'));
  }

  #hear(message: FromExecutor): void {
    if (message.type === 'started') this.#pending.get(message.runId)?.onStarted(message.startedAtMs);
    if (message.type === 'ended') this.#settle(message.end);
  }

  #settle(end: RunEnd): void {
    const run = this.#pending.get(end.runId);
    this.#pending.delete(end.runId);
    this.#running.delete(end.runId);
    if (run === undefined) this.#unclaimed.set(end.runId, end);
    else run.settle(end);
  }

  #tell(message: ToExecutor): void {
    // Without a connection nothing is lost: a pending start is repeated, and an end comes again until it is acknowledged.
    if (this.#socket?.writable) sendMessage(this.#socket, message);
  }
}

async function readAddress(home: string): Promise<ExecutorAddress | null> {
  try {
    const address: unknown = JSON.parse(await readFile(join(home, executorFile), 'utf8'));
    return isAddress(address) ? address : null;
  } catch {
    // No executor yet, or half a file of one that was killed: either way a new one is needed.
    return null;
  }
}

function isAddress(value: unknown): value is ExecutorAddress {
  if (typeof value !== 'object' || value === null) return false;
  return (
    'socket' in value &&
    typeof value.socket === 'string' &&
    'secret' in value &&
    typeof value.secret === 'string'
  );
}
