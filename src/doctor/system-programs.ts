import { readlink, realpath } from 'node:fs/promises';
import { basename, delimiter, dirname, isAbsolute, join, parse, relative, resolve, sep } from 'node:path';

import { type InterpretedLanguage, interpretedLanguages, interpreterSpec } from '../scripts/languages.ts';
import type { InterpreterFinder } from '../scripts/runtimes/resolve-command.ts';
import { executablesOnPath } from '../shared/find-program.ts';
import { type CommandResult, runCommand } from '../shared/run-command.ts';

interface SystemProgramsOptions {
  readonly environment: Readonly<Record<string, string>>;
  /** Folders with files of scripts and packages. */
  readonly foreignFolders: () => Promise<readonly string[]>;
}

/** Variables that make an interpreter or a tool load additional code or settings. */
const loading =
  /^(?:PYTHON.*|NODE_.*|NPM_CONFIG_.*|BUN_.*|DENO_.*|RUBY(?:OPT|LIB)|GEM_.*|BUNDLE_.*|PERL5.*|PERLLIB|PHPRC|PHP_INI_SCAN_DIR|PSMODULEPATH|BASH_ENV|BASH_FUNC_.*|ENV|GIT_.*|LD_AUDIT|LD_PRELOAD|DYLD_INSERT_LIBRARIES|PWD|OLDPWD)$/i;

/** Variables that list folders of programs or libraries. */
const listing = /^(?:PATH|LD_LIBRARY_PATH|DYLD_(?:FALLBACK_)?(?:LIBRARY|FRAMEWORK)_PATH)$/i;

/** The limit of Linux. */
const mostLinks = 40;

/**
 * Starts only programs of the system, never those of a script, a package or an environment. The working directory is the root folder,
 * where files of scripts have no effect, and variables that load code are removed.
 */
export class SystemPrograms {
  readonly #options: SystemProgramsOptions;
  #folders: Promise<readonly string[]> | undefined;
  #environment: Promise<Record<string, string>> | undefined;

  constructor(options: SystemProgramsOptions) {
    this.#options = options;
  }

  async run(
    path: string,
    args: readonly string[],
    { timeoutMs, signal }: { timeoutMs: number; signal?: AbortSignal },
  ): Promise<CommandResult> {
    if (await this.isForeign(path)) {
      const failure = 'came with a script';
      return { ok: false, stdout: '', stderr: failure, failure };
    }
    this.#environment ??= this.#clean();
    const [env, cwd] = [await this.#environment, parse(process.execPath).root];
    return runCommand(path, args, { env, cwd, timeoutMs, ...(signal && { signal }) });
  }

  /** Whether a program, or a link that leads to it, is in a folder of scripts or packages. */
  async isForeign(path: string): Promise<boolean> {
    this.#folders ??= this.#options.foreignFolders().then(withRealPaths);
    const folders = await this.#folders;
    const isInside = (place: string) => folders.some((folder) => isIn(place, folder));
    let place: string | null = path;
    for (let links = 0; place !== null && links < mostLinks; links++) {
      if (isInside(place)) return true;
      const folder: string = await realpath(dirname(place)).catch(() => dirname(place ?? path));
      const real: string = join(folder, basename(place));
      if (isInside(real)) return true;
      place = await readlink(real).then(
        (target) => resolve(folder, target),
        () => null,
      );
    }
    // A cycle of links cannot be started either.
    return place !== null;
  }

  /** Finds the first program of this name on PATH that may be started, and those before it that may not. */
  async find(name: string): Promise<{ path: string | null; foreign: string[] }> {
    return this.#firstOf(executablesOnPath(name, this.#options.environment));
  }

  /** Interpreters of a language that precede all others on PATH and may not be started. */
  async foreignInterpreters(finder: InterpreterFinder, language: InterpretedLanguage): Promise<string[]> {
    return (await this.#firstOf(finder.candidates(language))).foreign;
  }

  async #firstOf(candidates: AsyncIterable<string>): Promise<{ path: string | null; foreign: string[] }> {
    const foreign: string[] = [];
    for await (const path of candidates) {
      if (!(await this.isForeign(path))) return { path, foreign };
      foreign.push(path);
    }
    return { path: null, foreign };
  }

  async #clean(): Promise<Record<string, string>> {
    const env: Record<string, string> = {};
    for (const [name, value] of Object.entries(this.#options.environment)) {
      if (loading.test(name)) continue;
      if (!listing.test(name)) {
        env[name] = value;
        continue;
      }
      const kept: string[] = [];
      for (const folder of value.split(delimiter).filter(isAbsolute)) {
        if (!(await this.#holdsForeign(folder))) kept.push(folder);
      }
      if (kept.length > 0) env[name] = kept.join(delimiter);
    }
    return env;
  }

  /** A shim finds its interpreter on PATH, so a folder with a foreign interpreter is excluded. */
  async #holdsForeign(folder: string): Promise<boolean> {
    const names = interpretedLanguages.flatMap((language) => interpreterSpec(language).names);
    for (const name of ['.', ...names]) {
      if (await this.isForeign(resolve(folder, name))) return true;
    }
    return false;
  }
}

async function withRealPaths(folders: readonly string[]): Promise<string[]> {
  const real = await Promise.all(folders.map((folder) => realpath(folder).catch(() => folder)));
  return [...new Set([...folders, ...real])];
}

/** Whether a path is this folder or inside it. */
export function isIn(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}
