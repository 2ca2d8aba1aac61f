import type { InterpreterFinder } from '../scripts/runtimes/find-interpreter.ts';
import type { Script } from '../scripts/script.ts';
import type { Clock } from '../shared/clock.ts';
import { AppError } from '../shared/errors.ts';
import type { Logger } from '../shared/log.ts';
import type { Text } from '../shared/text.ts';
import { keyPattern } from './builder/layout.ts';
import { Builds } from './builds.ts';
import type { EnvironmentView, Prepared, StartBuild, Waiter } from './environment.ts';
import { EnvironmentStore, type ReadyEnvironment } from './environment-store.ts';
import { findObstacle, linkModules } from './link-modules.ts';
import { Planner } from './plan.ts';
import { viewEnvironment } from './view-environment.ts';

interface EnvironmentsOptions {
  /** The folder of the environments. */
  folder: string;
  finder: InterpreterFinder;
  platform: NodeJS.Platform;
  startBuild: StartBuild;
  /** All scripts whose environments must be kept. */
  scripts: () => Promise<readonly Script[]>;
  /** Whether an active run may belong to this script, in this folder. */
  isInUse: (scriptId: string, folder: string) => boolean;
  /** Whether this run is active. */
  isLive: (runId: string) => boolean;
  /** If false, scripts use the packages of the machine. */
  isEnabled: boolean;
  /** Time without use after which an unneeded environment is removed. */
  unusedMs: number;
  clock: Clock;
  log: Logger;
}

const pruneEveryMs = 60 * 60 * 1000;

/** Provides the packages of scripts before they run. */
export class Environments {
  readonly #options: EnvironmentsOptions;
  readonly #store: EnvironmentStore;
  readonly #planner: Planner;
  readonly #builds: Builds;
  /** Time of the last request for each environment, so that it is not removed before its run starts. */
  readonly #askedFor = new Map<string, number>();
  /** Runs that use each environment. */
  readonly #handed = new Map<string, Set<string>>();
  #timer: NodeJS.Timeout | undefined;
  #work: Promise<void> = Promise.resolve();

  constructor(options: EnvironmentsOptions) {
    this.#options = options;
    this.#store = new EnvironmentStore(options.folder, options.platform);
    this.#planner = new Planner(options);
    this.#builds = new Builds(this.#store, options.startBuild);
  }

