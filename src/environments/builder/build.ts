import { randomBytes } from 'node:crypto';
import { mkdir, readdir, rename, rm, rmdir, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

import { describeDuration } from '../../contract/quantities.ts';
import { fingerprintFile } from '../../shared/fingerprint-file.ts';
import { writePrivateFile } from '../../shared/private-files.ts';
import { removeFolder } from '../../shared/remove-folder.ts';
import { syncFolder } from '../../shared/sync-folder.ts';
import type { BuildOrder } from './build-order.ts';
import { BuildFailure } from './explain-failure.ts';
import { type BuildContext, buildNode, buildPython } from './install-packages.ts';
import {
  claimBuild,
  madeFolderName,
  markerPath,
  markerText,
  modulesIn,
  pythonIn,
  readMarker,
} from './layout.ts';
import { runTool, toolEnvironment } from './run-tool.ts';

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
