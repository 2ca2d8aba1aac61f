import { createClient, type InterfaceDescriptor, type MessageBus } from 'dbus-native';
import { onTestFinished } from 'vitest';

import { notificationsName, type SessionBus } from './desktop.ts';
import { until } from './until.ts';

const path = '/org/freedesktop/Notifications';
const description: InterfaceDescriptor = {
  name: notificationsName,
  methods: {
    GetCapabilities: ['', 'as', [], ['capabilities']],
    Notify: ['susssasa{sv}i', 'u', [], ['id']],
    CloseNotification: ['u', '', [], []],
  },
  signals: {
    NotificationClosed: ['uu', 'id', 'reason'],
    ActionInvoked: ['us', 'id', 'action'],
  },
};

export interface Notified {
  readonly id: number;
  readonly app: string;
  readonly icon: string;
  readonly summary: string;
  readonly body: string;
  readonly actions: readonly string[];
  readonly expireMs: number;
}

const never = new Promise<never>(() => {});

/** A notification daemon that shows nothing, expires nothing, and has only the capabilities that the test gives it. */
export class FakeDaemon {
  readonly notified: Notified[] = [];
  readonly closed: number[] = [];
  /** Whether it ignores all requests and never answers. */
  isMute = false;
  readonly #client: MessageBus;

  private constructor(client: MessageBus) {
    this.#client = client;
  }

  static async start(bus: SessionBus, capabilities: readonly string[]): Promise<FakeDaemon> {
    const client = createClient({ busAddress: `unix:path=${bus.path}`, plainValues: true });
    client.connection.on('error', () => {});
    const daemon = new FakeDaemon(client);
    onTestFinished(() => daemon.stop());
    const methods = {
      GetCapabilities: () => (daemon.isMute ? never : [...capabilities]),
      Notify(
        app: string,
        _replaces: number,
        icon: string,
        summary: string,
        body: string,
        actions: string[],
        _hints: unknown,
        expireMs: number,
      ) {
        if (daemon.isMute) return never;
        const id = daemon.notified.length + 1;
        daemon.notified.push({ id, app, icon, summary, body, actions, expireMs });
        return id;
      },
      CloseNotification(id: number) {
        if (daemon.isMute) return never;
        daemon.closed.push(id);
        // Some daemons send this signal twice.
        daemon.say('NotificationClosed', 'uu', [id, 3]);
        daemon.say('NotificationClosed', 'uu', [id, 3]);
        return null;
      },
    };
    client.exportInterface(methods, path, description);
    await client.requestName(notificationsName, 0);
    await until('it has its name', () => bus.hasOwner(notificationsName));
    return daemon;
  }

  /** Broadcasts a signal on the bus. */
  say(signal: 'NotificationClosed' | 'ActionInvoked', signature: string, values: unknown[]): void {
    this.#client.sendSignal(path, notificationsName, signal, signature, values);
  }

  stop(): void {
    this.#client.connection.stream.destroy();
  }
}
