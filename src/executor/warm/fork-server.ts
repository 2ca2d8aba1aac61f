import { closeSync, constants, openSync, writeSync } from 'node:fs';

import { type FifoPool, giveAway, type LentFifo } from '../fifo-pool.ts';
import { isEnding } from '../process-table.ts';
import { HostChildren } from './host-children.ts';
import { hostCommand } from './host-command.ts';
import { type Host, startHost } from './start-host.ts';
import { encodeOrder, type InterpreterSpec, type Order, type WarmInterpreter } from './warm-interpreter.ts';

/** Why there is no fork server any more: its modules start threads, it is none that we know, or something else. */
export type ServerEnd = 'threads' | 'unfit' | 'stale' | 'gone';

interface ForkServerEvents {
  ready(): void;
  /** Called once, whatever the reason. Children that have a run go on. */
  ended(why: ServerEnd): void;
}

interface Birth {
  /** What it will have: where its run comes, and where its output goes. */
  readonly order: LentFifo;
  readonly orderFd: number;
  readonly stdout: LentFifo;
  readonly stderr: LentFifo;
  readonly settle: (child: WarmInterpreter | null) => void;
}

/** A Python that has loaded what scripts need, and forks a child for each run: that takes a fraction of a start. */
export class ForkServer {
  readonly #fifos: FifoPool;
  readonly #events: ForkServerEvents;
  readonly #host: Host;
  readonly #births = new Map<number, Birth>();
  readonly #children = new HostChildren();
  #asked = 0;
  #isReady = false;
  #hasEnded = false;

  constructor(spec: InterpreterSpec, program: string, fifos: FifoPool, events: ForkServerEvents) {
    this.#fifos = fifos;
    this.#events = events;
    const command = hostCommand(spec, { program, isForked: true });
    this.#host = startHost(command, ['pipe', 'pipe']);
    this.#host.onLine((line) => this.#hear(line));
    void this.#host.silent.then(() => this.#outlive());
    this.#host.send(command.config);
  }

  get pid(): number | undefined {
    return this.#host.pid;
  }

  /** Resolves with a child that waits for its run, or null when there will be none. A child for later takes the time to get ready. */
  async fork({ isForLater = false } = {}): Promise<WarmInterpreter | null> {
    const fifos: LentFifo[] = [];
    let orderFd: number | undefined;
    try {
      for (let count = 0; count < 3; count++) fifos.push(await this.#fifos.lend());
      // Before somebody reads from it: without a writer it would seem to be over.
      orderFd = openSync(fifos[0]?.path ?? '', constants.O_WRONLY);
    } catch {
      // For lack of file handles, or of room on the disk.
    }
    const [order, stdout, stderr] = fifos;
    const isLacking = order === undefined || stdout === undefined || stderr === undefined;
    if (isLacking || orderFd === undefined || this.#hasEnded) {
      if (orderFd !== undefined) closeSync(orderFd);
      for (const fifo of fifos) this.#fifos.giveBack(fifo);
      return null;
    }
    const seq = this.#asked++;
    return new Promise((settle) => {
      this.#births.set(seq, { order, orderFd, stdout, stderr, settle });
      this.#host.send({ seq, idle: isForLater, order: order.path, stdout: stdout.path, stderr: stderr.path });
    });
  }

  /** It ends when its children have; until then it tells how they do. While it still loads modules it has none, and hears nothing. */
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
        this.#bear(first, second);
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

  #bear(seq: number, pid: number): void {
    const birth = this.#births.get(seq);
    if (birth === undefined) return;
    this.#births.delete(seq);
    const { order, orderFd, stdout, stderr } = birth;
    const { started, exited } = this.#children.add(pid);
    // Nobody else has read from it, and what this one did not get to read is not for the next.
    void exited.then(() => this.#fifos.reclaim(order));
    birth.settle({
      pid,
      startTicks: started.ticks,
      stdout: this.#fifos.asOutput(stdout),
      stderr: this.#fifos.asOutput(stderr),
      exited,
      // One that was killed may be able to take its run for a moment longer.
      give: (run) => this.#children.has(pid) && !isEnding(pid) && send(orderFd, run),
      discard: () => {
        closeSync(orderFd);
        void exited.then(() => [stdout, stderr].map((fifo) => this.#fifos.reclaim(fifo)));
      },
    });
  }

  #abandon(seq: number): void {
    const birth = this.#births.get(seq);
    if (birth === undefined) return;
    this.#births.delete(seq);
    closeSync(birth.orderFd);
    // A server that was killed may have made a child and not told of it, which would take the next order for its own.
    giveAway(birth.order);
    for (const fifo of [birth.stdout, birth.stderr]) this.#fifos.reclaim(fifo);
    birth.settle(null);
  }

  #end(why: ServerEnd): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#events.ended(why);
  }

  /** The server is gone. Whoever it has left cannot be told of any more, and is watched from here. */
  #outlive(): void {
    for (const seq of [...this.#births.keys()]) this.#abandon(seq);
    this.#children.orphan();
    this.#end('gone');
  }
}

/** What any pipe takes at once, on every system: what is longer is for a start of its own. */
const pipeBytes = 4096;

/** Whether it was sent, and with it closed. */
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
