import { closeSync, writeSync } from 'node:fs';

import { exitOf, type NativeProcesses, type Pipe } from '../native/processes.ts';
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
  readonly order: Pipe;
  readonly stdout: Pipe;
  readonly stderr: Pipe;
  readonly settle: (child: WarmInterpreter | null) => void;
}

/**
 * A Python that has loaded the modules that scripts need, and forks a child for each run. A fork takes a fraction of
 * the time of a start.
 */
export class ForkServer {
  readonly #processes: NativeProcesses;
  readonly #events: ForkServerEvents;
  readonly #host: Host;
  readonly #pending = new Map<number, PendingFork>();
  readonly #children: HostChildren;
  #nextSeq = 0;
  #isReady = false;
  #hasEnded = false;

  constructor(spec: InterpreterSpec, program: string, processes: NativeProcesses, events: ForkServerEvents) {
    this.#processes = processes;
    this.#children = new HostChildren(processes);
    this.#events = events;
    const command = hostCommand(spec, { program, isForked: true });
    this.#host = startHost(processes, command, null);
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
    const pipes: Pipe[] = [];
    try {
      for (let count = 0; count < 3; count++) pipes.push(this.#processes.openPipe());
    } catch {
      // There are no free file handles.
    }
    const [order, stdout, stderr] = pipes;
    if (order === undefined || stdout === undefined || stderr === undefined || this.#hasEnded) {
      pipes.forEach(closeBoth);
      return null;
    }
    const seq = this.#nextSeq++;
    return new Promise((settle) => {
      this.#pending.set(seq, { order, stdout, stderr, settle });
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
        this.#children.ended(first, exitOf(second, third));
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
    const { order, stdout, stderr } = pending;
    const { started, exited } = this.#children.add(pid);
    // The child has opened its ends.
    closeSync(order.readFd);
    stdout.release();
    stderr.release();
    pending.settle({
      pid,
      startTicks: started.ticks,
      stdout: stdout.readFd,
      stderr: stderr.readFd,
      exited,
      // A killed child may still be able to receive its run for a moment.
      give: (run) => this.#children.has(pid) && !isEnding(pid) && send(order, run),
      discard: () => {
        order.release();
        closeSync(stdout.readFd);
        closeSync(stderr.readFd);
      },
    });
  }

  #abandon(seq: number): void {
    const pending = this.#pending.get(seq);
    if (pending === undefined) return;
    this.#pending.delete(seq);
    // A child that a killed server has forked without reporting it finds the end of its order, and exits.
    [pending.order, pending.stdout, pending.stderr].forEach(closeBoth);
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

/** Returns whether the order was sent. If so, the pipe is closed. */
function send(pipe: Pipe, order: Order): boolean {
  const bytes = Buffer.from(encodeOrder(order));
  if (bytes.length > pipeBytes) return false;
  try {
    writeSync(pipe.writeFd, bytes);
  } catch {
    return false;
  }
  pipe.release();
  return true;
}

function closeBoth(pipe: Pipe): void {
  closeSync(pipe.readFd);
  pipe.release();
}