  /**
   * Returns the environment for a script. Builds it if needed, once for all waiting callers. Rejects with the reason of the signal, or
   * with the reason why the build could not start.
   */
  async ensure(script: Script, waiter: Waiter): Promise<Prepared> {
    waiter.signal.throwIfAborted();
    if (!this.#options.isEnabled) return { kind: 'none' };
    const plan = await this.#planner.planFor(script);
    if (plan.kind !== 'environment') return plan;

    const { key } = plan;
    this.#askedFor.set(key, this.#options.clock.now().getTime());
    if (waiter.runId !== null) this.#handed.set(key, (this.#handed.get(key) ?? new Set()).add(waiter.runId));
    const ready = await this.#store.find(key);
    if (ready !== null) {
      await this.#store.markUsed(key, ready, this.#options.clock.now());
      return this.#hand(script, key, ready);
    }
    const obstacle = plan.recipe.kind === 'node' ? await findObstacle(script.folder) : null;
    if (obstacle !== null) return { kind: 'unavailable', message: obstacle };
    // Finding an interpreter may take long, and the caller may have left.
    waiter.signal.throwIfAborted();
    const made = await this.#builds.build(plan, script, waiter);
    return made.kind === 'failed'
      ? { kind: 'unavailable', message: made.message }
      : this.#hand(script, key, made.ready);
  }

  async list(): Promise<EnvironmentView[]> {
    const users = await this.#usersByKey();
    const views = (await this.#store.keys()).map((key) => this.#view(key, users));
    return (await Promise.all(views)).filter((view) => view !== null);
  }

  /** Removes an environment and returns its description, or null. Throws while it is being built or used. */
  async remove(key: string): Promise<EnvironmentView | null> {
    // The key is untrusted and becomes part of a path.
    if (!keyPattern.test(key)) return null;
    const users = await this.#usersByKey();
    const view = await this.#view(key, users);
    if (view === null) return null;
    if (view.state === 'building' || this.#builds.has(key)) throw inUse(beingBuilt);
    const isUsed = (users.get(key) ?? []).some(({ id, folder }) => this.#options.isInUse(id, folder));
    if (isUsed || this.#isHanded(key)) throw inUse(usedByRun);
    await this.#store.remove(key);
    return view;
  }

  /** Removes the remains of earlier services, and starts to remove unused environments regularly. */
  start(): void {
    const prune = () => {
      this.#work = this.#work.then(() => this.#prune());
    };
    clearInterval(this.#timer);
    this.#timer = setInterval(prune, pruneEveryMs);
    this.#timer.unref();
    prune();
  }

  /** Builds in progress continue. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#work;
  }

  async #hand(script: Script, key: string, { marker, python, modules }: ReadyEnvironment): Promise<Prepared> {
    if (marker.kind === 'python') return { kind: 'python', key, python };
    const obstacle = await linkModules(script.folder, modules);
    return obstacle === null ? { kind: 'node', key } : { kind: 'unavailable', message: obstacle };
  }

  async #view(key: string, users: ReadonlyMap<string, readonly Script[]>): Promise<EnvironmentView | null> {
    // The current version of a script comes first.
    const scripts = new Map<string, { id: string; name: string }>();
    for (const { id, name } of users.get(key) ?? []) if (!scripts.has(id)) scripts.set(id, { id, name });
    const isBuilding = this.#builds.has(key);
    return viewEnvironment(this.#store, key, { isBuilding, scripts: [...scripts.values()] });
  }

  /** Scripts that need each environment now, by key. */
  async #usersByKey(): Promise<Map<string, Script[]>> {
    const users = new Map<string, Script[]>();
    for (const script of await this.#options.scripts()) {
      const plan = await this.#planner.planFor(script);
      if (plan.kind === 'environment') users.set(plan.key, [...(users.get(plan.key) ?? []), script]);
    }
    return users;
  }

  async #prune(): Promise<void> {
    const { log, scripts, clock } = this.#options;
    try {
      await this.#store.sweep((key) => this.#builds.has(key), clock.now());
      this.#planner.keepOnly(await scripts());
      for (const key of await this.#store.keys()) {
        const ready = await this.#store.find(key);
        // An unusable environment has not been used since.
        const usedAtMs = ready?.usedAtMs ?? 0;
        if (this.#isUnused(key, usedAtMs)) await this.#removeUnneeded(key, usedAtMs);
      }
    } catch (error) {
      log.warn({ err: error }, 'cannot remove unused environments');
    }
  }

  async #removeUnneeded(key: string, usedAtMs: number): Promise<void> {
    // Keep needed environments, regardless of the time of last use.
    if ((await this.#usersByKey()).has(key) || (await this.#store.isBeingBuilt(key))) return;
    if (this.#builds.has(key) || !this.#isUnused(key, usedAtMs)) return;
    await this.#store.remove(key);
    this.#askedFor.delete(key);
    this.#options.log.info({ key }, 'removed an unused environment');
  }

  /** Whether an active run uses it, even if its script now needs another one. */
  #isHanded(key: string): boolean {
    const live = [...(this.#handed.get(key) ?? [])].filter((runId) => this.#options.isLive(runId));
    if (live.length === 0) this.#handed.delete(key);
    else this.#handed.set(key, new Set(live));
    return live.length > 0;
  }

  #isUnused(key: string, usedAtMs: number): boolean {
    if (this.#isHanded(key)) return false;
    const lastUseMs = Math.max(usedAtMs, this.#askedFor.get(key) ?? 0);
    return this.#options.clock.now().getTime() - lastUseMs > this.#options.unusedMs;
  }
}

const beingBuilt: Text = { en: 'The environment is being built', zh: '运行环境正在准备' };
const usedByRun: Text = { en: 'A run is using the environment', zh: '有运行正在使用该环境' };

function inUse(text: Text): AppError {
  return new AppError('environment-in-use', text, {
    hint: { en: 'Try again when the run has ended.', zh: '请在运行结束后重试。' },
  });
}
