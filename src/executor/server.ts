import { randomBytes, timingSafeEqual } from 'node:crypto';
import { chmodSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { availableParallelism } from 'node:os';

import type { Containment } from '../contract/values.ts';
import { receiveMessages, sendMessage } from '../execution/message-lines.ts';
import {
  type Count,
  type Environment,
  type FromExecutor,
  protocolVersion,
  type RunEnd,
  type ToExecutor,
  toExecutorTypes,
  type WarmState,
} from '../execution/messages.ts';
import { removeParameterFile } from '../execution/parameter-files.ts';
import { throughShortPath } from '../execution/socket-path.ts';
import { type FromWindow, fromWindowTypes } from '../execution/window-messages.ts';
import { type GivenRun, nothingShared } from './given-run.ts';
import type { Journal } from './journal.ts';
import { Census } from './run-processes.ts';
import { type Equipment, type Supervision, supervise } from './supervise.ts';
import { countRunnable, WarmPool } from './warm/warm-pool.ts';
import type { Windows } from './windows.ts';

/** How long the executor stays alive without runs and without a service. */
const idleMs = 60_000;
/** The state of the warm interpreters changes with every run, so reports are combined. */
const warmReportMs = 100;
/** For an executor that gets no more runs and still has some. A service that comes back sends its limits again. */
const noWarm = { memoryBytes: 0, idleMs: 0 };

interface ExecutorOptions extends Omit<Equipment, 'warm'> {
  socketPath: string;
  instance: string;
  version: string;
  windows: Windows;
  /** The programs that warm interpreters run, by language. */
  warmPrograms: ConstructorParameters<typeof WarmPool>[0]['programs'];
  journal: Journal;
  /** Cleans up after executors that were killed. */
  inherit: () => Promise<void>;
  /** Called once, when the executor is not needed any more. */
  onIdle: () => void;
}

/**
 * The executor: takes runs from the service that holds the home, and keeps their ends until a service acknowledges
 * them.
 */
export class ExecutorServer {
  readonly secret = randomBytes(32).toString('hex');
  readonly #options: ExecutorOptions;
  readonly #server: Server;
  /** Null where warm interpreters are not supported. */
  readonly #warm: WarmPool | null;
  readonly #equipment: Equipment;
  /** The environment that all runs share. */
  #environment: Environment = nothingShared;
  readonly #running = new Map<string, Supervision>();
  readonly #unacknowledged = new Map<string, RunEnd>();
  readonly #unacknowledgedCounts = new Map<string, Count>();
  readonly #census: Census;
  #openStreams = 0;
  #dismissed = false;
  #retired = false;
  #isClosed = false;
  #service: Socket | undefined;
  #idleTimer: NodeJS.Timeout | undefined;
  #warmTimer: NodeJS.Timeout | undefined;
  /** Messages to the service that are not sent yet. */
  #outbox: FromExecutor[] = [];

  constructor(options: ExecutorOptions) {
    this.#options = options;
    const { processes, warmPrograms: programs } = options;
    const cores = availableParallelism();
    this.#warm =
      processes === null
        ? null
        : new WarmPool({
            processes,
            programs,
            isBusy: () => (countRunnable() ?? 2 * this.#running.size) >= 2 * cores,
            onChange: () => this.#reportWarm(),
          });
    this.#equipment = { ...options, warm: this.#warm };
    this.#census = new Census(
      (counts) => this.#reportCounts(counts),
      () => options.processes?.hasOrphans() ?? true,
    );
    this.#server = createServer((socket) => this.#greet(socket));
  }

  async listen(): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject);
      throughShortPath(this.#options.socketPath, (path) => this.#server.listen(path, resolve));
    });
    if (process.platform !== 'win32') chmodSync(this.#options.socketPath, 0o600);
    this.#scheduleExit();
  }

  close(): void {
    this.#isClosed = true;
    this.#server.close();
    this.#service?.destroy();
    this.#warm?.close();
  }

  /** Keeps the end of a run, of this executor or an earlier one, until a service acknowledges it. */
  keep(end: RunEnd, warm?: WarmState): void {
    this.#options.journal.ended(end);
    this.#unacknowledged.set(end.runId, end);
    this.#send({ type: 'ended', end, ...(warm && { warm }) });
  }

  #greet(socket: Socket): void {
    socket.on('error', () => socket.destroy());
    receiveMessages<ToExecutor | FromWindow>(socket, [...toExecutorTypes, ...fromWindowTypes], (message) => {
      // The executor is shutting down. The peer finds the connection closed, and starts another executor.
      if (this.#isClosed) socket.destroy();
      else if (isFromWindow(message)) this.#options.windows.receive(socket, message);
      else if (socket === this.#service) this.#handle(message);
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

  /** The newest service replaces an older connection, whose service has ended without this process noticing. */
  #welcome(socket: Socket): void {
    this.#service?.destroy();
    this.#service = socket;
    this.#outbox = [];
    this.#dismissed = false;
    // The service retires us again if necessary: after a downgrade, this executor may have the right version again.
    this.#retired = false;
    clearTimeout(this.#idleTimer);
    socket.once('close', () => {
      if (this.#service !== socket) return;
      this.#service = undefined;
      this.#scheduleExit();
    });
    this.#send({
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
      ended: [...this.#unacknowledged.values()],
      counts: [...this.#unacknowledgedCounts.values()],
      answersPing: true,
    });
  }

  #containment(): Containment {
    if (process.platform === 'win32') return 'taskkill';
    if (process.platform !== 'linux') return 'descent';
    return this.#options.cgroups === null ? 'sweep' : 'cgroup';
  }

  #handle(message: ToExecutor): void {
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
        this.#unacknowledged.delete(message.runId);
        this.#options.journal.heard(message.runId);
        this.#scheduleExit();
        break;
      case 'acknowledge-counts':
        for (const runId of message.runIds) this.#unacknowledgedCounts.delete(runId);
        this.#scheduleExit();
        break;
      case 'inherit':
        void this.#options.inherit().finally(() => this.#send({ type: 'inherited' }));
        break;
      case 'retire':
        this.#retired = true;
        this.#warm?.allow(noWarm);
        this.#scheduleExit();
        break;
      case 'farewell':
        this.#dismissed = true;
        this.#service?.destroy();
        this.#service = undefined;
        this.#warm?.allow(noWarm);
        this.#scheduleExit();
        break;
      case 'allow-warm':
        this.#warm?.allow(message.limits);
        this.#reportWarm();
        break;
      case 'type':
        this.#running.get(message.runId)?.terminal?.type(message);
        break;
      case 'resize':
        this.#running.get(message.runId)?.terminal?.resize(message);
        break;
      case 'ping':
        this.#send({ type: 'pong' });
        break;
      case 'hello':
        break;
    }
  }

  #start(spec: GivenRun): void {
    const { runId } = spec;
    if (this.#running.has(runId) || this.#unacknowledged.has(runId)) return;
    this.#options.journal.starting(runId);
    let reportStart = (): void => {};
    const run = supervise(spec, this.#equipment, {
      started: ({ pid, startTicks, startedAtMs, windowless }) => {
        // If the script has exited already, its process cannot be found any more. Its end is the next line of the
        // journal.
        const isOver = startTicks === 0 && process.platform === 'linux';
        if (!isOver) this.#options.journal.started({ runId, pid, startTicks });
        reportStart = () => {
          reportStart = () => {};
          // The current state: runs that started later may have sent theirs already.
          const warm = spec.warm ? this.#warm?.state : undefined;
          const terminal = this.#running.get(runId)?.terminal?.size;
          const more = { ...(warm && { warm }), ...(terminal && { terminal }) };
          this.#send({ type: 'started', runId, pid, startedAtMs, windowless, ...more });
        };
        if (windowless !== null) reportStart();
      },
      // For a shorter run, the end contains the start time.
      lasts: () => reportStart(),
      timedOut: () => this.#send({ type: 'timed-out', runId }),
    });
    this.#running.set(runId, run);
    this.#openStreams += 1;
    void run.end.then(async (end) => {
      // The service may be down, and may not start again for a long time.
      await removeParameterFile(spec.runFolder).catch((error: unknown) => {
        process.stderr.write(`${runId}: cannot remove its parameter file: ${String(error)}\n`);
      });
      this.#running.delete(runId);
      this.keep(end, spec.warm ? this.#warm?.state : undefined);
      if (end.leftRunning === null && run.processes !== null) this.#census.add(run.processes);
      this.#scheduleExit();
    });
    void run.released.then(() => {
      this.#openStreams -= 1;
      this.#scheduleExit();
    });
  }

  /** Sends the state of the warm interpreters, soon. */
  #reportWarm(): void {
    const warm = this.#warm;
    if (warm === null || this.#warmTimer !== undefined) return;
    this.#warmTimer = setTimeout(() => {
      this.#warmTimer = undefined;
      this.#send({ type: 'warm', state: warm.state });
    }, warmReportMs).unref();
  }

  #reportCounts(counts: readonly Count[]): void {
    for (const count of counts) {
      this.#unacknowledgedCounts.set(count.runId, count);
      // An end that is not acknowledged yet is sent again together with its count.
      const end = this.#unacknowledged.get(count.runId);
      if (end === undefined) continue;
      const counted = { ...end, leftRunning: count.leftRunning };
      this.#unacknowledged.set(count.runId, counted);
      this.#options.journal.ended(counted);
    }
    this.#send({ type: 'counted', counts });
  }

  /**
   * Sends a message after the pending messages of the service have been read. After this process was stopped for a
   * while, the service may have ended: the first failed write closes the connection, and the farewell of the service
   * would be lost.
   */
  #send(message: FromExecutor): void {
    if (this.#outbox.length === 0) setImmediate(() => this.#sendAll());
    this.#outbox.push(message);
  }

  #sendAll(): void {
    const messages = this.#outbox;
    this.#outbox = [];
    // Without a service no information is lost: the next welcome contains all that the service must know.
    if (!this.#service?.writable) return;
    this.#service.cork();
    for (const message of messages) sendMessage(this.#service, message);
    this.#service.uncork();
  }

  /**
   * Whether no run and no stream is left. Processes that a script left running may still write to its streams, and
   * would be killed by SIGPIPE if they were closed.
   */
  #isFree(): boolean {
    return this.#running.size === 0 && this.#openStreams === 0;
  }

  #scheduleExit(): void {
    clearTimeout(this.#idleTimer);
    if (!this.#isFree()) return;
    const isAllAcknowledged = this.#unacknowledged.size === 0 && this.#unacknowledgedCounts.size === 0;
    if (this.#service !== undefined && !(this.#retired && isAllAcknowledged)) return;
    // A service that said farewell is not expected back. A service that vanished may be restarting.
    const isUnneeded = this.#dismissed || this.#service !== undefined;
    this.#idleTimer = setTimeout(() => void this.#exitIfIdle(), isUnneeded ? 0 : idleMs);
  }

  async #exitIfIdle(): Promise<void> {
    await this.#census.settled();
    // A service may have connected in the meantime, or started a run.
    const isWanted = this.#service !== undefined && !this.#retired;
    if (!isWanted && this.#isFree()) this.#options.onIdle();
  }
}

function isFromWindow(message: ToExecutor | FromWindow): message is FromWindow {
  return fromWindowTypes.some((type) => type === message.type);
}
