/** How to start a command in a terminal emulator. */
export interface Emulator {
  readonly name: string;
  /**
   * Arguments between the emulator and the command. They must select the form that takes the remaining arguments unchanged:
   * many emulators also have one that takes a shell command line.
   */
  readonly before: readonly string[];
  /** The only display system it supports; absent: both. */
  readonly only?: 'x11' | 'wayland';
  /** A character that the emulator interprets anywhere in the command instead of passing it on. */
  readonly interprets?: string;
}

/** In the default order of preference. */
export const emulators: readonly Emulator[] = [
  // A tab would open in an existing window, and closing that window would end the run.
  { name: 'gnome-terminal', before: ['--window', '--'] },
  // konsole and qterminal, which share code, expand variables in the command.
  { name: 'konsole', before: ['-e'], interprets: '$' },
  { name: 'xfce4-terminal', before: ['-x'] },
  { name: 'mate-terminal', before: ['-x'] },
  { name: 'lxterminal', before: ['-e'] },
  { name: 'qterminal', before: ['-e'], interprets: '$' },
  { name: 'ptyxis', before: ['--new-window', '--'] },
  { name: 'kgx', before: ['--'] },
  // By default it passes the command to a running instance as a shell command line.
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
 * Possible targets of x-terminal-emulator that do not pass a command on unchanged: they split it again, read it in another character
 * set, or need a server that is not running.
 */
export const unsuitableEmulators: readonly string[] = ['tilix', 'sakura', 'koi8rxterm', 'footclient'];

/** The emulators of each desktop, by its name in XDG_CURRENT_DESKTOP. */
const emulatorsOfDesktops: Readonly<Record<string, readonly string[]>> = {
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

/** All emulators, those of the desktop first. `desktops` has the form of XDG_CURRENT_DESKTOP, such as `ubuntu:GNOME`. */
export function orderEmulators(desktops: string): readonly Emulator[] {
  const own = desktops
    .toLowerCase()
    .split(':')
    .flatMap((desktop) =>
      Object.hasOwn(emulatorsOfDesktops, desktop) ? (emulatorsOfDesktops[desktop] ?? []) : [],
    )
    .flatMap((name) => findEmulator(name) ?? []);
  return [...new Set([...own, ...emulators])];
}
