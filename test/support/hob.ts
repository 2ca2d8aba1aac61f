import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { onTestFinished } from 'vitest';

import { testPath } from './needs.ts';
import { goneMs, hungMs, until } from './until.ts';

export const projectRoot = fileURLToPath(new URL('../../', import.meta.url));
const ownCommand = join(projectRoot, 'bin', 'hob.js');

export interface StartOptions {
  scripts?: string[];
  /** The content of settings.toml. */
  settings?: string;
  args?: string[];
  env?: Record<string, string>;
  home?: string;
  /** The path of another Hob than the one under test. */
  command?: string;
  /** A command that starts the service with fewer rights or lower limits. */
  wrapper?: string[];
}

/** A real service in a separate process with its own home. */
export interface Hob {
  readonly url: string;
  readonly home: string;
  readonly process: ChildProcess;
  /** Its whole output: of stdout, and of stderr. */
  said(): string;
  log(): string;
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<Answer>;
  postForm(path: string, fields: Record<string, string>, headers?: Record<string, string>): Promise<Answer>;
  /** Sends JSON text with any method. */
  send(method: string, path: string, body: string, headers?: Record<string, string>): Promise<Answer>;
  get(path: string, headers?: Record<string, string>): Promise<Answer>;
  /** Runs a script and waits for it. */
  run(scriptId: string, rest?: Record<string, unknown>): Promise<Answer>;
  /** Waits until a run has ended. */
  ended(runId: string): Promise<Record<string, unknown>>;
  stop(signal?: NodeJS.Signals): Promise<number | null>;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Record<string, unknown>;
}

export async function tempFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'hob-test-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
  return folder;
}

/** Starts a service that is stopped when the test ends. */
export async function startHob(options: StartOptions = {}): Promise<Hob> {
  const hob = await launchHob({ home: await tempFolder(), ...options });
  const executor = await executorPid(hob.home);
  onTestFinished(async () => {
    await hob.stop();
    // A service that stops regularly also stops its executor if that has no runs.
    await untilGone(executor);
  });
  return hob;
}

/** The process that runs the scripts of a home. */
export async function executorPid(home: string): Promise<number> {
  const [pid] = await executorPids(home);
  // Never zero: a signal to pid 0 reaches the whole process group.
  if (pid === undefined) throw new Error(`no executor for ${home}`);
  return pid;
}

/** All executors: one of an earlier version may still have runs to finish. */
export async function executorPids(home: string): Promise<number[]> {
  const names = await readdir(join(home, 'executor'));
  return names.filter((name) => name.endsWith('-address.json')).map((name) => Number.parseInt(name, 10));
}

/** Waits until an executor has recorded the end of a run. */
export async function noted(home: string, runId: string): Promise<void> {
  await until(`the end of ${runId} is noted`, async () => {
    const names = await readdir(join(home, 'executor'));
    const journals = names.filter((name) => name.endsWith('-runs.jsonl'));
    const texts = await Promise.all(journals.map((name) => readFile(join(home, 'executor', name), 'utf8')));
    return texts.some((text) => text.includes(`"ended":{"runId":"${runId}"`));
  });
}

/** Starts a service for a whole test file. The caller must stop it. */
export async function launchHob(options: StartOptions & { home: string }): Promise<Hob> {
  const { home } = options;
  if (options.settings !== undefined) await writeFile(join(home, 'settings.toml'), options.settings);
  const { child, output } = runCli(
    ['serve', '--home', home, '--port', '0', ...scriptFlags(options.scripts), ...(options.args ?? [])],
    options.env,
    options,
  );
  const exited = new Promise<number | null>((resolve) => child.once('exit', (code) => resolve(code)));
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout?.on('data', () => {
      const match = /Hob is listening on (\S+)\n/.exec(output.stdout);
      if (match?.[1] !== undefined) resolve(match[1]);
    });
    void exited.then((code) => reject(new Error(`hob serve exited with ${code}: ${output.stderr}`)));
  });
  const hob: Hob = {
    url,
    home,
    process: child,
    said: () => output.stdout,
    log: () => output.stderr,
    post: (path, body, headers = {}) =>
      call(url + path, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      }),
    send: (method, path, body, headers = {}) =>
      call(url + path, { method, headers: { 'content-type': 'application/json', ...headers }, body }),
    postForm: (path, fields, headers = {}) =>
      call(url + path, { method: 'POST', headers, body: new URLSearchParams(fields) }),
    get: (path, headers = {}) => call(url + path, { headers }),
    run(scriptId, rest = {}) {
      return hob.post('/api/execute', { script_id: scriptId, sync: true, ...rest });
    },
    ended(runId) {
      return until(`${runId} has ended`, async () => {
        const { body } = await hob.get(`/api/runs/${runId}`);
        return body.ended_at === null ? false : body;
      });
    },
    stop(signal = 'SIGTERM') {
      if (child.exitCode === null && child.signalCode === null) child.kill(signal);
      return exited;
    },
  };
  return hob;
}

function scriptFlags(folders: string[] = []): string[] {
  return folders.length === 0 ? [] : ['--scripts', ...folders];
}

interface CliOptions extends Pick<StartOptions, 'command' | 'wrapper'> {
  cwd?: string;
}

/** Runs the `hob` command as a user does. */
export function runCli(
  args: string[],
  env: Record<string, string> = {},
  { command = ownCommand, wrapper = [], cwd = projectRoot }: CliOptions = {},
) {
  const [program = '', ...rest] = [...wrapper, process.execPath, command, ...args];
  const child = spawn(program, rest, {
    cwd,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...withoutDesktop(process.env), PATH: testPath, NODE_V8_COVERAGE: '', ...env },
  });
  const output = { stdout: '', stderr: '' };
  child.stdout.on('data', (chunk: Buffer) => {
    output.stdout += String(chunk);
  });
  child.stderr.on('data', (chunk: Buffer) => {
    output.stderr += String(chunk);
  });
  const ended = new Promise<{ code: number | null; stdout: string; stderr: string }>((resolve) => {
    child.once('close', (code) => resolve({ code, ...output }));
  });
  return { child, output, ended };
}

/** Removes the variables of the desktop, so that no test shows a window on the developer's screen. */
function withoutDesktop(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const own = new Set(['DISPLAY', 'WAYLAND_DISPLAY', 'DBUS_SESSION_BUS_ADDRESS', 'XDG_RUNTIME_DIR']);
  return Object.fromEntries(Object.entries(env).filter(([name]) => !own.has(name)));
}

async function call(url: string, init: RequestInit): Promise<Answer> {
  const response = await fetch(url, { ...init, signal: AbortSignal.timeout(hungMs) });
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: text === '' ? {} : JSON.parse(text) };
}

/** Whether a process exists and is not a zombie. */
export async function isRunning(pid: number): Promise<boolean> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  return stat !== '' && stat.slice(stat.lastIndexOf(')') + 2)[0] !== 'Z';
}

export async function untilGone(pid: number): Promise<void> {
  await until(`process ${pid} is gone`, async () => !(await isRunning(pid)), goneMs);
}
