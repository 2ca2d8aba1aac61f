import { homedir } from 'node:os';
import { join } from 'node:path';

/** The desktop of the user: its folders, its names and its variables. */
export interface DesktopSession {
  /** Folder for data of programs, such as ~/.local/share. */
  readonly dataHome: string;
  /** Folder for settings of programs, such as ~/.config. */
  readonly configHome: string;
  /** Folders with the settings of the system, the most important first. */
  readonly configDirs: readonly string[];
  /** Names of the desktop, such as GNOME or XFCE, in upper case. */
  readonly names: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
}

export function desktopSession(env: NodeJS.ProcessEnv = process.env): DesktopSession {
  const environment = Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const])),
  );
  const home = env.HOME || homedir();
  return {
    dataHome: absolute(env.XDG_DATA_HOME) ?? join(home, '.local', 'share'),
    configHome: absolute(env.XDG_CONFIG_HOME) ?? join(home, '.config'),
    configDirs: (env.XDG_CONFIG_DIRS || '/etc/xdg').split(':').filter((path) => absolute(path) !== null),
    names: (env.XDG_CURRENT_DESKTOP ?? '').toUpperCase().split(':').filter(Boolean),
    environment,
  };
}

/** The XDG specification requires that a relative path is ignored. */
function absolute(path: string | undefined): string | null {
  return path?.startsWith('/') ? path : null;
}
