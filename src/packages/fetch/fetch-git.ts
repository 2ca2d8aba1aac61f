import { devNull } from 'node:os';
import type { Readable } from 'node:stream';

import type { AppError } from '../../shared/errors.ts';
import { folderBytes } from '../../shared/folder-size.ts';
import { removeFolder } from '../../shared/remove-folder.ts';
import { type CommandResult, runLongCommand } from '../../shared/run-command.ts';
import type { Text } from '../../shared/text.ts';
import type { FetchLimits, PackageSource } from '../package-source.ts';
import { refusal, showName, tooLarge } from './package-errors.ts';
import type { PackageWriter } from './package-writer.ts';
import { readTar } from './read-tar.ts';

interface GitOptions {
  readonly env: NodeJS.ProcessEnv;
  /** The configuration that git reads: fetching needs that of the user, all other commands read none. */
  readonly configuration: 'user' | 'none';
  readonly signal: AbortSignal;
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

const betweenLooksMs = 500;

/**
 * Fetches one commit of a repository and unpacks it like an archive. There is no working tree, so git never writes links, submodules
 * or files that differ only in case. The folder `repository` is private, and removed at the end.
 */
export async function fetchGit(
  source: PackageSource,
  writer: PackageWriter,
  options: { repository: string; env: NodeJS.ProcessEnv; limits: FetchLimits; signal: AbortSignal },
): Promise<{ commit: string; notes: Text[] }> {
  const { repository, env, limits, signal } = options;
  const inside = ['--git-dir', repository];
  const git: GitOptions = { env, configuration: 'none', signal };
  demand(await runGit(['init', '--quiet', '--bare', '--template=', '--', repository], git), source);
  await bounded(repository, limits, signal, async (bound) => {
    const args = [
      // If Hob is killed, git must not wait forever.
      ...['-c', 'http.lowSpeedLimit=1', '-c', `http.lowSpeedTime=${limits.silenceS}`],
      ...['fetch', '--quiet', '--depth', '1', '--no-tags', '--no-recurse-submodules'],
      ...['--', source.location, source.ref ?? 'HEAD'],
    ];
    // The configuration of the user contains proxies, address rewrites and credential helpers.
    demand(await runGit([...inside, ...args], { env, configuration: 'user', signal: bound }), source);
  });
  const commit = (
    await output([...inside, 'rev-parse', '--verify', 'FETCH_HEAD^{commit}'], git, source)
  ).trim();
  const unpacked = await runGit([...inside, 'archive', '--format=tar', commit], {
    ...git,
    onOutput: (stdout) => readTar(stdout, writer, { isCompressed: false, signal }),
  });
  demand(unpacked, source);
  const notes = await submodules([...inside, 'ls-tree', '-r', '-z', commit], git, source);
  await removeFolder(repository, signal);
  return { commit, notes };
}

const mostOutputBytes = 16 * 1024 * 1024;

/** Collects the output of a command, at most the names of all files. */
async function output(args: readonly string[], git: GitOptions, source: PackageSource): Promise<string> {
  let text = '';
  const onOutput = async (stdout: AsyncIterable<Buffer>) => {
    for await (const chunk of stdout) {
      text += chunk.toString('latin1');
      if (text.length > mostOutputBytes) throw repositoryTooLarge(mostOutputBytes);
    }
  };
  demand(await runGit(args, { ...git, onOutput }), source);
  return text;
}

async function submodules(args: readonly string[], git: GitOptions, source: PackageSource): Promise<Text[]> {
  const listed = Buffer.from(await output(args, git, source), 'latin1').toString();
  const paths = listed.split('\0').filter((line) => line.startsWith('160000 '));
  const [first] = paths;
  if (first === undefined) return [];
  const name = showName(first.slice(first.indexOf('\t') + 1));
  return [
    {
      en: `Hob does not fetch submodules, so the folder ${name} is empty${paths.length > 1 ? `, and ${paths.length - 1} more` : ''}.`,
      zh: `不会获取子模块，因此文件夹 ${name} 为空${paths.length > 1 ? `（共 ${paths.length} 个）` : ''}。`,
    },
  ];
}

/** Stops a fetch that fills the disk, because the size is unknown in advance. */
async function bounded(
  folder: string,
  limits: FetchLimits,
  signal: AbortSignal,
  work: (bound: AbortSignal) => Promise<void>,
): Promise<void> {
  const full = new AbortController();
  const timer = setInterval(() => {
    folderBytes(folder, signal).then(
      (bytes) => {
        if (bytes > limits.totalBytes) full.abort(repositoryTooLarge(limits.totalBytes));
      },
      // The folder is being removed, or the operation was cancelled.
      () => {},
    );
  }, betweenLooksMs);
  try {
    await work(AbortSignal.any([signal, full.signal]));
  } finally {
    clearInterval(timer);
  }
}

function repositoryTooLarge(most: number): AppError {
  return tooLarge(
    { en: `The repository is larger than ${most} bytes`, zh: `仓库内容超过 ${most} 字节` },
    {
      en: 'Use a smaller repository. Declare models in the manifest.',
      zh: '请使用较小的仓库；模型请在清单中声明。',
    },
  );
}

function demand({ ok, stderr, failure }: CommandResult, { location, ref }: PackageSource): void {
  if (ok) return;
  const address = showName(withoutCredentials(location));
  if (
    ref !== null &&
    /couldn't find remote ref|not our ref|no such remote ref|unadvertised object/i.test(stderr)
  ) {
    throw refusal(
      'package-fetch-failed',
      {
        en: `The repository ${address} has no ${showName(ref)}`,
        zh: `仓库 ${address} 中没有 ${showName(ref)}`,
      },
      {
        en: 'Specify a branch, a tag or a full commit hash. git ls-remote lists them.',
        zh: '请指定分支、标签或完整的提交哈希；可用 git ls-remote 查看。',
      },
    );
  }
  const reason = showName(lastWords(stderr) || failure).slice(1, -1);
  throw refusal(
    'package-fetch-failed',
    { en: `git cannot fetch ${address}: ${reason}`, zh: `git 无法获取 ${address}：${reason}` },
    {
      en: 'Try git ls-remote with this address. If it asks for a password, store the password in git first.',
      zh: '请用该地址运行 git ls-remote；若需要密码，请先让 git 记住它。',
    },
  );
}

/** The last error message of git, without credentials. */
function lastWords(stderr: string): string {
  const lines = stderr.split('\n').filter((line) => /^(?:fatal|error|remote|ssh):/.test(line.trim()));
  const fatal =
    lines.find((line) => line.startsWith('fatal:')) ?? lines.at(-1) ?? stderr.trim().split('\n').at(-1) ?? '';
  return withoutCredentials(fatal.replace(/^(?:fatal|error): /, '').trim());
}

/** Removes user names and passwords from all addresses in a text. */
function withoutCredentials(text: string): string {
  return text.replace(/([a-z][a-z0-9+.-]*:\/\/)[^/\s'"]*@/gi, '$1');
}

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

async function runGit(
  args: readonly string[],
  { env, configuration, signal, onOutput }: GitOptions,
): Promise<CommandResult> {
  const before = settings.flatMap((setting) => ['-c', setting]);
  const result = await runLongCommand('git', [...before, ...args], {
    env: gitEnv(env, configuration),
    signal,
    timeoutMs: longestMs,
    ...(onOutput && { onOutput }),
  });
  signal.throwIfAborted();
  if (result.failure === 'ENOENT') {
    throw refusal(
      'package-fetch-failed',
      { en: 'git is not installed, or not on PATH', zh: '未安装 git，或 git 不在 PATH 中' },
      {
        en: 'Install it (apt install git, brew install git, winget install Git.Git), or download an archive of the repository.',
        zh: '请安装 git（apt install git、brew install git 或 winget install Git.Git），或下载仓库的压缩包。',
      },
    );
  }
  return result;
}
