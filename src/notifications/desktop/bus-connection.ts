import { createConnection, type Socket } from 'node:net';

import type { Message, MessageBus } from 'dbus-native';

import { Feed } from '../../shared/feed.ts';

export interface BusCall {
  readonly destination: string;
  readonly path: string;
  readonly interface: string;
  readonly member: string;
  readonly signature?: string;
  readonly body?: unknown[];
}

export interface BusSignal {
  readonly interface: string;
  readonly member: string;
  readonly body: readonly unknown[];
}

/** The bus itself, as something to call. */
export const busItself = {
  destination: 'org.freedesktop.DBus',
  path: '/org/freedesktop/DBus',
  interface: 'org.freedesktop.DBus',
};

/** No answer to us and no signal that we ask for is anywhere near this. */
const maxMessageSize = 1024 * 1024;

/**
 * One connection to a session bus. It is dropped at the first sign of trouble and never used again: nothing that the bus
 * does, garbage and silence included, may be more than a call that failed.
 */
export class BusConnection {
  readonly signals = new Feed<BusSignal>();
  readonly #socket: Socket;
  readonly #bus: MessageBus;
  /** Why it is of no use any more. */
  #trouble: Error | null = null;

  private constructor(socket: Socket, bus: MessageBus, messageType: { signal: number }) {
    this.#socket = socket;
    this.#bus = bus;
    const drop = (error?: Error) => this.drop(error);
    bus.connection.on('error', drop);
    bus.connection.on('close', drop);
    bus.connection.on('end', drop);
    // What a listener of ours throws would otherwise end the process.
    bus.connection.on('handlerError', drop);
    bus.connection.on('message', (message: Message) => {
      if (message.type !== messageType.signal) return;
      const { interface: name = '', member = '', body = [] } = message;
      this.signals.publish({ interface: name, member, body });
    });
  }

  static async open(path: string, signal: AbortSignal): Promise<BusConnection> {
    // Most machines that run Hob without a desktop never need it.
    const dbus = await import('dbus-native');
    signal.throwIfAborted();
    const socket = createConnection({ path });
    socket.unref();
    // The library listens only from its next line on.
    socket.on('error', () => {});
    const bus = dbus.createClient({
      stream: socket,
      // The one way in that a session bus offers to its own user. The others read files and trust what the bus says of them.
      authMethods: ['EXTERNAL'],
      // The library's own greeting throws into the void when it is refused.
      direct: true,
      plainValues: true,
      maxMessageSize,
    });
    const connection = new BusConnection(socket, bus, dbus.messageType);
    try {
      await connection.call({ ...busItself, member: 'Hello' }, signal);
    } catch (error) {
      connection.drop();
      throw error;
    }
    return connection;
  }

  get isOpen(): boolean {
    return this.#trouble === null;
  }

  /** What identifies the bus: another one at the same address has another. */
  get busId(): string {
    return this.#bus.connection.guid ?? '';
  }

  /** Rejects when it is refused, and when the signal comes before the answer; then the connection is dropped, too. */
  async call(call: BusCall, signal: AbortSignal): Promise<unknown> {
    if (this.#trouble !== null) throw this.#trouble;
    try {
      return await this.#bus.invoke({ ...call }, { signal });
    } catch (error) {
      // A refusal is an answer, and the connection as good as before.
      if (refusalOf(error) === null) this.drop(error instanceof Error ? error : new Error(String(error)));
      throw this.#trouble ?? error;
    }
  }

  drop(reason: Error = new Error('the session bus closed the connection')): void {
    this.#trouble ??= reason;
    this.#socket.destroy();
  }
}

/** The name of the error that somebody on the bus answered with; null for all other failures. */
export function refusalOf(error: unknown): string | null {
  if (!(error instanceof Error) || !('dbusName' in error) || !('reply' in error)) return null;
  return typeof error.dbusName === 'string' && error.reply !== undefined ? error.dbusName : null;
}
