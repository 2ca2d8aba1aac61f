import type { ITheme } from '@xterm/xterm';

const ansiNames = [
  'black',
  'red',
  'green',
  'yellow',
  'blue',
  'magenta',
  'cyan',
  'white',
  'brightBlack',
  'brightRed',
  'brightGreen',
  'brightYellow',
  'brightBlue',
  'brightMagenta',
  'brightCyan',
  'brightWhite',
] as const satisfies readonly (keyof ITheme)[];

/** The terminal colours of the current theme. */
export function terminalColours(): ITheme {
  const styles = getComputedStyle(document.documentElement);
  const colour = (name: string) => styles.getPropertyValue(name).trim();
  const ansi = ansiNames.map((name, at) => [name, colour(`--ansi-${at}`)]);
  return {
    background: colour('--terminal-ground'),
    foreground: colour('--ink'),
    cursor: colour('--accent'),
    cursorAccent: colour('--on-accent'),
    selectionBackground: colour('--terminal-selection'),
    ...Object.fromEntries(ansi),
  };
}

/** Calls back when the theme changes. */
export function onThemeChange(apply: () => void, signal: AbortSignal): void {
  const observer = new MutationObserver(apply);
  observer.observe(document.documentElement, { attributeFilter: ['data-theme'] });
  signal.addEventListener('abort', () => observer.disconnect());
}
