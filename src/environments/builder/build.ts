import { randomBytes } from 'node:crypto';
import { copyFile, cp, mkdir, readdir, rename, rm, rmdir, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

import { describeDuration } from '../../contract/quantities.ts';
import { findOnPath } from '../../shared/find-program.ts';
import { fingerprintFile } from '../../shared/fingerprint-file.ts';
import { writePrivateFile } from '../../shared/private-files.ts';
import { removeFolder } from '../../shared/remove-folder.ts';
import { syncFolder } from '../../shared/sync-folder.ts';
import type { BuildOrder } from './build-order.ts';
import { BuildFailure, explainFailure, type Tool } from './explain-failure.ts';
import {
  claimBuild,
  madeFolderName,
  markerPath,
  markerText,
  modulesIn,
  pythonIn,
  readMarker,
} from './layout.ts';
import { describeCommand, findNpm, runTool, type ToolResult, toolEnvironment } from './run-tool.ts';

interface BuildOptions {
  readonly env: NodeJS.ProcessEnv;
  readonly signal: AbortSignal;
  readonly say: (line: string) => void;
}

/** Builds an environment, unless another builder has just built it. A failure leaves nothing behind. */
export async function build(order: BuildOrder, { env, signal, say }: BuildOptions): Promise<void> {
  const began = performance.now();
  const interpreter = `${order.kind === 'node' ? 'Node.js' : 'Python'} ${order.interpreter_version}`;
  say(`Building the environment of "${order.script_name}" with ${interpreter} (${order.interpreter})`);
  say(`Requirements: ${order.requirements.join(', ')}`);
  const onWait = () => say('Waiting for another build of this environment');
  const release = await claimBuild(order.environment, { signal, onWait });
  try {
    if (await isMade(order)) {
      say('The other build has finished; the environment is ready');
      return;
    }
    await clear(order.environment);
    await fill(order, {
      order,
      made: join(order.environment, `b-${randomBytes(4).toString('hex')}`),
      env: toolEnvironment(env, order.interpreter),
      signal,
      say,
    });
  } finally {
    await release();
    // After a failure. If the folder is not empty, another builder uses it.
    await rmdir(order.environment).catch(() => {});
  }
  say(`Built in ${describeDuration(performance.now() - began).en}`);
}

/** The interpreter of the environment must also exist. */
async function isMade(order: BuildOrder): Promise<boolean> {
  const marker = await readMarker(order.environment);
  if (marker === null || marker.key !== order.key) return false;
  const made = join(order.environment, marker.folder);
  const found = await stat(order.kind === 'python' ? pythonIn(made) : modulesIn(made)).catch(() => null);
  return found !== null;
}

/** Removes earlier builds. The marker goes first, so that the rest is never taken for a usable environment. */
async function clear(environment: string): Promise<void> {
  await rm(markerPath(environment), { force: true });
  for (const name of await readdir(environment)) {
    if (madeFolderName.test(name)) await removeFolder(join(environment, name));
  }
}

async function fill(order: BuildOrder, context: BuildContext): Promise<void> {
  const { made, signal } = context;
  try {
    await mkdir(made, { mode: 0o700 });
    const madeWith = await (order.kind === 'python' ? buildPython(context) : buildNode(context));
    await assertUnchanged(order);
    await flush(context);
    signal.throwIfAborted();
    await mark(order, basename(made), madeWith);
  } catch (error) {
    await removeFolder(made).catch(() => {});
    throw error;
  }
}

/** Input that changed after the key was computed would be stored under a wrong key. */
async function assertUnchanged({ inputs }: BuildOrder): Promise<void> {
  for (let at = 0; at + 1 < inputs.length; at += 2) {
    const [fingerprint = '', path = ''] = inputs.slice(at, at + 2);
    if ((await fingerprintFile(path)) === fingerprint) continue;
    throw new BuildFailure(
      `${path} changed while the environment was being built. Run the script again.`,
      `构建环境期间 ${path} 被修改，请重新运行。`,
    );
  }
}

/** After a power failure, no marker may exist whose packages are empty files. */
async function flush({ made, env, signal }: BuildContext): Promise<void> {
  if (process.platform !== 'linux') return;
  await runTool('sync', ['-f', made], { cwd: made, env, signal, isQuiet: true });
}

async function mark(order: BuildOrder, folder: string, madeWith: string): Promise<void> {
  const { key, kind, requirements, environment } = order;
  const madeAt = new Date().toISOString();
  const text = markerText({ key, kind, madeAt, madeWith, requirements, folder });
  const draft = join(environment, folder, 'environment.json.draft');
  await writePrivateFile(draft, text, { durable: true });
  await rename(draft, markerPath(environment));
  await syncFolder(environment);
  await syncFolder(dirname(environment));
}

const npmOptions = [
  '--omit=dev',
  '--no-audit',
  '--no-fund',
  '--no-update-notifier',
  '--loglevel=http',
  '--fetch-retries=2',
  '--fetch-retry-mintimeout=500',
  '--fetch-retry-maxtimeout=5000',
];

interface BuildContext {
  readonly order: BuildOrder;
  readonly made: string;
  readonly env: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  readonly say: (line: string) => void;
}

/** First version of pip that can install for another Python. */
const pipForOthers = { major: 22, minor: 3 };

/** Creates a virtual environment with the packages, and returns the tools that were used. */
async function buildPython(context: BuildContext): Promise<string> {
  const uv = await findOnPath('uv', context.env);
  const made = uv === null ? await withPip(context) : await withUv(context, uv);
  await check(context, 'pip', pythonIn(context.made), ['-c', 'pass']);
  return `Python ${context.order.interpreter_version}, ${made}`;
}

async function withUv(context: BuildContext, uv: string): Promise<string> {
  const { order, made } = context;
  const version = (await ask(context, uv, ['--version'])).output.trim().split(/\s+/).slice(0, 2).join(' ');
  const target = join(made, 'env');
  await check(context, 'uv', uv, ['venv', '--python', order.interpreter, target]);
  let asked = order.asked;
  if (order.uv_lock !== null) {
    asked = join(made, 'locked.txt');
    // Do not install the project itself, and write nothing into its folder.
    const what = ['--frozen', '--no-dev', '--no-emit-project', '--format', 'requirements-txt'];
    await check(context, 'uv', uv, ['export', ...what, '--output-file', asked]);
  }
  await check(context, 'uv', uv, ['pip', 'install', '--python', pythonIn(made), '-r', asked]);
  return version;
}

async function withPip(context: BuildContext): Promise<string> {
  const { order, made, say } = context;
  const { interpreter } = order;
  if (order.uv_lock !== null) say('uv is not on PATH, so the versions in uv.lock are not used');
  // Do not install pip into it, which would take several seconds.
  const venv = await step(context, interpreter, ['-m', 'venv', '--without-pip', join(made, 'env')]);
  if (!venv.ok) {
    if (/No module named '?venv/.test(venv.output)) throw lacks('venv', interpreter);
    throw failed('pip', venv);
  }
  // Running pip itself would take half a second.
  const own = await ask(context, interpreter, ['-c', 'import pip; print("pip", pip.__version__)']);
  const [, major = '', minor = ''] = /^pip (\d+)\.(\d+)/m.exec(own.output) ?? [];
  const isNew =
    Number(major) > pipForOthers.major ||
    (Number(major) === pipForOthers.major && Number(minor) >= pipForOthers.minor);
  const quiet = ['--disable-pip-version-check', '--no-input', '--retries', '2', '--timeout', '20'];
  const install = ['install', '--no-user', '--progress-bar', 'off', '-r', order.asked];
  if (own.ok && isNew) {
    await check(context, 'pip', interpreter, ['-m', 'pip', '--python', pythonIn(made), ...quiet, ...install]);
    return `pip ${major}.${minor}`;
  }
  const bundled = await step(context, pythonIn(made), ['-m', 'ensurepip', '--default-pip']);
  if (!bundled.ok) throw lacks('pip', interpreter);
  await check(context, 'pip', pythonIn(made), ['-m', 'pip', ...quiet, ...install]);
  return 'the pip of that Python';
}

async function step(context: BuildContext, file: string, args: readonly string[]): Promise<ToolResult> {
  context.say(`$ ${describeCommand(file, args)}`);
  const { env, signal, order } = context;
  // Package paths are relative to the working directory of the tool.
  return runTool(file, args, { cwd: order.script_folder, env, signal });
}

async function check(
  context: BuildContext,
  tool: Tool,
  file: string,
  args: readonly string[],
): Promise<void> {
  const result = await step(context, file, args);
  if (!result.ok) throw failed(tool, result);
}

function ask(
  { env, signal, order }: BuildContext,
  file: string,
  args: readonly string[],
): Promise<ToolResult> {
  return runTool(file, args, { cwd: order.script_folder, env, signal, isQuiet: true });
}

function failed(tool: Tool, { output, errno }: ToolResult): BuildFailure {
  if (errno !== null) {
    return new BuildFailure(`${tool} could not be started (${errno}).`, `无法启动 ${tool}（${errno}）。`);
  }
  const { en, zh } = explainFailure(tool, output);
  return new BuildFailure(en, zh);
}

function lacks(what: string, interpreter: string): BuildFailure {
  return new BuildFailure(
    `The Python at ${interpreter} has no ${what}, which is needed to install packages. Install it (Debian, Ubuntu: apt install python3-venv python3-pip), or install uv.`,
    `${interpreter} 的 Python 缺少用于安装包的 ${what}。请安装（Debian、Ubuntu：apt install python3-venv python3-pip），或安装 uv。`,
  );
}

/**
 * Installs the packages into a separate folder, and returns the tools that were used. npm decides about install scripts as for a manual
 * npm install, because many packages need them. The npm settings of the user, for example to disable them, and package.json
 * apply here too.
 */
async function buildNode({ order, made, env, signal, say }: BuildContext): Promise<string> {
  const npm = await findNpm(order.interpreter, env);
  if (npm === null) {
    throw new BuildFailure(
      `The Node.js at ${order.interpreter} has no npm, which installs packages. Install npm (Debian, Ubuntu: apt install npm).`,
      `${order.interpreter} 的 Node.js 没有用于安装包的 npm，请安装（Debian、Ubuntu：apt install npm）。`,
    );
  }
  await copyFile(order.asked, join(made, 'package.json'));
  for (const name of order.copies) {
    const target = join(made, name);
    await mkdir(dirname(target), { recursive: true });
    // A package in the folder may have its own node_modules, left by its author.
    const filter = (source: string) => !['node_modules', '.git'].includes(basename(source));
    await cp(join(order.script_folder, name), target, { recursive: true, dereference: true, filter });
  }
  const run = { cwd: made, env, signal };
  const version = await runTool(order.interpreter, [npm, '--version'], { ...run, isQuiet: true });
  const args = [npm, order.lock_file === null ? 'install' : 'ci', ...npmOptions];
  say(`$ ${describeCommand(order.interpreter, args)}`);
  const result = await runTool(order.interpreter, args, run);
  if (!result.ok) throw failed('npm', result);
  // All packages are optional, and none supports this machine.
  await mkdir(modulesIn(made), { recursive: true });
  return `Node.js ${order.interpreter_version}, npm ${version.output.trim().split('\n').at(-1)}`;
}
