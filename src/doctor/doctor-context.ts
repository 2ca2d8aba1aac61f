import { access, readlink, realpath } from 'node:fs/promises';
import { basename, delimiter, dirname, isAbsolute, join, parse, relative, resolve, sep } from 'node:path';

import { Catalogue } from '../scripts/catalogue.ts';
import { installedFile } from '../scripts/installed-version.ts';
import { type InterpretedLanguage, interpretedLanguages, interpreterSpec } from '../scripts/languages.ts';
import { InterpreterFinder } from '../scripts/runtimes/resolve-command.ts';
import type { Problem, Script } from '../scripts/script.ts';
import { defaultSettings } from '../settings/default-settings.ts';
import { resolveHome } from '../settings/home.ts';
import { type Flags, loadSettings, SettingsError } from '../settings/load-settings.ts';
import type { Settings } from '../settings/schema.ts';
import { userEnvironment } from '../settings/user-environment.ts';
import { executablesOnPath } from '../shared/find-program.ts';
import { type CommandResult, runCommand } from '../shared/run-command.ts';
import { findRunningService, type ServiceInfo } from '../shared/service-file.ts';
import type { Text } from '../shared/text.ts';

interface KnownScripts {
  readonly scripts: readonly Script[];
  /** Problems of the scripts, errors first. */
  readonly problems: readonly Problem[];
}

/** The home to check, and the data that several checks share. */
export interface DoctorContext {
  readonly home: string;
  readonly platform: NodeJS.Platform;
  /** The settings in effect, or the defaults if the settings are not valid. */
  readonly settings: Settings;
  readonly settingsProblems: readonly Text[];
  readonly settingsNotes: readonly Text[];
  /** The environment that scripts inherit. */
  readonly environment: Readonly<Record<string, string>>;
  /** The running service of the home. */
  readonly service: ServiceInfo | null;
  readonly programs: SystemPrograms;
  /** Finds only interpreters of the system. */
  readonly finder: InterpreterFinder;
  /** All scripts. They are read once, on the first call. */
  scripts(): Promise<KnownScripts>;
}

/** Shorter than the time limit of a check, so that a hanging interpreter is ended and not left running. */
const probeMs = 3000;

/** Collects the data for the checks. The checks report all problems. */
export async function createDoctorContext(flags: Pick<Flags, 'home'>): Promise<DoctorContext> {
  const home = resolveHome(flags.home);
  const { settings, problems, notes } = await readSettings(flags);
  const environment = userEnvironment();
  const service = await findRunningService(home).catch(() => null);
  // The running service may have additional script folders.
  const folders = [...new Set([...settings.scripts, ...(service?.scripts ?? [])])];
  let reading: Promise<KnownScripts> | null = null;
  const scripts = () => {
    reading ??= readScripts(home, folders);
    return reading;
  };
  const programs = new SystemPrograms({
    environment,
    foreignFolders: async () => foldersOf(await scripts(), [home, ...folders]),
  });
  const fallbacks = { 'node.js': process.execPath };
  return {
    home,
    platform: process.platform,
    settings,
    settingsProblems: problems,
    settingsNotes: notes,
    environment,
    service,
    programs,
    finder: new InterpreterFinder(environment, fallbacks, { probeMs, isolation: programs }),
    scripts,
  };
}

/** All folders of scripts, including linked ones outside the script folders. */
function foldersOf({ scripts, problems }: KnownScripts, roots: readonly string[]): string[] {
  const broken = problems
    .flatMap(({ file }) => [file, dirname(file)])
    .filter((path) => roots.some((root) => isIn(path, root)));
  return [...roots, ...scripts.map(({ folder }) => folder), ...broken];
}

async function readSettings(
  flags: Pick<Flags, 'home'>,
): Promise<{ settings: Settings; problems: readonly Text[]; notes: readonly Text[] }> {
  try {
    const settings = await loadSettings(flags);
    return { settings, problems: [], notes: settings.notes };
  } catch (error) {
    if (error instanceof SettingsError)
      return { settings: defaultSettings, problems: error.problems, notes: [] };
    throw error;
  }
}

/** Reads the scripts of a home like the service: from script folders and the current versions of packages. */
async function readScripts(home: string, folders: readonly string[]): Promise<KnownScripts> {
  const [own, packages] = [join(home, 'scripts'), join(home, 'packages')];
  // The service creates these folders at its first start.
  const catalogue = new Catalogue([...((await exists(own)) ? [own] : []), ...folders], {
    ...((await exists(packages)) && { packages }),
  });
  await catalogue.load();
  // checkPackages reports damaged records.
  const problems = (await catalogue.problems()).filter(({ file }) => basename(file) !== installedFile);
  return { scripts: catalogue.scripts(), problems };
}

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

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
class SystemPrograms {
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
function isIn(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}
