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

/** The bus daemon as a call target. */
export const busItself = {
  destination: 'org.freedesktop.DBus',
  path: '/org/freedesktop/DBus',
  interface: 'org.freedesktop.DBus',
};

/** Far larger than any expected reply or signal. */
const maxMessageSize = 1024 * 1024;

/**
 * One connection to a session bus. It is dropped at the first error and never reused. Invalid data or silence from the bus must only
 * make a call fail.
 */
export class BusConnection {
  readonly signals = new Feed<BusSignal>();
  readonly #socket: Socket;
  readonly #bus: MessageBus;
  #trouble: Error | null = null;

  private constructor(socket: Socket, bus: MessageBus, messageType: { signal: number }) {
    this.#socket = socket;
    this.#bus = bus;
    const drop = (error?: Error) => this.drop(error);
    bus.connection.on('error', drop);
    bus.connection.on('close', drop);
    bus.connection.on('end', drop);
    // An exception in one of our listeners would otherwise end the process.
    bus.connection.on('handlerError', drop);
    bus.connection.on('message', (message: Message) => {
      if (message.type !== messageType.signal) return;
      const { interface: name = '', member = '', body = [] } = message;
      this.signals.publish({ interface: name, member, body });
    });
  }

  static async open(path: string, signal: AbortSignal): Promise<BusConnection> {
    // Loaded on demand: most machines without a desktop never need it.
    const dbus = await import('dbus-native');
    signal.throwIfAborted();
    const socket = createConnection({ path });
    socket.unref();
    // The library starts to listen in its next line.
    socket.on('error', () => {});
    const bus = dbus.createClient({
      stream: socket,
      // EXTERNAL is the only mechanism that a session bus offers to its own user. The others read files that the bus names.
      authMethods: ['EXTERNAL'],
      // The greeting of the library throws an uncatchable error if it is refused.
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

  get busId(): string {
    return this.#bus.connection.guid ?? '';
  }

  /** Rejects if the call is refused, or if the signal aborts before the reply; in that case, the connection is dropped too. */
  async call(call: BusCall, signal: AbortSignal): Promise<unknown> {
    if (this.#trouble !== null) throw this.#trouble;
    try {
      return await this.#bus.invoke({ ...call }, { signal });
    } catch (error) {
      // A refusal is a valid reply: the connection is still good.
      if (refusalOf(error) === null) this.drop(error instanceof Error ? error : new Error(String(error)));
      throw this.#trouble ?? error;
    }
  }

  drop(reason: Error = new Error('the session bus closed the connection')): void {
    this.#trouble ??= reason;
    this.#socket.destroy();
  }
}

/** The D-Bus name of an error reply; null for all other failures. */
export function refusalOf(error: unknown): string | null {
  if (!(error instanceof Error) || !('dbusName' in error) || !('reply' in error)) return null;
  return typeof error.dbusName === 'string' && error.reply !== undefined ? error.dbusName : null;
}
