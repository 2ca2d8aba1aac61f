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
  /** Where environments are kept, each in a folder of its own. */
  folder: string;
  finder: InterpreterFinder;
  platform: NodeJS.Platform;
  startBuild: StartBuild;
  /** All scripts whose environments must be kept. */
  scripts: () => Promise<readonly Script[]>;
  /** Whether a run that has not ended may be one of this script, in this folder. */
  isInUse: (scriptId: string, folder: string) => boolean;
  /** Whether this run has not ended. */
  isLive: (runId: string) => boolean;
  /** When false, scripts are run with what the machine has. */
  isEnabled: boolean;
  /** An environment that no script needs is removed when it was not used for so long. */
  unusedMs: number;
  clock: Clock;
  log: Logger;
}

const pruneEveryMs = 60 * 60 * 1000;

/** Sees to it that scripts have the packages they need before they are run. */
export class Environments {
  readonly #options: EnvironmentsOptions;
  readonly #store: EnvironmentStore;
  readonly #planner: Planner;
  readonly #builds: Builds;
  /** When environments were last asked for here: what was just found ready must not be removed under its run. */
  readonly #askedFor = new Map<string, number>();
  /** To which runs environments were given. */
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
   * Makes sure that a script has what it needs, and says what to run it with. What is missing is built, once however many wait.
   * Rejects with the reason of the waiter's signal, and with what kept the build from being started.
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
    // To find an interpreter may take long, and nobody may wait any more.
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

  /** Removes an environment and says what it was; null when there is none. Refuses while it is being built or used. */
  async remove(key: string): Promise<EnvironmentView | null> {
    // It may come from anybody, and becomes a path.
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

  /** Removes what earlier services left half-made, and from now on what nobody needs. */
  start(): void {
    const prune = () => {
      this.#work = this.#work.then(() => this.#prune());
    };
    clearInterval(this.#timer);
    this.#timer = setInterval(prune, pruneEveryMs);
    this.#timer.unref();
    prune();
  }

  /** Builds that are under way go on. */
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
    // Of two versions of a script, the one that counts comes first.
    const scripts = new Map<string, { id: string; name: string }>();
    for (const { id, name } of users.get(key) ?? []) if (!scripts.has(id)) scripts.set(id, { id, name });
    const isBuilding = this.#builds.has(key);
    return viewEnvironment(this.#store, key, { isBuilding, scripts: [...scripts.values()] });
  }

  /** Which scripts need an environment now, by its key. */
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
        // One that cannot be used any more was not used since.
        const usedAtMs = ready?.usedAtMs ?? 0;
        if (this.#isUnused(key, usedAtMs)) await this.#removeUnneeded(key, usedAtMs);
      }
    } catch (error) {
      log.warn({ err: error }, 'cannot remove unused environments');
    }
  }

  async #removeUnneeded(key: string, usedAtMs: number): Promise<void> {
    // However long ago a clock says it was used: what a script needs stays.
    if ((await this.#usersByKey()).has(key) || (await this.#store.isBeingBuilt(key))) return;
    if (this.#builds.has(key) || !this.#isUnused(key, usedAtMs)) return;
    await this.#store.remove(key);
    this.#askedFor.delete(key);
    this.#options.log.info({ key }, 'removed an unused environment');
  }

  /** Whether a run that has not ended was given it, also where its script needs another one by now. */
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
