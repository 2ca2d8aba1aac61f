import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

import pino from 'pino';
import { onTestFinished } from 'vitest';

import type { BuildRequest, BuildRun, Prepared, Waiter } from '../../src/environments/environment.ts';
import { Environments } from '../../src/environments/environments.ts';
import { InterpreterFinder } from '../../src/scripts/runtimes/resolve-command.ts';
import type { Script } from '../../src/scripts/script.ts';
import { projectRoot, tempFolder } from './hob.ts';
import { testPath } from './needs.ts';
import { killEach, processesWith } from './processes.ts';
import { someScript } from './some-script.ts';

const builder = join(projectRoot, 'dist', 'environments', 'builder', 'main.js');

/** A build that was started, with its process. */
export interface StartedBuild {
  readonly request: BuildRequest;
  readonly runId: string;
  readonly process: ChildProcess;
  readonly ended: BuildRun['ended'];
  log(): string;
}

interface SceneOptions {
  env?: Record<string, string>;
  path?: string;
  folder?: string;
  isEnabled?: boolean;
  now?: () => Date;
  unusedMs?: number;
}

/** Environments whose builds are real processes, started by the test in place of an executor. */
export class EnvironmentScene {
  readonly folder: string;
  readonly environments: Environments;
  readonly builds: StartedBuild[] = [];
  readonly scripts: Script[] = [];
  readonly scriptsInUse = new Set<string>();
  readonly liveRuns = new Set<string>();
  /** Pairs of a build and the run whose slot it was lent. */
  readonly lent: string[] = [];
  readonly #env: Record<string, string>;
  readonly #place: string;
  readonly #trace = randomUUID();

  private constructor(place: string, options: SceneOptions) {
    this.#place = place;
    this.folder = options.folder ?? join(place, 'environments');
    this.#env = {
      ...Object.fromEntries(
        // The variables that npm sets for the tests must not reach the builds.
        Object.entries(process.env).flatMap(([name, value]) =>
          value === undefined || /^npm_/i.test(name) ? [] : [[name, value]],
        ),
      ),
      PATH: options.path ?? testPath,
      ...options.env,
      TEST_TRACE: this.#trace,
    };
    this.environments = new Environments({
      folder: this.folder,
      finder: new InterpreterFinder(this.#env, { 'node.js': process.execPath }),
      platform: process.platform,
      startBuild: (request) => this.#start(request),
      scripts: async () => this.scripts,
      isInUse: (scriptId) => this.scriptsInUse.has(scriptId),
      isLive: (runId) => this.liveRuns.has(runId),
      isEnabled: options.isEnabled ?? true,
      unusedMs: options.unusedMs ?? 7 * 24 * 60 * 60 * 1000,
      clock: { now: options.now ?? (() => new Date()) },
      log: pino({ enabled: false }),
    });
    onTestFinished(async () => {
      await this.environments.close();
      for (const build of this.builds) build.process.kill('SIGKILL');
      // The child processes of a killed builder continue, so kill them too.
      killEach(await processesWith(`TEST_TRACE=${this.#trace}`));
      await Promise.all(this.builds.map(({ ended }) => ended));
    });
  }

  static async open(options: SceneOptions = {}): Promise<EnvironmentScene> {
    return new EnvironmentScene(await tempFolder(), options);
  }

  /** Creates a script with these files in its own folder. */
  async script(
    name: string,
    files: Record<string, string>,
    runtime: Partial<Script['runtime']> = {},
  ): Promise<Script> {
    const folder = join(this.#place, 'scripts', name);
    for (const [file, text] of Object.entries(files)) {
      await mkdir(dirname(join(folder, file)), { recursive: true });
      await writeFile(join(folder, file), text);
    }
    const base = someScript();
    const script = someScript({
      id: randomUUID(),
      name,
      folder,
      runtime: { ...base.runtime, ...runtime },
    });
    this.scripts.push(script);
    return script;
  }

  ensure(script: Script, waiter: Partial<Waiter> = {}): Promise<Prepared> {
    const nobody: Waiter = { runId: null, signal: new AbortController().signal, onBuild: () => {} };
    return this.environments.ensure(script, { ...nobody, ...waiter });
  }

  /** The key and the interpreter of an environment that must exist. */
  async python(script: Script): Promise<{ key: string; python: string }> {
    const prepared = await this.ensure(script);
    if (prepared.kind !== 'python') throw new Error(`not ready: ${JSON.stringify(prepared)}`);
    return prepared;
  }

  async node(script: Script): Promise<string> {
    const prepared = await this.ensure(script);
    if (prepared.kind !== 'node') throw new Error(`not ready: ${JSON.stringify(prepared)}`);
    return prepared.key;
  }

  /** The reason why a script cannot run. */
  async refusal(script: Script): Promise<{ en: string; zh: string }> {
    const prepared = await this.ensure(script);
    if (prepared.kind !== 'unavailable') throw new Error(`not refused: ${JSON.stringify(prepared)}`);
    return prepared.message;
  }

  async #start(request: BuildRequest): Promise<BuildRun> {
    const runId = randomUUID();
    const run = join(this.#place, 'runs', runId);
    await mkdir(run, { recursive: true });
    const output = join(run, 'result.json');
    const parameterFile = join(run, 'params.json');
    const { params } = request;
    await writeFile(
      parameterFile,
      JSON.stringify({ environment: { output_json: output }, data: {}, params }),
    );
    const child = spawn(process.execPath, [builder, parameterFile], {
      env: this.#env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let said = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        said += text;
      });
    }
    const ended = once(child, 'close').then(async ([code]) => {
      const result = await readFile(output, 'utf8').catch(() => '{"msg":"it left no result"}');
      return { success: code === 0, message: String(JSON.parse(result).msg) };
    });
    this.builds.push({ request, runId, process: child, ended, log: () => said });
    return { runId, ended, lend: (waiting) => this.lent.push(`${runId} ${waiting}`) };
  }
}

const run = promisify(execFile);

/** Runs a program and returns its output. */
export async function outputOf(file: string, args: string[], cwd?: string): Promise<string> {
  const { stdout } = await run(file, args, { ...(cwd !== undefined && { cwd }) });
  return stdout.trim();
}
