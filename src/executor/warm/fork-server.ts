import { closeSync, constants, openSync, writeSync } from 'node:fs';

import { type FifoPool, giveAway, type LentFifo } from '../fifo-pool.ts';
import { isEnding } from '../process-table.ts';
import {
  encodeOrder,
  type Host,
  HostChildren,
  hostCommand,
  type InterpreterSpec,
  type Order,
  startHost,
  type WarmInterpreter,
} from './host.ts';

/**
 * Why a fork server has ended: its modules start threads, its Python is not supported, a file that it loaded has
 * changed, or any other reason.
 */
export type ServerEnd = 'threads' | 'unfit' | 'stale' | 'gone';

interface ForkServerEvents {
  ready(): void;
  /** Called once, for any reason. Children that have a run continue. */
  ended(why: ServerEnd): void;
}

interface PendingFork {
  /** The pipe that delivers the run to the child, and the pipes for its output. */
  readonly order: LentFifo;
  readonly orderFd: number;
  readonly stdout: LentFifo;
  readonly stderr: LentFifo;
  readonly settle: (child: WarmInterpreter | null) => void;
}

/**
 * A Python that has loaded the modules that scripts need, and forks a child for each run. A fork takes a fraction of
 * the time of a start.
 */
export class ForkServer {
  readonly #fifos: FifoPool;
  readonly #events: ForkServerEvents;
  readonly #host: Host;
  readonly #pending = new Map<number, PendingFork>();
  readonly #children = new HostChildren();
  #nextSeq = 0;
  #isReady = false;
  #hasEnded = false;

  constructor(spec: InterpreterSpec, program: string, fifos: FifoPool, events: ForkServerEvents) {
    this.#fifos = fifos;
    this.#events = events;
    const command = hostCommand(spec, { program, isForked: true });
    this.#host = startHost(command, ['pipe', 'pipe']);
    this.#host.onLine((line) => this.#hear(line));
    void this.#host.silent.then(() => this.#onServerGone());
    this.#host.send(command.config);
  }

  get pid(): number | undefined {
    return this.#host.pid;
  }

  /**
   * Resolves with a child that waits for its run, or null if none can be forked. A child that is needed later uses the
   * time to prepare.
   */
  async fork({ isForLater = false } = {}): Promise<WarmInterpreter | null> {
    const fifos: LentFifo[] = [];
    let orderFd: number | undefined;
    try {
      for (let count = 0; count < 3; count++) fifos.push(await this.#fifos.lend());
      // Open it before a reader does: without a writer, the reader would find the end of the pipe.
      orderFd = openSync(fifos[0]?.path ?? '', constants.O_WRONLY);
    } catch {
      // There are no free file handles, or the disk is full.
    }
    const [order, stdout, stderr] = fifos;
    const isLacking = order === undefined || stdout === undefined || stderr === undefined;
    if (isLacking || orderFd === undefined || this.#hasEnded) {
      if (orderFd !== undefined) closeSync(orderFd);
      for (const fifo of fifos) this.#fifos.giveBack(fifo);
      return null;
    }
    const seq = this.#nextSeq++;
    return new Promise((settle) => {
      this.#pending.set(seq, { order, orderFd, stdout, stderr, settle });
      this.#host.send({ seq, idle: isForLater, order: order.path, stdout: stdout.path, stderr: stderr.path });
    });
  }

  /**
   * The server ends when its children have ended; until then it reports their exits. While it still loads modules, it
   * has no children and reads no messages.
   */
  close(): void {
    this.#end('gone');
    if (this.#isReady) this.#host.dismiss();
    else this.#host.kill();
  }

  #hear(line: string): void {
    const [word = '', ...rest] = line.split(' ');
    const [first = 0, second = 0, third = 0] = rest.map(Number);
    switch (word) {
      case 'ready':
        this.#isReady = true;
        this.#events.ready();
        break;
      case 'born':
        this.#addChild(first, second);
        break;
      case 'refused':
        this.#abandon(first);
        break;
      case 'ended':
        this.#children.ended(first, second, third);
        break;
      case 'stale':
        this.#abandon(first);
        this.#end('stale');
        break;
      case 'threads':
      case 'unfit':
        this.#end(word);
        break;
    }
  }

  #addChild(seq: number, pid: number): void {
    const pending = this.#pending.get(seq);
    if (pending === undefined) return;
    this.#pending.delete(seq);
    const { order, orderFd, stdout, stderr } = pending;
    const { started, exited } = this.#children.add(pid);
    // Only this child has read from the pipe. Bytes that it did not read must not reach the next child.
    void exited.then(() => this.#fifos.reclaim(order));
    pending.settle({
      pid,
      startTicks: started.ticks,
      stdout: this.#fifos.asOutput(stdout),
      stderr: this.#fifos.asOutput(stderr),
      exited,
      // A killed child may still be able to receive its run for a moment.
      give: (run) => this.#children.has(pid) && !isEnding(pid) && send(orderFd, run),
      discard: () => {
        closeSync(orderFd);
        void exited.then(() => [stdout, stderr].map((fifo) => this.#fifos.reclaim(fifo)));
      },
    });
  }

  #abandon(seq: number): void {
    const pending = this.#pending.get(seq);
    if (pending === undefined) return;
    this.#pending.delete(seq);
    closeSync(pending.orderFd);
    // A server that was killed may have forked a child without reporting it. That child would read the next order in
    // this pipe.
    giveAway(pending.order);
    for (const fifo of [pending.stdout, pending.stderr]) this.#fifos.reclaim(fifo);
    pending.settle(null);
  }

  #end(why: ServerEnd): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#events.ended(why);
  }

  /** The server has ended and cannot report on its children any more, so this process watches them. */
  #onServerGone(): void {
    for (const seq of [...this.#pending.keys()]) this.#abandon(seq);
    this.#children.orphan();
    this.#end('gone');
  }
}

/** The number of bytes that every system writes to a pipe at once. A longer order needs an ordinary start. */
const pipeBytes = 4096;

/** Returns whether the order was sent. If so, the handle is closed. */
function send(fd: number, order: Order): boolean {
  const bytes = Buffer.from(encodeOrder(order));
  if (bytes.length > pipeBytes) return false;
  try {
    writeSync(fd, bytes);
  } catch {
    return false;
  }
  closeSync(fd);
  return true;
}
