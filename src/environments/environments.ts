import { randomBytes } from 'node:crypto';
import { access, constants, readlink, rename, rm, symlink, unlink } from 'node:fs/promises';
import { join } from 'node:path';

import type { InterpreterFinder } from '../scripts/runtimes/resolve-command.ts';
import type { Script } from '../scripts/script.ts';
import type { Clock } from '../shared/clock.ts';
import { AppError, errnoOf } from '../shared/errors.ts';
import type { Logger } from '../shared/log.ts';
import type { Text } from '../shared/text.ts';
import { untilAborted } from '../shared/until-aborted.ts';
import type { BuildOrder } from './builder/build-order.ts';
import { keyPattern } from './builder/layout.ts';
import type { BuildRun, EnvironmentView, Prepared, StartBuild, Waiter } from './environment.ts';
import { EnvironmentStore, type ReadyEnvironment, viewEnvironment } from './environment-store.ts';
import { type Plan, Planner } from './plan.ts';

type Needed = Plan & { kind: 'environment' };

/** The environment, or why it could not be built. */
type Built = ReadyEnvironment | (Prepared & { kind: 'unavailable' });

interface Build {
  readonly run: Promise<BuildRun>;
  readonly ended: Promise<Built>;
}

/** The builds in progress: one per environment, regardless of the number of waiting runs. */
class Builds {
  readonly #store: EnvironmentStore;
  readonly #startBuild: StartBuild;
  readonly #byKey = new Map<string, Build>();

  constructor(store: EnvironmentStore, startBuild: StartBuild) {
    this.#store = store;
    this.#startBuild = startBuild;
  }

  has(key: string): boolean {
    return this.#byKey.has(key);
  }

  /** Waits for the build of an environment, and starts it if needed. The build continues if no run waits any more. */
  async build(plan: Needed, script: Script, waiter: Waiter): Promise<Built> {
    const { run, ended } = this.#byKey.get(plan.key) ?? this.#begin(plan, script, waiter);
    const { runId, lend } = await untilAborted(run, waiter.signal);
    // The build may have been started without a slot, and need the slot that this run holds.
    if (waiter.runId !== null) lend(waiter.runId);
    waiter.onBuild(runId);
    return untilAborted(ended, waiter.signal);
  }

  #begin(plan: Needed, script: Script, { runId }: Waiter): Build {
    const { key } = plan;
    const run = this.#start(plan, script, runId);
    const ended = run
      .then((started) => this.#await(key, script, started))
      .finally(() => {
        this.#byKey.delete(key);
      });
    // Waiting runs get the error; without any, it is not unhandled.
    ended.catch(() => {});
    const build = { run, ended };
    this.#byKey.set(key, build);
    return build;
  }

  async #start(plan: Needed, script: Script, waitingRunId: string | null): Promise<BuildRun> {
    const { key, recipe, interpreter } = plan;
    await this.#store.takeFailure(key);
    const text =
      recipe.kind === 'node' ? recipe.packageJson : recipe.lines?.map((line) => `${line}\n`).join('');
    const asked = text === undefined ? recipe.file : await this.#store.writeAsked(key, text);
    const params: BuildOrder = {
      kind: recipe.kind,
      key,
      environment: this.#store.pathOf(key),
      script_name: script.name,
      script_folder: script.folder,
      interpreter: interpreter.path,
      interpreter_version: interpreter.version,
      requirements: [...recipe.requirements],
      asked,
      uv_lock: recipe.kind === 'python' ? recipe.uvLock : null,
      lock_file: recipe.kind === 'node' ? recipe.lockFile : null,
      copies: recipe.kind === 'node' ? [...recipe.copies] : [],
      inputs: recipe.inputs.flatMap(({ fingerprint, path }) => [fingerprint, path]),
    };
    return this.#startBuild({ script: { id: script.id, name: script.name }, params, waitingRunId });
  }

  /** The disk decides, not the end of the build: it may have been stopped after its last step. */
  async #await(key: string, { name }: Script, { runId, ended }: BuildRun): Promise<Built> {
    const { message } = await ended;
    const ready = await this.#store.find(key);
    const failure = await this.#store.takeFailure(key);
    await this.#store.removeAsked(key);
    if (ready !== null) return ready;
    // The build was killed before it could report a reason: use the message of the run, in one language.
    const why = failure ?? {
      en: `${closed(message, '.')} Run the script again.`,
      zh: `构建意外中断（${message}），请重新运行。`,
    };
    return {
      kind: 'unavailable',
      message: {
        en: `The environment of "${name}" could not be built. ${closed(why.en, '.')} The run ${runId} has the full log.`,
        zh: `未能准备好“${name}”的运行环境。${closed(why.zh, '。')}完整日志见运行 ${runId}。`,
      },
    };
  }
}

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
    return 'kind' in made ? made : this.#hand(script, key, made);
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
  return new AppError('environment-in-use', {
    ...text,
    hint: { en: 'Try again when the run has ended.', zh: '请在运行结束后重试。' },
  });
}

/**
 * Links the packages of an environment: `node_modules` in the folder of the script. Not through a variable, because ES modules ignore
 * them and child processes need the packages too. Replaces only links of Hob, atomically. Returns the obstacle,
 * if there is one.
 */
async function linkModules(folder: string, target: string): Promise<Text | null> {
  const link = join(folder, 'node_modules');
  try {
    const current = await readlink(link).catch(() => null);
    if (current?.replace(/[\\/]$/, '') === target) return null;
    const draft = join(folder, `.node_modules-${randomBytes(4).toString('hex')}`);
    // A junction needs no privileges on Windows, and is a plain link elsewhere.
    await symlink(target, draft, 'junction');
    // Windows cannot rename over a junction.
    if (process.platform === 'win32') await unlink(link).catch(() => {});
    // Fails if a folder exists: files of the user stay.
    await rename(draft, link).finally(() => rm(draft, { force: true }));
    return null;
  } catch (error) {
    return describeObstacle(folder, errnoOf(error) ?? String(error));
  }
}

/** Whether the link is correct or can be created, checked before a long build. */
async function findObstacle(folder: string): Promise<Text | null> {
  try {
    await access(folder, constants.W_OK);
    return null;
  } catch (error) {
    return describeObstacle(folder, errnoOf(error) ?? String(error));
  }
}

function describeObstacle(folder: string, errno: string): Text {
  return {
    en: `The packages of the script cannot be linked: Hob cannot create a link in ${folder} (${errno}). Make that folder writable, or run npm install in it.`,
    zh: `无法放置脚本的依赖：不能在 ${folder} 中创建链接（${errno}）。请使该文件夹可写，或在其中运行 npm install。`,
  };
}

function closed(sentence: string, stop: string): string {
  return /[.!?…。！？]$/.test(sentence) ? sentence : `${sentence}${stop}`;
}
