import { spawn } from 'node:child_process';
import { realpath, stat } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { StringDecoder } from 'node:string_decoder';

import { errnoOf } from '../../shared/errors.ts';
import { findOnPath } from '../../shared/find-program.ts';

/**
 * Variables that make a tool install elsewhere, use another source or omit packages. Variables that only affect package sources,
 * connections and install scripts belong to the user and stay.
 */
const misleading = new Set([
  'pythonpath',
  'pythonhome',
  'pythonstartup',
  'virtual_env',
  'conda_prefix',
  'conda_default_env',
  'pip_require_virtualenv',
  'pip_python',
  'pip_target',
  'pip_user',
  'pip_prefix',
  'pip_root',
  'pip_requirement',
  'pip_editable',
  'pip_src',
  'pip_dry_run',
  'pip_report',
  'uv_python',
  'uv_system_python',
  'uv_project',
  'uv_project_environment',
  'uv_working_directory',
  'uv_venv_clear',
  'npm_config_prefix',
  'npm_config_local_prefix',
  'npm_config_global',
  'npm_config_location',
  'npm_config_dry_run',
  'npm_config_omit',
  'npm_config_include',
  'npm_config_only',
  'npm_config_production',
  'npm_config_package_lock_only',
  'npm_config_workspace',
  'npm_config_workspaces',
  'npm_config_install_links',
  'node_env',
  'node_options',
]);

export interface ToolResult {
  readonly ok: boolean;
  /** The end of its output, to explain a failure. */
  readonly output: string;
  /** The program itself could not be started. */
  readonly errno: string | null;
}

interface ToolOptions {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  readonly signal: AbortSignal;
  /** Whether this is a query of Hob, which is not logged. */
  readonly isQuiet?: boolean;
}

const keptCharacters = 64 * 1024;
/** Grace period of a tool after the request to stop. */
const stopGraceMs = 2000;
/** Maximum wait for the remaining output. */
const drainMs = 2000;

/**
 * The only place that starts build tools. Their output is passed on immediately, so that the log of the run shows the progress. After
 * an abort, rejects with the reason of the signal when the tool has exited.
 */
export async function runTool(
  file: string,
  args: readonly string[],
  { cwd, env, signal, isQuiet = false }: ToolOptions,
): Promise<ToolResult> {
  signal.throwIfAborted();
  let output = '';
  const keep = (text: string) => {
    output = (output + text).slice(-keptCharacters);
  };
  const ended = await new Promise<{ ok: boolean; errno: string | null }>((resolve) => {
    const child = spawn(file, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'], windowsHide: true });
    let killing: NodeJS.Timeout | undefined;
    let leftBehind: NodeJS.Timeout | undefined;
    const stop = () => {
      child.kill('SIGTERM');
      killing = setTimeout(() => child.kill('SIGKILL'), stopGraceMs);
    };
    const done = (ok: boolean, errno: string | null) => {
      signal.removeEventListener('abort', stop);
      clearTimeout(killing);
      clearTimeout(leftBehind);
      child.stdout.destroy();
      child.stderr.destroy();
      resolve({ ok, errno });
    };
    signal.addEventListener('abort', stop, { once: true });
    child.once('error', (error) => done(false, errnoOf(error) ?? 'unknown'));
    child.once('close', (code) => done(code === 0, null));
    // A process of a package may keep the streams open: do not wait for it.
    child.once('exit', (code) => {
      leftBehind = setTimeout(() => done(code === 0, null), drainMs);
    });
    for (const [from, to] of [
      [child.stdout, process.stdout],
      [child.stderr, process.stderr],
    ] as const) {
      const decoder = new StringDecoder('utf8');
      from.on('data', (chunk: Buffer) => {
        keep(decoder.write(chunk));
        if (!isQuiet) to.write(chunk);
      });
    }
  });
  signal.throwIfAborted();
  return { ...ended, output };
}

export function describeCommand(file: string, args: readonly string[]): string {
  return [file, ...args]
    .map((word) => (/^[\w@%+=:,./~-]+$/.test(word) ? word : JSON.stringify(word)))
    .join(' ');
}

/** The environment of the user, adapted for the tools of this interpreter. */
export function toolEnvironment(given: NodeJS.ProcessEnv, interpreter: string): Record<string, string> {
  const env: Record<string, string> = {};
  for (const [name, value] of Object.entries(given))
    if (value !== undefined && !misleading.has(name.toLowerCase())) env[name] = value;
  // Install scripts must find the interpreter for which the package is installed.
  const path = Object.keys(env).find((name) => name.toUpperCase() === 'PATH') ?? 'PATH';
  env[path] = [dirname(interpreter), env[path]].filter(Boolean).join(delimiter);
  return { ...env, PYTHONUTF8: '1', PYTHONIOENCODING: 'utf-8', PYTHONUNBUFFERED: '1' };
}

/**
 * Returns the npm program of a Node.js, to be run by that Node.js, or null. A version manager installs it next to its Node.js; a
 * distribution may install it anywhere, with a link on PATH.
 */
export async function findNpm(node: string, env: Readonly<Record<string, string>>): Promise<string | null> {
  const windows = process.platform === 'win32';
  const real = await realpath(node).catch(() => node);
  const inside = join('node_modules', 'npm', 'bin', 'npm-cli.js');
  for (const folder of new Set([dirname(node), dirname(real)])) {
    const path = windows ? join(folder, inside) : join(folder, '..', 'lib', inside);
    if (await isFile(path)) return path;
  }
  const onPath = await findOnPath(windows ? 'npm.cmd' : 'npm', env);
  if (onPath === null) return null;
  if (windows) return (await isFile(join(dirname(onPath), inside))) ? join(dirname(onPath), inside) : null;
  const program = await realpath(onPath).catch(() => onPath);
  return program.endsWith('npm-cli.js') ? program : null;
}

async function isFile(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => null);
  return found?.isFile() === true;
}
