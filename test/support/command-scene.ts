import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { executorPid, type Hob, launchHob, runCli, untilGone } from './hob.ts';

/** A service for all command tests of a file, with a folder for its scripts and a folder to call them from. */
export interface CommandScene {
  readonly hob: Hob;
  readonly scripts: string;
  readonly folder: string;
  /** Runs the `hob` command against this service, in English. */
  cli(...args: string[]): ReturnType<typeof runCli>;
  /** The same, with this text on stdin. */
  piped(text: string, ...args: string[]): ReturnType<typeof runCli>;
  stop(): Promise<void>;
}

export const english = { LC_ALL: 'C.UTF-8' };

export async function launchScene(
  writeScripts: (scripts: string) => Promise<void>,
  settings = '',
  serviceEnv: Record<string, string> = {},
): Promise<CommandScene> {
  const root = await mkdtemp(join(tmpdir(), 'hob-commands-'));
  const [home, scripts, folder] = [join(root, 'home'), join(root, 'scripts'), join(root, 'work')];
  for (const path of [home, scripts, folder]) await mkdir(path, { mode: 0o700 });
  await writeScripts(scripts);
  const hob = await launchHob({ home, scripts: [scripts], settings, env: serviceEnv });
  const executor = await executorPid(home);
  const env = { ...english, HOB_HOME: home };
  return {
    hob,
    scripts,
    folder,
    cli: (...args) => runCli(args, env, { cwd: folder }),
    piped: (text, ...args) =>
      runCli(
        args,
        { ...env, PIPED: text },
        { cwd: folder, wrapper: ['sh', '-c', 'printf %s "$PIPED" | "$@"', 'sh'] },
      ),
    async stop() {
      await hob.stop();
      await untilGone(executor);
      await rm(root, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}
