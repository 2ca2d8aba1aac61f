import { devNull } from 'node:os';
import type { Readable } from 'node:stream';

import { AppError } from '../../shared/errors.ts';
import { type CommandResult, runLongCommand } from '../../shared/run-command.ts';

export interface GitOptions {
  readonly env: NodeJS.ProcessEnv;
  /** The configuration that git reads: fetching needs that of the user, all other commands read none. */
  readonly configuration: 'user' | 'none';
  readonly signal: AbortSignal;
  readonly timeoutMs?: number;
  readonly onOutput?: (stdout: Readable) => Promise<void>;
}

/** Enough for a large repository over a slow connection. The user can cancel earlier. */
const longestMs = 60 * 60_000;

/** Options of every command: no hooks, no prompts, no submodules, no conversion of line endings. */
const settings = [
  `core.hooksPath=${devNull}`,
  `core.attributesFile=${devNull}`,
  'core.fsmonitor=false',
  'core.askPass=',
  'credential.interactive=false',
  'protocol.ext.allow=never',
  'submodule.recurse=false',
  'fetch.recurseSubmodules=false',
  'core.autocrlf=false',
  'core.eol=lf',
  'gc.auto=0',
  'maintenance.auto=false',
  'tar.umask=0022',
];

/** Variables of git that affect connections. All others could select another repository or program. */
const keptVariables =
  /^GIT_(?:SSH|SSH_COMMAND|SSH_VARIANT|SSL_.*|PROXY_.*|HTTP_.*|CONFIG_(?:GLOBAL|SYSTEM|NOSYSTEM))$/;

/**
 * Reads only the configuration of the repository that Hob created: attributes of a repository select filters by name, and a
 * configuration maps these names to programs. Git before 2.32 ignores GIT_CONFIG_GLOBAL and uses HOME.
 */
const withoutConfiguration = {
  GIT_CONFIG_GLOBAL: devNull,
  GIT_CONFIG_SYSTEM: devNull,
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_ATTR_NOSYSTEM: '1',
  HOME: devNull,
  XDG_CONFIG_HOME: devNull,
};

function gitEnv(env: NodeJS.ProcessEnv, configuration: GitOptions['configuration']): NodeJS.ProcessEnv {
  const isUsers = configuration === 'user';
  const kept = Object.entries(env).filter(
    ([name]) => !/^GIT_/i.test(name) || (isUsers && keptVariables.test(name)),
  );
  return {
    ...Object.fromEntries(kept),
    ...(isUsers ? {} : withoutConfiguration),
    GIT_TERMINAL_PROMPT: '0',
    GIT_ASKPASS: '',
    SSH_ASKPASS: '',
    SSH_ASKPASS_REQUIRE: 'never',
    GCM_INTERACTIVE: 'never',
    // Hob parses its messages, so they must be in English.
    LC_ALL: 'C',
  };
}

export async function runGit(
  args: readonly string[],
  { env, configuration, signal, timeoutMs = longestMs, onOutput }: GitOptions,
): Promise<CommandResult> {
  const before = settings.flatMap((setting) => ['-c', setting]);
  const result = await runLongCommand('git', [...before, ...args], {
    env: gitEnv(env, configuration),
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
