import type { DesktopSession } from '../../settings/desktop-session.ts';
import { findOnPath } from '../../shared/find-program.ts';
import { dolphinFiles } from './dolphin.ts';
import { launcherFiles } from './launcher.ts';
import type { EntryFile, Launch, MenuScript } from './menu-script.ts';
import { cajaFiles, nautilusFiles } from './nautilus.ts';
import { nemoFiles } from './nemo.ts';

type FilesOf = (script: MenuScript, launch: Launch, session: DesktopSession) => EntryFile[];

/** The file managers, by the names of their programs. Thunar has one file for all entries. */
const fileManagers: Readonly<Record<string, { readonly title: string; readonly files: FilesOf }>> = {
  nautilus: { title: 'Nautilus', files: nautilusFiles },
  nemo: { title: 'Nemo', files: nemoFiles },
  thunar: { title: 'Thunar', files: () => [] },
  caja: { title: 'Caja', files: cajaFiles },
  dolphin: { title: 'Dolphin', files: dolphinFiles },
};

/** The file managers of this machine. */
export interface FoundManagers {
  readonly titles: readonly string[];
  readonly hasThunar: boolean;
  readonly files: readonly FilesOf[];
}

export async function findFileManagers({ environment }: DesktopSession): Promise<FoundManagers> {
  const found = await Promise.all(
    Object.entries(fileManagers).map(async ([program, manager]) =>
      (await findOnPath(program, environment)) === null ? [] : [{ program, ...manager }],
    ),
  );
  const present = found.flat();
  return {
    titles: present.map(({ title }) => title),
    hasThunar: present.some(({ program }) => program === 'thunar'),
    files: present.map(({ files }) => files),
  };
}

/** All files of a script, except for the one of Thunar. */
export function filesOf(
  script: MenuScript,
  launch: Launch,
  { managers, session }: { managers: FoundManagers; session: DesktopSession },
): EntryFile[] {
  const menus = managers.files.flatMap((files) => files(script, launch, session));
  return [...menus, ...launcherFiles(script, launch, session)];
}
