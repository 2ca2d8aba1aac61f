import type { DesktopSession } from '../../settings/desktop-session.ts';
import { findOnPath } from '../../shared/find-program.ts';
import { dolphinFiles } from './dolphin.ts';
import type { EntryFile, Launch, MenuScript } from './menu-script.ts';
import { cajaFiles, nautilusFiles } from './nautilus.ts';
import { nemoFiles } from './nemo.ts';

export interface FileManager {
  readonly title: string;
  /** The files of a script; null for Thunar, which has one file for all entries. */
  readonly files: ((script: MenuScript, launch: Launch, session: DesktopSession) => EntryFile[]) | null;
}

export const thunar: FileManager = { title: 'Thunar', files: null };

/** The file managers, by the names of their programs. */
const fileManagers: Readonly<Record<string, FileManager>> = {
  nautilus: { title: 'Nautilus', files: nautilusFiles },
  nemo: { title: 'Nemo', files: nemoFiles },
  thunar,
  caja: { title: 'Caja', files: cajaFiles },
  dolphin: { title: 'Dolphin', files: dolphinFiles },
};

/** The file managers of this machine. */
export async function findFileManagers({ environment }: DesktopSession): Promise<FileManager[]> {
  const found = await Promise.all(
    Object.entries(fileManagers).map(async ([program, manager]) =>
      (await findOnPath(program, environment)) === null ? [] : [manager],
    ),
  );
  return found.flat();
}
