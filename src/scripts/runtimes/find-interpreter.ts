import { statSync } from 'node:fs';
import { access, constants, readdir, realpath, stat } from 'node:fs/promises';
import { basename, delimiter, isAbsolute, join } from 'node:path';

import { runCommand } from '../../shared/run-command.ts';
import { type InterpretedLanguage, type InterpreterSpec, interpreterSpecs } from './interpreters.ts';
import { findVersion, parseVersionRange, satisfies } from './version-range.ts';

export interface Interpreter {
  readonly path: string;
  readonly version: string;
}

export type Search =
  | { readonly kind: 'found'; readonly interpreter: Interpreter }
  /** What is there but does not satisfy the requirement. */
  | { readonly kind: 'none'; readonly seen: readonly Interpreter[] };

/** A probe starts the interpreter once; a shim on a cold disk is slow, a broken one may hang. */
const usualProbeMs = 15_000;

/** Finds interpreters on PATH and remembers them for as long as they stay as they were. */
export class InterpreterFinder {
  readonly #env: Readonly<Record<string, string>>;
  /** Looked at after everything on PATH, so that Node scripts run on a machine whose PATH has no node. */
  readonly #fallbacks: Partial<Record<InterpretedLanguage, string>>;
  readonly #probeMs: number;
  readonly #probes = new Map<string, Promise<Interpreter | null>>();
  readonly #searches = new Map<string, Promise<{ search: Search; identity: string | null }>>();

  constructor(
    env: Readonly<Record<string, string>>,
    fallbacks: Partial<Record<InterpretedLanguage, string>> = {},
    { probeMs = usualProbeMs }: { probeMs?: number } = {},
  ) {
    this.#env = env;
    this.#fallbacks = fallbacks;
    this.#probeMs = probeMs;
  }

  /** The first interpreter on PATH that satisfies the requirement. */
  async find(language: InterpretedLanguage, requirement: string | null): Promise<Search> {
    const key = `${language}\0${requirement}`;
    const known = await this.#searches.get(key)?.catch(() => undefined);
    if (known?.search.kind === 'found' && known.identity === fileIdentity(known.search.interpreter.path)) {
      return known.search;
    }
    // What was missing may have been installed, what was there may be gone or another version now.
    if (known !== undefined) this.#probes.clear();
    const finding = this.#search(language, requirement).then((search) => ({
      search,
      identity: search.kind === 'found' ? fileIdentity(search.interpreter.path) : null,
    }));
    this.#searches.set(key, finding);
    return (await finding).search;
  }

  /** The interpreter at a known place, if it is one. */
  async probe(language: InterpretedLanguage, path: string): Promise<Interpreter | null> {
    const key = fileIdentity(path);
    const known = this.#probes.get(key);
    if (known !== undefined) return known;
    const probe = probeInterpreter(interpreterSpecs[language], path, {
      env: this.#env,
      timeoutMs: this.#probeMs,
    });
    this.#probes.set(key, probe);
    const interpreter = await probe;
    // A broken environment may be mended at any time.
    if (interpreter === null) this.#probes.delete(key);
    return interpreter;
  }

  async #search(language: InterpretedLanguage, requirement: string | null): Promise<Search> {
    const range = requirement === null ? null : parseVersionRange(requirement);
    const seen: Interpreter[] = [];
    const looked = new Set<string>();
    for await (const path of this.#candidates(language)) {
      // /bin is /usr/bin on many machines. The name counts too: a version manager is one program under many names.
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

  async *#candidates(language: InterpretedLanguage): AsyncGenerator<string> {
    const spec: InterpreterSpec = interpreterSpecs[language];
    const folders = pathFolders(this.#env);
    for (const name of spec.names) {
      for (const folder of folders) {
        for (const file of executableNames(name)) {
          const path = join(folder, file);
          if (await isExecutable(path)) yield path;
        }
      }
    }
    if (spec.versionedName !== undefined) {
      for (const path of await versionedPaths(folders, spec.versionedName)) yield path;
    }
    const fallback = this.#fallbacks[language];
    if (fallback !== undefined) yield fallback;
  }
}

/** Differs when another program has taken the place of the one that was there. Asked before every run, so at once. */
function fileIdentity(path: string): string {
  try {
    const { ino, size, mtimeMs } = statSync(path);
    return [path, ino, size, mtimeMs].join('\0');
  } catch {
    return path;
  }
}

function pathFolders(env: Readonly<Record<string, string>>): string[] {
  const key = Object.keys(env).find((name) => name.toUpperCase() === 'PATH');
  const path = key === undefined ? '' : (env[key] ?? '');
  return [...new Set(path.split(delimiter).filter(isAbsolute))];
}

function executableNames(name: string): string[] {
  if (process.platform !== 'win32' || name.endsWith('.exe')) return [name];
  return [`${name}.exe`];
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

/** Whether a program of this name is on PATH. */
export async function isOnPath(name: string, env: Readonly<Record<string, string>>): Promise<boolean> {
  const paths = isAbsolute(name)
    ? [name]
    : pathFolders(env).flatMap((folder) => executableNames(name).map((file) => join(folder, file)));
  for (const path of paths) if (await isExecutable(path)) return true;
  return false;
}

export async function isExecutable(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}

async function probeInterpreter(
  spec: InterpreterSpec,
  path: string,
  options: { env: Readonly<Record<string, string>>; timeoutMs: number },
): Promise<Interpreter | null> {
  if (spec.probe.length === 0) return { path, version: '0.0.0' };
  const { ok, stdout } = await runCommand(path, spec.probe, options);
  const [versionLine = '', realPath = ''] = stdout.split(/\r?\n/);
  const version = findVersion(versionLine);
  if (!ok || version === null) return null;
  const real = realPath.trim();
  return { path: isAbsolute(real) && (await isExecutable(real)) ? real : path, version };
}
