import { statSync } from 'node:fs';
import { readdir, realpath } from 'node:fs/promises';
import { basename, delimiter, isAbsolute, join } from 'node:path';
import { executablesOnPath, isExecutable, pathFolders } from '../../shared/find-program.ts';
import { type CommandResult, runCommand } from '../../shared/run-command.ts';
import type { InterpreterSpec } from '../languages/language.ts';
import {
  type InterpretedLanguage,
  installAdvice,
  interpretedLanguages,
  interpreterSpec,
  languageRecords,
  type ScriptLanguage,
} from '../languages.ts';
import type { Script } from '../script.ts';
import { type Command, type Resolution, type Unavailable, unavailable } from './command.ts';
import { findVersion, parseVersionRange, satisfies } from './version-range.ts';

export interface RuntimeHost {
  readonly finder: InterpreterFinder;
  readonly env: Readonly<Record<string, string>>;
  readonly platform: NodeJS.Platform;
}

/** Returns how to start this script on this machine, or what is missing. `python` is the interpreter of its environment. */
export async function resolveCommand(
  script: Script,
  host: RuntimeHost,
  { python }: { python?: string } = {},
): Promise<Resolution> {
  const { language } = script.runtime;
  const { platform, open, start, warm } = languageRecords[language];
  const entry = join(script.folder, script.runtime.entry);
  if (platform !== undefined && host.platform !== platform) {
    return unavailable(
      `Scripts in ${language} run on Windows only.`,
      `${language} 脚本只能在 Windows 上运行。`,
    );
  }
  if (open !== undefined) return open(entry, host);
  const found = python === undefined ? await findInterpreter(script, host) : { path: python, version: null };
  if ('kind' in found) return found;
  const { args, env } = start?.(entry, { platform: host.platform, version: found.version }) ?? {
    args: [entry],
  };
  const cold: Command = { file: found.path, args, env: env ?? {} };
  // Windows has no warm interpreters.
  if (warm === undefined || host.platform === 'win32') return { kind: 'command', command: cold };
  return {
    kind: 'command',
    command: { ...cold, warm: { language: warm, options: args.slice(0, -1), entry } },
  };
}

/** Adds the SDK to a command of this language, if there is one. */
export function withSdk(command: Command, language: ScriptLanguage, env: Command['env']): Command {
  return languageRecords[language].addSdk?.(command, env) ?? command;
}

async function findInterpreter(
  script: Script,
  { finder, platform }: RuntimeHost,
): Promise<{ path: string; version: string | null } | Unavailable> {
  const { language, languageVersion } = script.runtime;
  const name = interpreterLanguage(language);
  if (name === null) throw new Error(`${language} has no interpreter`);
  // The script was written for the environment in its folder.
  const own = languageRecords[language].ownInterpreter?.(script.folder, platform) ?? null;
  if (own !== null) {
    return rejectOwnPython(script, await finder.probe(name, own)) ?? { path: own, version: null };
  }
  const search = await finder.find(name, languageVersion);
  return search.kind === 'found' ? search.interpreter : missing(name, languageVersion, search.seen);
}

/** The language whose interpreter runs this language; null if it needs none. */
export function interpreterLanguage(name: ScriptLanguage): InterpretedLanguage | null {
  return languageRecords[name].interpretedBy ?? interpretedLanguages.find((each) => each === name) ?? null;
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
  return missing('python', languageVersion, [interpreter]);
}

