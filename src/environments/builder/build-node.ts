import { copyFile, cp, mkdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

import { BuildFailure } from './build-failure.ts';
import { type BuildContext, failed } from './build-python.ts';
import { findNpm } from './find-tool.ts';
import { modulesIn } from './layout.ts';
import { describeCommand, runTool } from './run-tool.ts';

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

/**
 * Installs the packages into a separate folder, and returns the tools that were used. npm decides about install scripts as for a manual
 * npm install, because many packages need them. The npm settings of the user, for example to disable them, and package.json
 * apply here too.
 */
export async function buildNode({ order, made, env, signal, say }: BuildContext): Promise<string> {
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
    await cp(join(order.scriptFolder, name), target, { recursive: true, dereference: true, filter });
  }
  const run = { cwd: made, env, signal };
  const version = await runTool(order.interpreter, [npm, '--version'], { ...run, isQuiet: true });
  const args = [npm, order.lockFile === null ? 'install' : 'ci', ...npmOptions];
  say(`$ ${describeCommand(order.interpreter, args)}`);
  const result = await runTool(order.interpreter, args, run);
  if (!result.ok) throw failed('npm', result);
  // All packages are optional, and none supports this machine.
  await mkdir(modulesIn(made), { recursive: true });
  return `Node.js ${order.interpreterVersion}, npm ${version.output.trim().split('\n').at(-1)}`;
}
