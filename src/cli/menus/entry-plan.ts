import type { DesktopSession } from '../../settings/desktop-session.ts';
import type { FileManager } from './file-managers.ts';
import { launcherFiles } from './launcher.ts';
import type { EntryFile, Launch, MenuScript } from './menu-script.ts';
import { actionsFile } from './thunar-file.ts';
import { registryKeys } from './windows-registry.ts';

/** The desktop to change, and the Hob whose scripts the entries start. */
export interface MenuPlace {
  readonly launch: Launch;
  readonly session: DesktopSession;
  readonly managers: readonly FileManager[];
  readonly platform: NodeJS.Platform;
}

/** The entries of a script, as they should be. */
export interface EntryPlan {
  readonly script: MenuScript;
  /** The file managers with an entry, and the paths or registry keys that make it up. */
  readonly menus: readonly { readonly title: string; readonly parts: readonly string[] }[];
  /** The path of the launcher; null if there is none. */
  readonly launcher: string | null;
  /** The files of this script alone: all but the one of Thunar. */
  readonly files: readonly EntryFile[];
  readonly hasThunar: boolean;
}

/** The file manager of Windows. */
export const explorer = 'Explorer';

export function planFor(script: MenuScript, { launch, session, managers, platform }: MenuPlace): EntryPlan {
  if (platform === 'win32') {
    const menus = script.menu === null ? [] : [{ title: explorer, parts: registryKeys(script) }];
    return { script, menus, launcher: null, files: [], hasThunar: false };
  }
  const found = script.menu === null ? [] : managers;
  const own = found.map(({ title, files }) => ({ title, files: files?.(script, launch, session) ?? null }));
  const launcher = launcherFiles(script, launch, session);
  return {
    script,
    menus: own.map(({ title, files }) => ({
      title,
      parts: files?.map(({ path }) => path) ?? [actionsFile(session)],
    })),
    launcher: launcher[0]?.path ?? null,
    files: [...own.flatMap(({ files }) => files ?? []), ...launcher],
    hasThunar: own.some(({ files }) => files === null),
  };
}

/** Where the entries of a script are after an installation. */
export interface Placement {
  readonly script: MenuScript;
  /** The titles of the file managers. */
  readonly managers: readonly string[];
  readonly hasLauncher: boolean;
}

/** The entries of which no part failed. */
export function placementOf({ script, menus, launcher }: EntryPlan, failed: ReadonlySet<string>): Placement {
  const written = menus.filter(({ parts }) => !parts.some((part) => failed.has(part)));
  return {
    script,
    managers: written.map(({ title }) => title),
    hasLauncher: launcher !== null && !failed.has(launcher),
  };
}