function missing(
  language: InterpretedLanguage,
  requirement: string | null,
  seen: readonly Interpreter[],
): Unavailable {
  const install = installAdvice(language);
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

/** The arguments of a command, including the parameter file. */
export function argumentsOf(
  command: Command,
  parameterFile: string,
): { args: string[]; isVerbatim: boolean } {
  switch (command.parameterFile) {
    case 'none':
      return { args: [...command.args], isVerbatim: false };
    case 'cmd': {
      // `cmd /s /c` removes only the outer quotes. The paths come from Hob and contain no quotes.
      const line = [...command.args, parameterFile].map((argument) => `"${argument}"`).join(' ');
      return { args: ['/d', '/s', '/c', `"${line}"`], isVerbatim: true };
    }
    default:
      return { args: [...command.args, parameterFile], isVerbatim: false };
  }
}

/**
 * Passes the parameter file to programs that a script starts. Not for languages that may start warm: a warm interpreter gets its
 * environment before the run, and a cold start must have the same one.
 */
export function parameterFileVariable(command: Command, path: string): Record<string, string> {
  return command.warm === undefined && command.parameterFile !== 'none' ? { HOB_PARAMETER_FILE: path } : {};
}

/** Variables to add to the environment of the user: those of the language and of the manifest. */
export function ownEnvironmentOf(
  command: Command,
  user: Readonly<Record<string, string>>,
  manifest: Readonly<Record<string, string>>,
): Record<string, string> {
  const env: Record<string, string> = { ...command.env, ...manifest };
  for (const [variable, folder] of Object.entries(command.lastFolders ?? {})) {
    // Windows calls it `Path` and ignores case.
    const isAsWritten = variable in env || variable in user;
    const name = isAsWritten
      ? variable
      : ([user, env].flatMap(Object.keys).find((each) => each.toUpperCase() === variable) ?? variable);
    const before = env[name] ?? user[name] ?? '';
    // Without a PATH, a shell searches the usual folders; a PATH with only this folder would prevent that.
    if (before === '' && variable === 'PATH') continue;
    env[name] = before === '' ? folder : `${before}${delimiter}${folder}`;
  }
  return env;
}

export interface Interpreter {
  readonly path: string;
  readonly version: string;
}

export type Search =
  | { readonly kind: 'found'; readonly interpreter: Interpreter }
  /** Interpreters that do not satisfy the requirement. */
  | { readonly kind: 'none'; readonly seen: readonly Interpreter[] };

/** A probe starts the interpreter once: a shim on a cold disk is slow, and a broken one may hang. */
const usualProbeMs = 15_000;

/** Starts interpreters instead of the finder. */
interface Isolation {
  run(path: string, args: readonly string[], options: { timeoutMs: number }): Promise<CommandResult>;
  /** Whether a program must not be started. */
  isForeign(path: string): Promise<boolean>;
}

interface FinderOptions {
  readonly probeMs?: number;
  /** If set, interpreters are also started without additional code. */
  readonly isolation?: Isolation;
}

/** Finds interpreters on PATH, and caches them until the files change. */
export class InterpreterFinder {
  readonly #env: Readonly<Record<string, string>>;
  /** Used after PATH, so that Node.js scripts run on a machine without node on PATH. */
  readonly #fallbacks: Partial<Record<InterpretedLanguage, string>>;
  readonly #probeMs: number;
  readonly #isolation: Isolation | undefined;
  readonly #probes = new Map<string, Promise<Interpreter | null>>();
  readonly #searches = new Map<string, Promise<{ search: Search; identity: string | null }>>();

  constructor(
    env: Readonly<Record<string, string>>,
    fallbacks: Partial<Record<InterpretedLanguage, string>> = {},
    { probeMs = usualProbeMs, isolation }: FinderOptions = {},
  ) {
    this.#env = env;
    this.#fallbacks = fallbacks;
    this.#probeMs = probeMs;
    this.#isolation = isolation;
  }

  /** The first interpreter on PATH that satisfies the requirement. */
  async find(language: InterpretedLanguage, requirement: string | null): Promise<Search> {
    const key = `${language}\0${requirement}`;
    const known = await this.#searches.get(key)?.catch(() => undefined);
    if (known?.search.kind === 'found' && known.identity === fileIdentity(known.search.interpreter.path)) {
      return known.search;
    }
    // A missing interpreter may have been installed, and a found one removed or updated.
    if (known !== undefined) this.#probes.clear();
    const finding = this.#search(language, requirement).then((search) => ({
      search,
      identity: search.kind === 'found' ? fileIdentity(search.interpreter.path) : null,
    }));
    this.#searches.set(key, finding);
    return (await finding).search;
  }

  /** Probes the program at a known path; null if it is not an interpreter. */
  async probe(language: InterpretedLanguage, path: string): Promise<Interpreter | null> {
    const key = fileIdentity(path);
    const known = this.#probes.get(key);
    if (known !== undefined) return known;
    const probe = this.#probe(interpreterSpec(language), path);
    this.#probes.set(key, probe);
    const interpreter = await probe;
    // A broken environment may be repaired at any time, so failures are not cached.
    if (interpreter === null) this.#probes.delete(key);
    return interpreter;
  }

  /** Starts an interpreter with these arguments, like a probe. */
  ask(path: string, args: readonly string[]): Promise<CommandResult> {
    const timeoutMs = this.#probeMs;
    return this.#isolation === undefined
      ? runCommand(path, args, { env: this.#env, timeoutMs })
      : this.#isolation.run(path, args, { timeoutMs });
  }

  async #probe(spec: InterpreterSpec, path: string): Promise<Interpreter | null> {
    if (spec.probe.length === 0) return { path, version: '0.0.0' };
    const first = this.#isolation === undefined ? [] : (spec.isolation ?? []);
    const { ok, stdout } = await this.ask(path, [...first, ...spec.probe]);
    const [versionLine = '', realPath = ''] = stdout.split(/\r?\n/);
    const version = findVersion(versionLine);
    if (!ok || version === null) return null;
    const real = realPath.trim();
    return { path: isAbsolute(real) && (await isExecutable(real)) ? real : path, version };
  }

  async #search(language: InterpretedLanguage, requirement: string | null): Promise<Search> {
    const range = requirement === null ? null : parseVersionRange(requirement);
    const seen: Interpreter[] = [];
    const looked = new Set<string>();
    for await (const path of this.candidates(language)) {
      if (await this.#isolation?.isForeign(path)) continue;
      // /bin is /usr/bin on many machines. The name matters too: a version manager is one program with many names.
      const real = join(await realpath(path).catch(() => path), basename(path));
      if (looked.has(real)) continue;
      looked.add(real);
      const interpreter = await this.probe(language, path);
      if (interpreter === null) continue;
      if (range === null || satisfies(interpreter.version, range)) return { kind: 'found', interpreter };
      if (!seen.some((other) => other.path === interpreter.path)) seen.push(interpreter);
    }
    return { kind: 'none', seen };
  }

  /** All programs on PATH that may be an interpreter of the language, in the order of attempts. */
  async *candidates(language: InterpretedLanguage): AsyncGenerator<string> {
    const spec = interpreterSpec(language);
    for (const name of spec.names) yield* executablesOnPath(name, this.#env);
    if (spec.versionedName !== undefined) {
      for (const path of await versionedPaths(pathFolders(this.#env), spec.versionedName)) yield path;
    }
    const fallback = this.#fallbacks[language];
    if (fallback !== undefined) yield fallback;
  }
}

/** Changes if the program is replaced. Synchronous, because it is called before every run. */
function fileIdentity(path: string): string {
  try {
    const { ino, size, mtimeMs } = statSync(path);
    return [path, ino, size, mtimeMs].join('\0');
  } catch {
    return path;
  }
}

async function versionedPaths(folders: readonly string[], pattern: RegExp): Promise<string[]> {
  const found: { path: string; version: string }[] = [];
  for (const folder of folders) {
    for (const name of await readdir(folder).catch(() => [])) {
      const version = pattern.exec(name)?.[1];
      if (version !== undefined) found.push({ path: join(folder, name), version });
    }
  }
  const newestFirst = (a: { version: string }, b: { version: string }) =>
    b.version.localeCompare(a.version, undefined, { numeric: true });
  return found.sort(newestFirst).map(({ path }) => path);
}
