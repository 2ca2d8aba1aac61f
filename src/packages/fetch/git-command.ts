import { devNull } from 'node:os';
import type { Readable } from 'node:stream';

import { AppError } from '../../shared/errors.ts';
import { type CommandResult, runLongCommand } from '../../shared/run-command.ts';

export interface GitOptions {
  readonly env: NodeJS.ProcessEnv;
  readonly signal: AbortSignal;
  readonly timeoutMs?: number;
  readonly onOutput?: (stdout: Readable) => Promise<void>;
}

/** A large repository by a slow line. Who has enough of it cancels. */
const longestMs = 60 * 60_000;

/**
 * Nothing that a repository brings is executed, no program but git itself and those of its own transports is started, and nobody is
 * asked anything. The user's own configuration counts otherwise: proxies and what knows passwords are in it.
 */
const settings = [
  `core.hooksPath=${devNull}`,
  `core.attributesFile=${devNull}`,
  'core.fsmonitor=false',
  'core.askPass=',
  'credential.interactive=false',
  'protocol.ext.allow=never',
  'submodule.recurse=false',
  'fetch.recurseSubmodules=false',
  // What is stored elsewhere stays there.
  'filter.lfs.smudge=',
  'filter.lfs.process=',
  'filter.lfs.required=false',
  'gc.auto=0',
  'maintenance.auto=false',
  'tar.umask=0022',
];

/** Of git's own variables: those that say how to reach others. The rest could make it another repository or another program. */
const keptVariables =
  /^GIT_(?:SSH|SSH_COMMAND|SSH_VARIANT|SSL_.*|PROXY_.*|HTTP_.*|CONFIG_(?:GLOBAL|SYSTEM|NOSYSTEM))$/;

export function gitEnv(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const kept = Object.entries(env).filter(([name]) => !/^GIT_/i.test(name) || keptVariables.test(name));
  return {
    ...Object.fromEntries(kept),
    GIT_TERMINAL_PROMPT: '0',
    GIT_ASKPASS: '',
    SSH_ASKPASS: '',
    SSH_ASKPASS_REQUIRE: 'never',
    GCM_INTERACTIVE: 'never',
    GIT_LFS_SKIP_SMUDGE: '1',
    // Its messages are looked at.
    LC_ALL: 'C',
  };
}

export async function runGit(
  args: readonly string[],
  { env, signal, timeoutMs = longestMs, onOutput }: GitOptions,
): Promise<CommandResult> {
  const before = settings.flatMap((setting) => ['-c', setting]);
  const result = await runLongCommand('git', [...before, ...args], {
    env: gitEnv(env),
    signal,
    timeoutMs,
    ...(onOutput && { onOutput }),
  });
  signal.throwIfAborted();
  if (result.failure === 'ENOENT') throw noGit();
  return result;
}

function noGit(): AppError {
  return new AppError(
    'package-fetch-failed',
    { en: 'git is not installed, or not on PATH', zh: '未安装 git，或 git 不在 PATH 中' },
    {
      hint: {
        en: 'Install it (apt install git, brew install git, winget install Git.Git), or download an archive of the repository.',
        zh: '请安装 git（apt install git、brew install git 或 winget install Git.Git），或下载仓库的压缩包。',
      },
    },
  );
}
