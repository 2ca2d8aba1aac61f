import { access } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

import { Catalogue } from '../scripts/catalogue.ts';
import { installedFile } from '../scripts/installed-version.ts';
import { InterpreterFinder } from '../scripts/runtimes/resolve-command.ts';
import type { Problem, Script } from '../scripts/script.ts';
import { defaultSettings } from '../settings/default-settings.ts';
import { resolveHome } from '../settings/home.ts';
import { type Flags, loadSettings, SettingsError } from '../settings/load-settings.ts';
import type { Settings } from '../settings/schema.ts';
import { userEnvironment } from '../settings/user-environment.ts';
import { findRunningService, type ServiceInfo } from '../shared/service-file.ts';
import type { Text } from '../shared/text.ts';
import { isIn, SystemPrograms } from './system-programs.ts';

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
