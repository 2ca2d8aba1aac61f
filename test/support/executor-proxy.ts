import { writeFile } from 'node:fs/promises';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';

import { onTestFinished } from 'vitest';

import { receiveMessages } from '../../src/execution/message-lines.ts';
import {
  addressFileEnd,
  type ExecutorAddress,
  executorFolder,
  type FromExecutor,
  fromExecutorTypes,
  type ToExecutor,
  toExecutorTypes,
} from '../../src/execution/messages.ts';

type Message = ToExecutor | FromExecutor;

interface Cut {
  readonly type: Message['type'];
  readonly when: 'before' | 'after';
  readonly done: () => void;
}

/** A proxy between a service and its executor. It forwards their messages and breaks the connection at a chosen message. */
export class ExecutorProxy {
  /** The types of all messages delivered so far, in both directions. */
  readonly passed: Message['type'][] = [];
  /** While false, the proxy closes every new connection immediately. */
  isOpen = true;
  turnedAway = 0;
  readonly #server: Server;
  readonly #target: string;
  readonly #sockets = new Set<Socket>();
  #cut: Cut | undefined;

  private constructor(target: string) {
    this.#target = target;
    this.#server = createServer({ allowHalfOpen: true }, (service) => this.#connect(service));
  }

  /** Rewrites the executor's address, so that services now connect to the proxy. */
  static async before(home: string, address: ExecutorAddress): Promise<ExecutorProxy> {
    const proxy = new ExecutorProxy(address.socket);
    const folder = join(home, executorFolder);
    const socket = join(folder, 'proxy.sock');
    await new Promise<void>((resolve) => proxy.#server.listen(socket, resolve));
    await writeFile(
      join(folder, `${address.instance}${addressFileEnd}`),
      JSON.stringify({ ...address, socket }),
    );
    onTestFinished(() => proxy.close());
    return proxy;
  }

  /** Breaks the connection at the next message of this type: before delivery, so that the message is lost, or right after it. */
  cut(type: Message['type'], when: 'before' | 'after'): Promise<void> {
    return new Promise((done) => {
      this.#cut = { type, when, done };
    });
  }

  countOf(type: Message['type']): number {
    return this.passed.filter((each) => each === type).length;
  }

  /** Stops listening and closes all connections. */
  close(): void {
    this.#server.close();
    this.break();
  }

  break(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  #connect(service: Socket): void {
    service.on('error', () => {});
    if (!this.isOpen) {
      this.turnedAway++;
      service.destroy();
      return;
    }
    const executor = connect({ path: this.#target, allowHalfOpen: true });
    executor.on('error', () => {});
    for (const [socket, other] of [
      [service, executor],
      [executor, service],
    ] as const) {
      this.#sockets.add(socket);
      // A half-closed connection still receives data from the other side.
      socket.once('end', () => other.end());
      socket.once('close', () => {
        this.#sockets.delete(socket);
        other.destroy();
      });
    }
    receiveMessages<ToExecutor>(service, toExecutorTypes, (message) => this.#pass(message, executor));
    receiveMessages<FromExecutor>(executor, fromExecutorTypes, (message) => this.#pass(message, service));
  }

  #pass(message: Message, to: Socket): void {
    const cut = this.#cut?.type === message.type ? this.#cut : undefined;
    if (cut !== undefined) this.#cut = undefined;
    if (cut?.when === 'before') {
      cut.done();
      this.break();
      return;
    }
    this.passed.push(message.type);
    to.write(`${JSON.stringify(message)}\n`, () => {
      if (cut === undefined) return;
      cut.done();
      this.break();
    });
  }
}
