import { setTimeout as wait } from 'node:timers/promises';

import type { Logger } from '../shared/log.ts';
import { findExecutors } from './executor-addresses.ts';
import { ExecutorLink, type Welcome } from './executor-link.ts';
import { launchExecutor } from './launch-executor.ts';
import {
  type Environment,
  type ExecutorState,
  type FromExecutor,
  protocolVersion,
  type ToExecutor,
  type WarmLimits,
  type WarmState,
} from './messages.ts';

export interface ExecutorSetOptions {
  home: string;
  entry: string;
  version: string;
  /** That of the executor itself, and of each run beside what it has of its own. */
  env: Environment;
  /** What may be spent on interpreters that wait for runs. */
  warmLimits: WarmLimits;
  log: Logger;
}

interface SetEvents {
  /** An executor was started, since there was none. */
  launched(): void;
  welcomed(link: ExecutorLink, welcome: Welcome): void;
  heard(link: ExecutorLink, message: FromExecutor): void;
  /** The one that takes runs does not answer any more, or answers again. */
  silenceChanged(): void;
  gone(link: ExecutorLink, wasCurrent: boolean): void;
}

const inheritWithinMs = 5000;

/** The executors of a home: the one of our version, which takes the runs, and others that still have some to finish. */
export class ExecutorSet {
  readonly #options: ExecutorSetOptions;
  readonly #events: SetEvents;
  readonly #links = new Map<string, ExecutorLink>();
  #current: ExecutorLink | undefined;
  #connecting: Promise<ExecutorLink> | undefined;
  #onInherited: (() => void)[] = [];
  #warm: WarmState | null = null;

  constructor(options: ExecutorSetOptions, events: SetEvents) {
    this.#options = options;
    this.#events = events;
  }

  find(instance: string | null): ExecutorLink | undefined {
    return this.#links.get(instance ?? '');
  }

  /** Whether the executor that takes runs can be talked to now. */
  get isUp(): boolean {
    return this.#current?.isConnected === true && !this.#current.isSilent;
  }

  get state(): ExecutorState {
    const current = this.#current;
    const silent = [...this.#links.values()].filter((link) => link.isSilent);
    return {
      state: current === undefined ? 'none' : current.isSilent ? 'silent' : 'ready',
      pid: current?.address.pid ?? null,
      silentPids: silent.map((link) => link.address.pid),
    };
  }

  /** What the executor that takes runs said last of its warm interpreters. */
  get warm(): WarmState | null {
    return this.#warm;
  }

  isCurrent(link: ExecutorLink): boolean {
    return this.#current === link;
  }

  /** For what is not urgent. */
  tellAllSoon(message: ToExecutor): void {
    for (const link of this.#links.values()) link.tellSoon(message);
  }

  /** The executor that takes runs, which is started when there is none. */
  usable(): Promise<ExecutorLink> {
    if (this.#current !== undefined) return Promise.resolve(this.#current);
    this.#connecting ??= this.#establish().finally(() => {
      this.#connecting = undefined;
    });
    return this.#connecting;
  }

  /** Lets an executor clear up after those that were killed, and waits for it. */
  async letInherit(link: ExecutorLink): Promise<void> {
    const done = new Promise<void>((resolve) => this.#onInherited.push(resolve));
    link.tell({ type: 'inherit' });
    // The connection may break meanwhile, and then nobody answers.
    await Promise.race([done, wait(inheritWithinMs, undefined, { ref: false })]);
  }

  /** Leaves them to themselves: they end when their runs have. */
  async close(): Promise<void> {
    await this.#connecting?.catch(() => {});
    await Promise.all([...this.#links.values()].map((link) => link.close()));
  }

  async #establish(): Promise<ExecutorLink> {
    await this.#openLinks();
    if (this.#current === undefined) {
      await launchExecutor(this.#options);
      this.#events.launched();
      // All there are now: a service that was killed may have launched one, too, which took over from others.
      await this.#openLinks();
    }
    if (this.#current === undefined) throw new Error('the new executor does not respond');
    return this.#current;
  }

  async #openLinks(): Promise<void> {
    const { home, log } = this.#options;
    const events = {
      welcomed: (link: ExecutorLink, welcome: Welcome) => this.#onWelcome(link, welcome),
      heard: (link: ExecutorLink, message: FromExecutor) => this.#onHeard(link, message),
      silenceChanged: (link: ExecutorLink) => {
        if (this.#current === link) this.#events.silenceChanged();
      },
      gone: (link: ExecutorLink) => this.#onGone(link),
    };
    const addresses = await findExecutors(home);
    await Promise.all(
      addresses
        .filter(({ instance }) => !this.#links.has(instance))
        .map(async (address) => {
          const link = await ExecutorLink.open(address, events, log);
          if (link !== null) this.#links.set(address.instance, link);
        }),
    );
  }

  #onWelcome(link: ExecutorLink, welcome: Welcome): void {
    const { instance, version, protocol } = link.address;
    this.#links.set(instance, link);
    const isOurs = version === this.#options.version && protocol === protocolVersion;
    if (isOurs) this.#current ??= link;
    // Only the current one is told what runs need: one of another build might not understand, and gets no more of them.
    if (this.#current === link) {
      link.tell({ type: 'environment', env: this.#options.env });
      link.tell({ type: 'allow-warm', limits: this.#options.warmLimits });
    } else {
      link.tell({ type: 'retire' });
    }
    this.#events.welcomed(link, welcome);
  }

  #onHeard(link: ExecutorLink, message: FromExecutor): void {
    if (message.type === 'inherited') for (const done of this.#onInherited.splice(0)) done();
    if (this.#current === link) this.#noteWarm(message);
    this.#events.heard(link, message);
  }

  #noteWarm(message: FromExecutor): void {
    if (message.type === 'warm') this.#warm = message.state;
    else if ((message.type === 'started' || message.type === 'ended') && message.warm)
      this.#warm = message.warm;
  }

  #onGone(link: ExecutorLink): void {
    this.#links.delete(link.address.instance);
    const wasCurrent = this.#current === link;
    if (wasCurrent) {
      this.#current = undefined;
      this.#warm = null;
    }
    this.#events.gone(link, wasCurrent);
  }
}
