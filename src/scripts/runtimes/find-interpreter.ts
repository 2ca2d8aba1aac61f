import { statSync } from 'node:fs';
import { readdir, realpath } from 'node:fs/promises';
import { basename, isAbsolute, join } from 'node:path';

import { executablesOnPath, isExecutable, pathFolders } from '../../shared/find-program.ts';
import { type CommandResult, runCommand } from '../../shared/run-command.ts';
import type { InterpreterSpec } from '../languages/language.ts';
import { type InterpretedLanguage, interpreterSpec } from '../languages.ts';
import { findVersion, parseVersionRange, satisfies } from './version-range.ts';

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
