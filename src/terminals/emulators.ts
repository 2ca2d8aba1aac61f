/** How a terminal emulator is told what to run. */
export interface Emulator {
  readonly name: string;
  /**
   * What stands between the program and the command. It must be the form that takes the rest of the arguments as they are:
   * many emulators have another one, which takes a line for a shell.
   */
  readonly before: readonly string[];
  /** The only kind of desktop it can show itself on; absent: either. */
  readonly only?: 'x11' | 'wayland';
  /** A character that it does not pass on as it is, wherever in the command it stands. */
  readonly reads?: string;
}

/** In the order in which they are tried where nothing else decides. */
export const emulators: readonly Emulator[] = [
  // Asked for a tab, it would put the run into somebody's window, where closing it ends both.
  { name: 'gnome-terminal', before: ['--window', '--'] },
  // Like qterminal, which is made of the same parts, it puts the values of variables in.
  { name: 'konsole', before: ['-e'], reads: '$' },
  { name: 'xfce4-terminal', before: ['-x'] },
  { name: 'mate-terminal', before: ['-x'] },
  { name: 'lxterminal', before: ['-e'] },
  { name: 'qterminal', before: ['-e'], reads: '$' },
  { name: 'ptyxis', before: ['--new-window', '--'] },
  { name: 'kgx', before: ['--'] },
  // By itself it hands the command to one that is there already, as a line for a shell.
  { name: 'terminator', before: ['--no-dbus', '-x'] },
  { name: 'kitty', before: ['--'] },
  { name: 'alacritty', before: ['-e'] },
  { name: 'foot', before: ['--'], only: 'wayland' },
  { name: 'wezterm', before: ['start', '--'] },
  { name: 'ghostty', before: ['-e'] },
  { name: 'st', before: ['-e'], only: 'x11' },
  { name: 'urxvt', before: ['-e'], only: 'x11' },
  { name: 'rxvt', before: ['-e'], only: 'x11' },
  { name: 'xterm', before: ['-e'], only: 'x11' },
];

/**
 * Programs that x-terminal-emulator may stand for and that do not pass a command on as it is: they split it anew, read it in another
 * character set, or need a server that nobody has started.
 */
export const unfitEmulators: readonly string[] = ['tilix', 'sakura', 'koi8rxterm', 'footclient'];

/** What belongs to a desktop, by the names in XDG_CURRENT_DESKTOP. */
const ofDesktops: Readonly<Record<string, readonly string[]>> = {
  gnome: ['gnome-terminal', 'kgx', 'ptyxis'],
  unity: ['gnome-terminal'],
  'x-cinnamon': ['gnome-terminal'],
  kde: ['konsole'],
  xfce: ['xfce4-terminal'],
  mate: ['mate-terminal'],
  lxde: ['lxterminal'],
  lxqt: ['qterminal'],
  sway: ['foot'],
};

export function findEmulator(name: string): Emulator | undefined {
  return emulators.find((emulator) => emulator.name === name);
}

/** All of them, those of the desktop first. Desktops are given as in XDG_CURRENT_DESKTOP, such as `ubuntu:GNOME`. */
export function orderEmulators(desktops: string): readonly Emulator[] {
  const own = desktops
    .toLowerCase()
    .split(':')
    .flatMap((desktop) => (Object.hasOwn(ofDesktops, desktop) ? (ofDesktops[desktop] ?? []) : []))
    .flatMap((name) => findEmulator(name) ?? []);
  return [...new Set([...own, ...emulators])];
}
