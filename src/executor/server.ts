import { randomBytes, timingSafeEqual } from 'node:crypto';
import { createServer, type Server, type Socket } from 'node:net';

import { receiveMessages, sendMessage } from '../execution/message-lines.ts';
import {
  type FromExecutor,
  protocolVersion,
  type RunEnd,
  type RunSpec,
  type ToExecutor,
} from '../execution/messages.ts';
import { saveEnd } from '../execution/saved-end.ts';
import type { FifoPool } from './fifo-pool.ts';
import { type Supervision, supervise } from './supervise.ts';

/** How long the executor stays when it has nothing to do and no service to do it for. */
const lonelyMs = 60_000;

const messageTypes = ['hello', 'start', 'stop', 'acknowledge', 'farewell'] as const;

interface ExecutorOptions {
  socketPath: string;
  version: string;
  fifos: FifoPool | null;
  /** Called once, when there is nothing left to stay for. */
  onIdle: () => void;
}

/** The executor: takes runs from whichever service holds the home, and keeps what became of them until it is told that it was heard. */
export class ExecutorServer {
  readonly secret = randomBytes(32).toString('hex');
  readonly #instance = randomBytes(8).toString('hex');
  readonly #options: ExecutorOptions;
  readonly #server: Server;
  readonly #running = new Map<string, Supervision>();
  readonly #unheard = new Map<string, { runFolder: string; end: RunEnd }>();
  #held = 0;
  #dismissed = false;
  #service: Socket | undefined;
  #lonely: NodeJS.Timeout | undefined;

  constructor(options: ExecutorOptions) {
    this.#options = options;
    this.#server = createServer((socket) => this.#greet(socket));
  }

  async listen(): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(this.#options.socketPath, resolve);
    });
    this.#reconsider();
  }

  close(): void {
    this.#server.close();
    this.#service?.destroy();
  }

  #greet(socket: Socket): void {
    socket.on('error', () => socket.destroy());
    receiveMessages<ToExecutor>(socket, messageTypes, (message) => {
      if (socket === this.#service) this.#obey(message);
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
    this.#dismissed = false;
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
      instance: this.#instance,
      running: [...this.#running.keys()],
      ended: [...this.#unheard.values()].map(({ end }) => end),
    });
  }

  #obey(message: ToExecutor): void {
    switch (message.type) {
      case 'start':
        this.#start(message.spec);
        break;
      case 'stop':
        this.#running.get(message.runId)?.stop(message.cause);
        break;
      case 'acknowledge':
        this.#unheard.delete(message.runId);
        break;
      case 'farewell':
        this.#dismissed = true;
        this.#service?.destroy();
        this.#service = undefined;
        this.#reconsider();
        break;
      case 'hello':
        break;
    }
  }

  #start(spec: RunSpec): void {
    if (this.#running.has(spec.runId) || this.#unheard.has(spec.runId)) return;
    const run = supervise(spec, this.#options.fifos, (pid, startedAtMs) => {
      this.#tell({ type: 'started', runId: spec.runId, pid, startedAtMs });
    });
    this.#running.set(spec.runId, run);
    this.#held += 1;
    void run.end.then((end) => {
      this.#unheard.set(spec.runId, { runFolder: spec.runFolder, end });
      this.#running.delete(spec.runId);
      if (this.#service?.writable) this.#tell({ type: 'ended', end });
      else void this.#save(spec.runFolder, end);
      this.#reconsider();
    });
    void run.released.then(() => {
      this.#held -= 1;
      this.#reconsider();
    });
  }

  #tell(message: FromExecutor): void {
    if (this.#service?.writable) sendMessage(this.#service, message);
  }

  /** What a script left running may still write to its streams; it would be killed by that if nobody read them. */
  #isFree(): boolean {
    return this.#running.size === 0 && this.#held === 0;
  }

  #reconsider(): void {
    clearTimeout(this.#lonely);
    if (this.#service !== undefined || !this.#isFree()) return;
    // A service that said goodbye is not expected back; one that just vanished may be on its way up again.
    this.#lonely = setTimeout(() => void this.#leave(), this.#dismissed ? 0 : lonelyMs);
  }

  /** What nobody has heard yet is left in writing. */
  async #leave(): Promise<void> {
    for (const { runFolder, end } of this.#unheard.values()) await this.#save(runFolder, end);
    // A service may have come while that was written.
    if (this.#service === undefined && this.#isFree()) this.#options.onIdle();
  }

  async #save(runFolder: string, end: RunEnd): Promise<void> {
    // The disk may be full, or the run deleted with its folder: then the end is known for as long as we are here.
    await saveEnd(runFolder, end).catch(() => {});
  }
}
