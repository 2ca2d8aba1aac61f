import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

import { assertNever } from '../../shared/assert-never.ts';
import type { Script } from '../script.ts';
import { command, type Resolution, type Unavailable, unavailable, type WarmStart } from './command.ts';
import {
  type Interpreter,
  type InterpreterFinder,
  isExecutable,
  isOnPath,
  type Search,
} from './find-interpreter.ts';
import { type InterpretedLanguage, interpreterSpecs } from './interpreters.ts';
import { parseVersionRange, satisfies } from './version-range.ts';

const pythonEnv = { PYTHONUTF8: '1', PYTHONIOENCODING: 'utf-8', PYTHONUNBUFFERED: '1' };

/** Node.js versions that strip types themselves. */
const nodeWithTypes = { range: '>=22.18 <23 || >=23.6', excluded: [] };

/**
 * By default, tsx keeps its compiled files in the shared temporary folder, under a predictable name: another user could create that
 * folder first and inject code into the scripts of this user.
 */
const withoutSharedCache = { TSX_DISABLE_CACHE: '1' };

export interface RuntimeHost {
  readonly finder: InterpreterFinder;
  readonly env: Readonly<Record<string, string>>;
  readonly platform: NodeJS.Platform;
}

/**
 * Returns how to start this script on this machine, or what is missing. `python` is the interpreter of its environment.
 */
export async function resolveCommand(
  script: Script,
  host: RuntimeHost,
  { python }: { python?: string } = {},
): Promise<Resolution> {
  const entry = join(script.folder, script.runtime.entry);
  const { language } = script.runtime;
  switch (language) {
    case 'python': {
      const cold =
        python === undefined ? await resolvePython(script, entry, host) : command(python, [entry], pythonEnv);
      return orWarm(cold, language, host);
    }
    case 'typescript':
      return orWarm(await resolveTypeScript(script, entry, host), 'node.js', host);
    case 'node.js':
      return orWarm(await interpreted(language, script, host, [entry]), language, host);
    case 'bash':
    case 'sh':
    case 'ruby':
    case 'perl':
    case 'php':
      return interpreted(language, script, host, [entry]);
    case 'bun':
      return interpreted(language, script, host, ['run', entry]);
    case 'deno':
      return interpreted(language, script, host, ['run', '--allow-all', entry]);
    case 'powershell': {
      const policy = host.platform === 'win32' ? ['-ExecutionPolicy', 'Bypass'] : [];
      return interpreted(language, script, host, [
        '-NoProfile',
        '-NonInteractive',
        ...policy,
        '-File',
        entry,
      ]);
    }
    case 'exe':
      if (host.platform === 'win32' || (await isExecutable(entry))) return command(entry, []);
      return unavailable(
        `The entry is not executable. Run: chmod +x "${entry}"`,
        `入口文件没有执行权限，请运行：chmod +x "${entry}"`,
      );
    case 'bat':
      // All arguments come from Hob, so the argument parsing of cmd is harmless.
      return onWindows(host, language, () => command('cmd.exe', [entry], {}, 'cmd'));
    case 'autohotkey':
      return onWindows(host, language, () => interpreted(language, script, host, [entry]));
    case 'html':
      return resolveBrowser(entry, host);
    default:
      return assertNever(language);
  }
}

/** Adds the information for a warm start. Windows has none. */
function orWarm(
  resolution: Resolution,
  language: WarmStart['language'],
  { platform }: RuntimeHost,
): Resolution {
  if (resolution.kind === 'unavailable' || platform === 'win32') return resolution;
  const { args } = resolution.command;
  const entry = args.at(-1);
  if (entry === undefined) return resolution;
  const warm = { language, options: args.slice(0, -1), entry };
  return { kind: 'command', command: { ...resolution.command, warm } };
}

async function interpreted(
  language: InterpretedLanguage,
  script: Script,
  host: RuntimeHost,
  args: readonly string[],
): Promise<Resolution> {
  const requirement = script.runtime.languageVersion;
  const search = await host.finder.find(language, requirement);
  if (search.kind === 'none') return missing(language, requirement, search);
  return command(search.interpreter.path, args, language === 'python' ? pythonEnv : {});
}

