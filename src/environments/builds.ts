import type { Script } from '../scripts/script.ts';
import type { Text } from '../shared/text.ts';
import { untilAborted } from '../shared/until-aborted.ts';
import type { BuildRequest, BuildRun, StartBuild, Waiter } from './environment.ts';
import type { EnvironmentStore, ReadyEnvironment } from './environment-store.ts';
import type { Plan } from './plan.ts';

type Needed = Plan & { kind: 'environment' };

export type Built =
  | { readonly kind: 'ready'; readonly ready: ReadyEnvironment }
  | { readonly kind: 'failed'; readonly message: Text };

interface Build {
  readonly run: Promise<BuildRun>;
  readonly ended: Promise<Built>;
}

/** The builds in progress: one per environment, regardless of the number of waiting runs. */
export class Builds {
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
    const params: BuildRequest['params'] = {
      kind: recipe.kind,
      key,
      environment: this.#store.pathOf(key),
      script_name: script.name,
      script_folder: script.folder,
      interpreter: interpreter.path,
      interpreter_version: interpreter.version,
      requirements: recipe.requirements,
      asked,
      uv_lock: recipe.kind === 'python' ? recipe.uvLock : null,
      lock_file: recipe.kind === 'node' ? recipe.lockFile : null,
      copies: recipe.kind === 'node' ? recipe.copies : [],
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
    if (ready !== null) return { kind: 'ready', ready };
    // The build was killed before it could report a reason: use the message of the run, in one language.
    const why = failure ?? {
      en: `${closed(message, '.')} Run the script again.`,
      zh: `构建意外中断（${message}），请重新运行。`,
    };
    return {
      kind: 'failed',
      message: {
        en: `The environment of "${name}" could not be built. ${closed(why.en, '.')} The run ${runId} has the full log.`,
        zh: `未能准备好“${name}”的运行环境。${closed(why.zh, '。')}完整日志见运行 ${runId}。`,
      },
    };
  }
}

function closed(sentence: string, stop: string): string {
  return /[.!?…。！？]$/.test(sentence) ? sentence : `${sentence}${stop}`;
}
