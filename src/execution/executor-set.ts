import { spawn } from 'node:child_process';
import { open, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

import type { Logger } from '../shared/log.ts';
import { longLivedFlags } from '../shared/node-flags.ts';
import { claimPrivateFile, makePrivateFolder } from '../shared/private-files.ts';
import { isAlive } from '../shared/process-stat.ts';
import { ExecutorLink, type Welcome } from './executor-link.ts';
import {
  addressFileEnd,
  type Environment,
  type ExecutorAddress,
  type ExecutorState,
  executorFolder,
  type FromExecutor,
  protocolVersion,
  type WarmLimits,
} from './messages.ts';

export interface ExecutorSetOptions {
  home: string;
  entry: string;
  version: string;
  /** The environment of the executor itself, which every run shares. */
  env: Environment;
  /** False: it starts programs through Node. */
  isNative?: boolean;
  /** Limits for warm interpreters. */
  warmLimits: WarmLimits;
  log: Logger;
}

interface SetEvents {
  /** An executor was started because there was none. */
  launched(): void;
  welcomed(link: ExecutorLink, welcome: Welcome): void;
  heard(link: ExecutorLink, message: FromExecutor): void;
  /** The executor that takes new runs has stopped answering, or answers again. */
  silenceChanged(): void;
  gone(link: ExecutorLink, wasCurrent: boolean): void;
}

const inheritWithinMs = 5000;
const launchAttempts = 3;

/** The executors of a home: the one of our version, which takes new runs, and others that still finish theirs. */
export class ExecutorSet {
  readonly #options: ExecutorSetOptions;
  readonly #events: SetEvents;
  /** All connected executors, by their names. */
  readonly links = new Map<string, ExecutorLink>();
  /** The executor that takes new runs, if there is one. */
  current: ExecutorLink | undefined;
  #connecting: Promise<ExecutorLink> | undefined;
  #onInherited: (() => void)[] = [];

  constructor(options: ExecutorSetOptions, events: SetEvents) {
    this.#options = options;
    this.#events = events;
  }

  /** Whether the executor that takes new runs is connected and answers. */
  get isUp(): boolean {
    return this.current?.isConnected === true && !this.current.isSilent;
  }

  get state(): ExecutorState {
    const current = this.current;
    const silent = [...this.links.values()].filter((link) => link.isSilent);
    return {
      state: current === undefined ? 'none' : current.isSilent ? 'silent' : 'ready',
      pid: current?.address.pid ?? null,
      silentPids: silent.map((link) => link.address.pid),
    };
  }

  /** The executor that takes new runs; it is started if there is none. */
  usable(): Promise<ExecutorLink> {
    if (this.current !== undefined) return Promise.resolve(this.current);
    this.#connecting ??= this.#establish().finally(() => {
      this.#connecting = undefined;
    });
    return this.#connecting;
  }

  /** Asks an executor to clean up after executors that were killed, and waits until it has. */
  async letInherit(link: ExecutorLink): Promise<void> {
    const done = new Promise<void>((resolve) => this.#onInherited.push(resolve));
    link.tell({ type: 'inherit' });
    // The connection may break meanwhile; then no answer arrives.
    await Promise.race([done, wait(inheritWithinMs, undefined, { ref: false })]);
  }

  /** An executor has cleaned up. */
  inherited(): void {
    for (const done of this.#onInherited.splice(0)) done();
  }

  /** Disconnects from the executors, which end when their runs have ended. */
  async close(): Promise<void> {
    await this.#connecting?.catch(() => {});
    await Promise.all([...this.links.values()].map((link) => link.close()));
  }

  async #establish(): Promise<ExecutorLink> {
    await this.#openLinks();
    // A new executor can be killed before it gets its first run. Then the next one gets the runs that wait.
    for (let attempt = 1; this.current === undefined && attempt <= launchAttempts; attempt++) {
      const pid = await launchExecutor(this.#options);
      if (pid !== null) this.#events.launched();
      // Find all executors again: a service that was killed may have launched one, too, which took over from others.
      await this.#openLinks();
      if (this.current === undefined && pid !== null && isAlive(pid)) {
        throw new Error('the new executor does not respond, or has another version: restart Hob');
      }
    }
    if (this.current === undefined) throw new Error(`${launchAttempts} new executors were killed`);
    return this.current;
  }

  async #openLinks(): Promise<void> {
    const { home, log } = this.#options;
    const events = {
      welcomed: (link: ExecutorLink, welcome: Welcome) => this.#onWelcome(link, welcome),
      heard: this.#events.heard,
      silenceChanged: (link: ExecutorLink) => {
        if (this.current === link) this.#events.silenceChanged();
      },
      gone: (link: ExecutorLink) => this.#onGone(link),
    };
    const addresses = await findExecutors(home);
    await Promise.all(
      addresses
        .filter(({ instance }) => !this.links.has(instance))
        .map(async (address) => {
          const link = await ExecutorLink.open(address, events, log);
          if (link !== null) this.links.set(address.instance, link);
        }),
    );
  }

  #onWelcome(link: ExecutorLink, welcome: Welcome): void {
    const { instance, version, protocol } = link.address;
    this.links.set(instance, link);
    const isOurs = version === this.#options.version && protocol === protocolVersion;
    if (isOurs) this.current ??= link;
    // Only the current executor gets these: one of another build might not understand them, and gets no new runs.
    if (this.current === link) {
      link.tell({ type: 'environment', env: this.#options.env });
      link.tell({ type: 'allow-warm', limits: this.#options.warmLimits });
    } else {
      link.tell({ type: 'retire' });
    }
    this.#events.welcomed(link, welcome);
  }

  #onGone(link: ExecutorLink): void {
    this.links.delete(link.address.instance);
    const wasCurrent = this.current === link;
    if (wasCurrent) this.current = undefined;
    this.#events.gone(link, wasCurrent);
  }
}

/** The living executors of a home, according to their address files and process ids. */
export async function findExecutors(home: string): Promise<ExecutorAddress[]> {
  const folder = join(home, executorFolder);
  const names = await readdir(folder).catch(() => []);
  const found: ExecutorAddress[] = [];
  for (const name of names.filter((each) => each.endsWith(addressFileEnd))) {
    const address = parseAddress(await readFile(join(folder, name), 'utf8').catch(() => ''));
    if (address !== null && isAlive(address.pid)) found.push(address);
  }
  return found;
}

function parseAddress(text: string): ExecutorAddress | null {
  try {
    const value: unknown = JSON.parse(text);
    return isAddress(value) ? value : null;
  } catch {
    // An executor that exits has removed the file meanwhile.
    return null;
  }
}

function isAddress(value: unknown): value is ExecutorAddress {
  if (typeof value !== 'object' || value === null) return false;
  const has = (key: string, type: string) => typeof Reflect.get(value, key) === type;
  return (
    has('pid', 'number') &&
    has('protocol', 'number') &&
    ['instance', 'version', 'socket', 'secret'].every((key) => has(key, 'string'))
  );
}

const readyWithinMs = 20_000;

interface LaunchOptions {
  /** The executor's entry file. */
  entry: string;
  home: string;
  env: Readonly<Record<string, string>>;
  /** False: it starts programs through Node. */
  isNative?: boolean;
}

/**
 * Starts an executor that outlives this process. Resolves with its process id when it accepts connections, or with null
 * if a signal ended it before.
 */
export async function launchExecutor({
  entry,
  home,
  env,
  isNative = true,
}: LaunchOptions): Promise<number | null> {
  const folder = join(home, executorFolder);
  await makePrivateFolder(folder, { existing: true });
  const logPath = join(folder, 'executor.log');
  claimPrivateFile(logPath);
  const log = await open(logPath, 'a');
  try {
    const native = isNative ? [] : ['--native', 'no'];
    const child = spawn(process.execPath, [...longLivedFlags, entry, '--home', home, ...native], {
      cwd: home,
      env,
      stdio: ['ignore', 'pipe', log.fd],
      detached: true,
      windowsHide: true,
    });
    const pid = await new Promise<number | null>((resolve, reject) => {
      const timer = setTimeout(() => {
        // An executor that became ready later would conflict with the next one.
        child.kill('SIGKILL');
        reject(new Error('the executor was not ready in time'));
      }, readyWithinMs);
      child.stdout?.once('data', () => {
        clearTimeout(timer);
        resolve(child.pid ?? 0);
      });
      child.once('error', (error) => {
        clearTimeout(timer);
        reject(error);
      });
      child.once('exit', (code, signal) => {
        clearTimeout(timer);
        if (signal !== null) resolve(null);
        else reject(new Error(`the executor exited during its start with code ${code}; see ${logPath}`));
      });
    });
    child.removeAllListeners('exit');
    child.stdout?.destroy();
    child.unref();
    return pid;
  } finally {
    await log.close();
  }
}
