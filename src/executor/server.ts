import { randomBytes, timingSafeEqual } from 'node:crypto';
import { chmodSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';

import { receiveMessages, sendMessage } from '../execution/message-lines.ts';
import {
  type Containment,
  type Count,
  type Environment,
  type FromExecutor,
  protocolVersion,
  type RunEnd,
  type ToExecutor,
  toExecutorTypes,
  type WarmState,
} from '../execution/messages.ts';
import { removeParameterFile } from '../execution/remove-parameter-file.ts';
import { throughShortPath } from '../execution/socket-path.ts';
import { type FromWindow, fromWindowTypes } from '../execution/window-messages.ts';
import { Census } from './census.ts';
import { type GivenRun, nothingShared } from './given-run.ts';
import type { Journal } from './journal.ts';
import { type Equipment, type Supervision, supervise } from './supervise.ts';
import type { WarmPool } from './warm/warm-pool.ts';
import type { Windows } from './windows.ts';

/** How long the executor stays when it has nothing to do and no service to do it for. */
const lonelyMs = 60_000;
/** News of warm interpreters come with every run; told together they cost nothing. */
const warmNewsMs = 100;
/** For an executor that gets no more runs, while those that it has go on. A service that comes back says what it may have. */
const noWarm = { memoryBytes: 0, idleMs: 0 };

interface ExecutorOptions extends Equipment {
  socketPath: string;
  instance: string;
  version: string;
  windows: Windows;
  /** Null where no interpreter can wait. */
  warm: WarmPool | null;
  journal: Journal;
  /** Clears up after executors that were killed. */
  inherit: () => Promise<void>;
  /** Called once, when there is nothing left to stay for. */
  onIdle: () => void;
}

/** The executor: takes runs from whichever service holds the home, and keeps what became of them until it is told that it was heard. */
export class ExecutorServer {
  readonly secret = randomBytes(32).toString('hex');
  readonly #options: ExecutorOptions;
  readonly #server: Server;
  /** What all runs share. */
  #environment: Environment = nothingShared;
  readonly #running = new Map<string, Supervision>();
  readonly #unheard = new Map<string, RunEnd>();
  readonly #unheardCounts = new Map<string, Count>();
  readonly #census = new Census((counts) => this.#reportCounts(counts));
  #held = 0;
  #dismissed = false;
  #retired = false;
  #isClosed = false;
  #service: Socket | undefined;
  #lonely: NodeJS.Timeout | undefined;
  #warmNews: NodeJS.Timeout | undefined;
  /** Messages to the service that are not sent yet. */
  #outbox: FromExecutor[] = [];

  constructor(options: ExecutorOptions) {
    this.#options = options;
    this.#server = createServer((socket) => this.#greet(socket));
  }

  /** How many runs are under way. */
  get running(): number {
    return this.#running.size;
  }

  async listen(): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject);
      throughShortPath(this.#options.socketPath, (path) => this.#server.listen(path, resolve));
    });
    if (process.platform !== 'win32') chmodSync(this.#options.socketPath, 0o600);
    this.#reconsider();
  }

  close(): void {
    this.#isClosed = true;
    this.#server.close();
    this.#service?.destroy();
  }

  /** Keeps an end, of a run of this executor or one before it, until a service has heard it. */
  keep(end: RunEnd, warm?: WarmState): void {
    this.#options.journal.ended(end);
    this.#unheard.set(end.runId, end);
    this.#tell({ type: 'ended', end, ...(warm && { warm }) });
  }

  #greet(socket: Socket): void {
    socket.on('error', () => socket.destroy());
    receiveMessages<ToExecutor | FromWindow>(socket, [...toExecutorTypes, ...fromWindowTypes], (message) => {
      // Whoever came while we were leaving finds out that nobody is here, and starts another executor.
      if (this.#isClosed) socket.destroy();
      else if (isFromWindow(message)) this.#options.windows.receive(socket, message);
      else if (socket === this.#service) this.#obey(message);
      else if (message.type === 'hello' && this.#isOurs(message)) this.#welcome(socket);
      else socket.destroy();
    });
  }

  #isOurs(hello: { protocol: number; secret: string }): boolean {
    const given = Buffer.from(String(hello.secret));
    const expected = Buffer.from(this.secret);
    return (
      hello.protocol === protocolVersion &&
      given.length === expected.length &&
      timingSafeEqual(given, expected)
    );
  }

  /** The newest service is the one that counts: the older connection is one that has not noticed yet that it is gone. */
  #welcome(socket: Socket): void {
    this.#service?.destroy();
    this.#service = socket;
    this.#outbox = [];
    this.#dismissed = false;
    // It will say so again if it means it: after a step back to an older version this one may be the right one again.
    this.#retired = false;
    clearTimeout(this.#lonely);
    socket.once('close', () => {
      if (this.#service !== socket) return;
      this.#service = undefined;
      this.#reconsider();
    });
    this.#tell({
      type: 'welcome',
      protocol: protocolVersion,
      version: this.#options.version,
      pid: process.pid,
      instance: this.#options.instance,
      containment: this.#containment(),
      running: [...this.#running].map(([runId, { pid, isTimedOut, terminal }]) => ({
        runId,
        pid,
        isTimedOut,
        ...(terminal !== null && { terminal: terminal.size }),
      })),
      ended: [...this.#unheard.values()],
      counts: [...this.#unheardCounts.values()],
      answersPing: true,
    });
  }

  #containment(): Containment {
    if (process.platform === 'win32') return 'taskkill';
    if (process.platform !== 'linux') return 'descent';
    return this.#options.cgroups === null ? 'sweep' : 'cgroup';
  }

  #obey(message: ToExecutor): void {
    switch (message.type) {
      case 'environment':
        this.#environment = message.env;
        break;
      case 'start':
        this.#start({ ...message.spec, shared: this.#environment });
        break;
      case 'stop':
        this.#running.get(message.runId)?.stop(message.cause);
        break;
      case 'acknowledge':
        this.#unheard.delete(message.runId);
        this.#options.journal.heard(message.runId);
        this.#reconsider();
        break;
      case 'acknowledge-counts':
        for (const runId of message.runIds) this.#unheardCounts.delete(runId);
        this.#reconsider();
        break;
      case 'inherit':
        void this.#options.inherit().finally(() => this.#tell({ type: 'inherited' }));
        break;
      case 'retire':
        this.#retired = true;
        this.#options.warm?.allow(noWarm);
        this.#reconsider();
        break;
      case 'farewell':
        this.#dismissed = true;
        this.#service?.destroy();
        this.#service = undefined;
        this.#options.warm?.allow(noWarm);
        this.#reconsider();
        break;
      case 'allow-warm':
        this.#options.warm?.allow(message.limits);
        this.reportWarm();
        break;
      case 'type':
        this.#running.get(message.runId)?.terminal?.type(message);
        break;
      case 'resize':
        this.#running.get(message.runId)?.terminal?.resize(message);
        break;
      case 'ping':
        this.#tell({ type: 'pong' });
        break;
      case 'hello':
        break;
    }
  }

  #start(spec: GivenRun): void {
    const { runId } = spec;
    if (this.#running.has(runId) || this.#unheard.has(runId)) return;
    this.#options.journal.starting(runId);
    let tellStart = (): void => {};
    const run = supervise(spec, this.#options, {
      started: ({ pid, startTicks, startedAtMs, windowless }) => {
        // Of one that is over already there is nothing to be found any more: its end is the next line.
        const isOver = startTicks === 0 && process.platform === 'linux';
        if (!isOver) this.#options.journal.started({ runId, pid, startTicks });
        tellStart = () => {
          tellStart = () => {};
          // The state at this moment: runs that started later may have sent theirs already.
          const warm = spec.warm ? this.#options.warm?.state : undefined;
          const terminal = this.#running.get(runId)?.terminal?.size;
          const more = { ...(warm && { warm }), ...(terminal && { terminal }) };
          this.#tell({ type: 'started', runId, pid, startedAtMs, windowless, ...more });
        };
        if (windowless !== null) tellStart();
      },
      // The end of a shorter run says when the script was started.
      lasts: () => tellStart(),
      timedOut: () => this.#tell({ type: 'timed-out', runId }),
    });
    this.#running.set(runId, run);
    this.#held += 1;
    void run.end.then(async (end) => {
      // The service may be gone, and its next start may be far away.
      await removeParameterFile(spec.runFolder).catch((error: unknown) => {
        process.stderr.write(`${runId}: cannot remove its parameter file: ${String(error)}\n`);
      });
      this.#running.delete(runId);
      this.keep(end, spec.warm ? this.#options.warm?.state : undefined);
      if (end.leftRunning === null && run.processes !== null) this.#census.add(run.processes);
      this.#reconsider();
    });
    void run.released.then(() => {
      this.#held -= 1;
      this.#reconsider();
    });
  }

  /** Tells how the warm interpreters stand, soon. */
  reportWarm(): void {
    const { warm } = this.#options;
    if (warm === null || this.#warmNews !== undefined) return;
    this.#warmNews = setTimeout(() => {
      this.#warmNews = undefined;
      this.#tell({ type: 'warm', state: warm.state });
    }, warmNewsMs).unref();
  }

  #reportCounts(counts: readonly Count[]): void {
    for (const count of counts) {
      this.#unheardCounts.set(count.runId, count);
      // An end that is still to be heard brings its count along.
      const end = this.#unheard.get(count.runId);
      if (end === undefined) continue;
      const counted = { ...end, leftRunning: count.leftRunning };
      this.#unheard.set(count.runId, counted);
      this.#options.journal.ended(counted);
    }
    this.#tell({ type: 'counted', counts });
  }

  /**
   * Sends a message after the messages of the service have been read. After a pause of this process the service may be gone:
   * the first failed write closes the connection, and with it the service's farewell would be lost.
   */
  #tell(message: FromExecutor): void {
    if (this.#outbox.length === 0) setImmediate(() => this.#sendAll());
    this.#outbox.push(message);
  }

  #sendAll(): void {
    const messages = this.#outbox;
    this.#outbox = [];
    // Without a service nothing is lost: the next welcome says what the service must know.
    if (!this.#service?.writable) return;
    this.#service.cork();
    for (const message of messages) sendMessage(this.#service, message);
    this.#service.uncork();
  }

  /** What a script left running may still write to its streams; it would be killed by that if nobody read them. */
  #isFree(): boolean {
    return this.#running.size === 0 && this.#held === 0;
  }

  #reconsider(): void {
    clearTimeout(this.#lonely);
    if (!this.#isFree()) return;
    const isTold = this.#unheard.size === 0 && this.#unheardCounts.size === 0;
    if (this.#service !== undefined && !(this.#retired && isTold)) return;
    // A service that said goodbye is not expected back; one that just vanished may be on its way up again.
    const isUnneeded = this.#dismissed || this.#service !== undefined;
    this.#lonely = setTimeout(() => void this.#leave(), isUnneeded ? 0 : lonelyMs);
  }

  async #leave(): Promise<void> {
    await this.#census.settled();
    // A service may have come in the meantime, or brought a run.
    const isWanted = this.#service !== undefined && !this.#retired;
    if (!isWanted && this.#isFree()) this.#options.onIdle();
  }
}

function isFromWindow(message: ToExecutor | FromWindow): message is FromWindow {
  return fromWindowTypes.some((type) => type === message.type);
}
