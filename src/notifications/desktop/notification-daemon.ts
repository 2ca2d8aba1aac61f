import { Feed } from '../../shared/feed.ts';
import { BusConnection, type BusSignal, busItself, refusalOf } from './bus-connection.ts';

/** A bubble in the terms of the notification protocol. */
export interface DaemonNotification {
  readonly icon: string;
  readonly title: string;
  readonly body: string;
  /** Keys and labels, alternating. */
  readonly actions: readonly string[];
  readonly urgency: number;
  /** 0: never. */
  readonly expireMs: number;
}

export type DaemonEvent =
  | { readonly type: 'closed'; readonly id: number }
  | { readonly type: 'action'; readonly id: number; readonly action: string }
  /** The daemon has changed or exited: its bubbles are gone. */
  | { readonly type: 'changed' };

const daemonName = 'org.freedesktop.Notifications';
const daemon = { destination: daemonName, path: '/org/freedesktop/Notifications', interface: daemonName };

/** The notification daemon of the desktop, over one connection to the session bus. */
export class NotificationDaemon {
  readonly events = new Feed<DaemonEvent>();
  readonly #connection: BusConnection;
  #owner: string | null = null;

  private constructor(connection: BusConnection) {
    this.#connection = connection;
    connection.signals.subscribe((signal) => this.#hear(signal));
  }

  static async open(path: string, signal: AbortSignal): Promise<NotificationDaemon> {
    const connection = await BusConnection.open(path, signal);
    const opened = new NotificationDaemon(connection);
    try {
      for (const rule of [
        `type='signal',sender='${daemonName}',interface='${daemonName}'`,
        `type='signal',sender='${busItself.destination}',member='NameOwnerChanged',arg0='${daemonName}'`,
      ]) {
        await connection.call({ ...busItself, member: 'AddMatch', signature: 's', body: [rule] }, signal);
      }
      await opened.#findOwner(signal);
    } catch (error) {
      connection.drop();
      throw error;
    }
    return opened;
  }

  get isOpen(): boolean {
    return this.#connection.isOpen;
  }

  /** Bus name of the current daemon, which owns the bubble ids. Null if there is none. */
  get owner(): string | null {
    return this.#owner === null ? null : `${this.#connection.busId} ${this.#owner}`;
  }

  /** Capabilities of the daemon, as named in the specification. */
  async capabilities(signal: AbortSignal): Promise<ReadonlySet<string>> {
    const answer = await this.#connection.call({ ...daemon, member: 'GetCapabilities' }, signal);
    return new Set((Array.isArray(answer) ? answer : []).map(String));
  }

  /** Resolves with the id of the bubble. */
  async notify(notification: DaemonNotification, signal: AbortSignal): Promise<number> {
    const { icon, title, body, actions, urgency, expireMs } = notification;
    const hints = [['urgency', ['y', urgency]]];
    const id = await this.#connection.call(
      {
        ...daemon,
        member: 'Notify',
        signature: 'susssasa{sv}i',
        body: ['Hob', 0, icon, title, body, actions, hints, expireMs],
      },
      signal,
    );
    if (typeof id !== 'number') throw new Error('the notification daemon returned no id');
    return id;
  }

  async closeNotification(id: number, signal: AbortSignal): Promise<void> {
    await this.#connection.call(
      { ...daemon, member: 'CloseNotification', signature: 'u', body: [id] },
      signal,
    );
  }

  /** Waits until a daemon owns the name, at most this long. */
  async somebodyThere(ms: number, signal: AbortSignal): Promise<void> {
    if (this.#owner !== null) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(end, ms);
      timer.unref();
      const unsubscribe = this.events.subscribe(() => {
        if (this.#owner !== null) end();
      });
      signal.addEventListener('abort', end, { once: true });
      function end() {
        clearTimeout(timer);
        unsubscribe();
        signal.removeEventListener('abort', end);
        resolve();
      }
    });
  }

  drop(): void {
    this.#connection.drop();
  }

  async #findOwner(signal: AbortSignal): Promise<void> {
    const call = { ...busItself, member: 'GetNameOwner', signature: 's', body: [daemonName] };
    try {
      this.#owner = String(await this.#connection.call(call, signal));
    } catch (error) {
      // No daemon owns the name; the bus may be able to start one.
      if (refusalOf(error) === null) throw error;
    }
  }

  #hear({ interface: from, member, body }: BusSignal): void {
    const [first, second, third] = body;
    if (from === busItself.interface && member === 'NameOwnerChanged' && first === daemonName) {
      this.#owner = typeof third === 'string' && third !== '' ? third : null;
      this.events.publish({ type: 'changed' });
      return;
    }
    if (from !== daemonName || typeof first !== 'number') return;
    if (member === 'NotificationClosed') this.events.publish({ type: 'closed', id: first });
    if (member === 'ActionInvoked') {
      this.events.publish({ type: 'action', id: first, action: String(second) });
    }
  }
}
