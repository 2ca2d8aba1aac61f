import { dirname } from 'node:path';

import { InterpreterFinder } from '../scripts/runtimes/find-interpreter.ts';
import { defaultSettings } from '../settings/default-settings.ts';
import { resolveHome } from '../settings/home.ts';
import { type Flags, loadSettings, SettingsError } from '../settings/load-settings.ts';
import type { Settings } from '../settings/schema.ts';
import { userEnvironment } from '../settings/user-environment.ts';
import { findRunningService, type ServiceInfo } from '../shared/service-file.ts';
import type { Text } from '../shared/text.ts';
import { type KnownScripts, readScripts } from './known-scripts.ts';
import { isIn, SystemPrograms } from './system-programs.ts';

/** What is examined, with all that several checks need to know of it. */
export interface Patient {
  readonly home: string;
  readonly platform: NodeJS.Platform;
  /** Those that hold; the defaults where what is written cannot be used. */
  readonly settings: Settings;
  readonly settingsProblems: readonly Text[];
  readonly settingsNotes: readonly Text[];
  /** What scripts inherit. */
  readonly environment: Readonly<Record<string, string>>;
  /** The service that runs in the home. */
  readonly service: ServiceInfo | null;
  readonly programs: SystemPrograms;
  /** Finds interpreters of the system only. */
  readonly finder: InterpreterFinder;
  /** All scripts, read once, however many ask. */
  scripts(): Promise<KnownScripts>;
}

/** Shorter than a check may take: an interpreter that hangs is ended, and not left behind. */
const probeMs = 3000;

/** Finds out whom there is to examine. Whatever is broken is for the checks to say. */
export async function admit(flags: Pick<Flags, 'home'>): Promise<Patient> {
  const home = resolveHome(flags.home);
  const { settings, problems, notes } = await readSettings(flags);
  const environment = userEnvironment();
  const service = await findRunningService(home).catch(() => null);
  // It may have been started with further ones.
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

/** All folders of scripts. One that is linked into a folder of scripts lies elsewhere. */
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