function isThere(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false;
  }
}

/** Prefers the environment in the folder, because the script was written for it. */
async function resolvePython(script: Script, entry: string, host: RuntimeHost): Promise<Resolution> {
  const own = ownPython(script, host.platform);
  if (own === null) return interpreted('python', script, host, [entry]);
  const interpreter = await host.finder.probe('python', own);
  return rejectOwnPython(script, interpreter) ?? command(own, [entry], pythonEnv);
}

/** The Python in the folder of a script, or null. */
export function ownPython({ folder }: Pick<Script, 'folder'>, platform: NodeJS.Platform): string | null {
  const windows = platform === 'win32';
  const own = join(folder, '.venv', windows ? 'Scripts' : 'bin', windows ? 'python.exe' : 'python');
  // Also a broken link: another Python would lack the packages of the script.
  return isThere(own) ? own : null;
}

/** Returns why a script cannot run with its own Python, or null. `interpreter` is null if that Python does not start. */
export function rejectOwnPython(
  { folder, runtime }: Pick<Script, 'folder' | 'runtime'>,
  interpreter: Interpreter | null,
): Unavailable | null {
  if (interpreter === null) {
    return unavailable(
      `The Python in ${join(folder, '.venv')} does not start. Create that environment again.`,
      `${join(folder, '.venv')} 中的 Python 无法启动，请重新创建该环境。`,
    );
  }
  const { languageVersion } = runtime;
  const range = languageVersion === null ? null : parseVersionRange(languageVersion);
  if (range === null || satisfies(interpreter.version, range)) return null;
  return missing('python', languageVersion, { kind: 'none', seen: [interpreter] });
}

async function resolveTypeScript(script: Script, entry: string, host: RuntimeHost): Promise<Resolution> {
  const requirement = script.runtime.languageVersion;
  const search = await host.finder.find('node.js', requirement);
  if (search.kind === 'none') return missing('node.js', requirement, search);
  const { path, version } = search.interpreter;
  if (satisfies(version, nodeWithTypes)) return command(path, [entry]);
  return command(path, ['--import', import.meta.resolve('tsx'), entry], withoutSharedCache);
}

async function resolveBrowser(entry: string, host: RuntimeHost): Promise<Resolution> {
  const url = pathToFileURL(entry).href;
  if (host.platform === 'win32')
    return command('rundll32.exe', ['url.dll,FileProtocolHandler', url], {}, 'none');
  const opener = host.platform === 'darwin' ? 'open' : 'xdg-open';
  if (await isOnPath(opener, host.env)) return command(opener, [url], {}, 'none');
  return unavailable(
    `${opener}, which opens the browser, is not on PATH. Install it (Debian, Ubuntu: apt install xdg-utils).`,
    `PATH 中没有可用于打开浏览器的 ${opener}，请安装（Debian、Ubuntu：apt install xdg-utils）。`,
  );
}

function onWindows(
  host: RuntimeHost,
  language: string,
  resolve: () => Resolution | Promise<Resolution>,
): Resolution | Promise<Resolution> {
  if (host.platform === 'win32') return resolve();
  return unavailable(
    `Scripts in ${language} run on Windows only.`,
    `${language} 脚本只能在 Windows 上运行。`,
  );
}

function missing(
  language: InterpretedLanguage,
  requirement: string | null,
  { seen }: Search & { kind: 'none' },
): Unavailable {
  const { install } = interpreterSpecs[language];
  if (seen.length === 0) {
    return unavailable(
      `${language} is not installed or not on PATH. ${install.en}`,
      `PATH 中没有找到 ${language}。${install.zh}`,
    );
  }
  const there = seen.map(({ path, version }) => `${version} (${path})`).join(', ');
  return unavailable(
    `The script needs ${language} ${requirement}, but only ${there} is installed. ${install.en}`,
    `脚本需要 ${language} ${requirement}，但只找到 ${there}。${install.zh}`,
  );
}
