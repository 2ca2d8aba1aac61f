import { FitAddon } from '@xterm/addon-fit';
import { type ITheme, Terminal } from '@xterm/xterm';

import './terminal.css';
import { hob } from '../api/hob.ts';
import type { RunTerminal } from '../api/wire.ts';
import { QueryWatch } from './query-watch.ts';
import { showOutput } from './show-output.ts';
import { SizeReport, TypingQueue } from './terminal-input.ts';

const isMac = /Mac|iPhone|iPad/.test(navigator.platform);

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

const scrollbackLines = 10_000;

export interface TerminalHooks {
  describeGap: (bytes: number) => string;
  onReach: (isThere: boolean) => void;
  /** The service refused input. */
  onRefused: (error: unknown) => void;
  /** The terminal takes no more input. */
  onClosed: () => void;
  /** The user pressed the shortcut that leaves the terminal. */
  onLeave: () => void;
}

export interface OpenedTerminal {
  readonly terminal: Terminal;
  type(text: string): void;
  close(): void;
}

/** Opens the terminal of a run in an element of the page, and sends input to the run. */
export function openTerminal(
  place: HTMLElement,
  runId: string,
  { open: isOpen, columns, rows, output_bytes: oldBytes }: RunTerminal,
  hooks: TerminalHooks,
): OpenedTerminal {
  const ending = new AbortController();
  const { signal } = ending;
  const terminal = new Terminal({
    // Start with the size in which the old output was written. The terminal is resized once that output is shown.
    cols: columns ?? 80,
    rows: rows ?? 24,
    // The log contains line ends as the script wrote them.
    convertEol: true,
    cursorBlink: true,
    disableStdin: !isOpen,
    fontFamily: getComputedStyle(place).fontFamily,
    fontSize: place.clientWidth < 500 ? 12 : 13,
    minimumContrastRatio: 4.5,
    screenReaderMode: true,
    scrollback: scrollbackLines,
    theme: terminalColours(),
  });
  const fit = new FitAddon();
  terminal.loadAddon(fit);
  terminal.open(place);
  onThemeChange(() => {
    terminal.options.theme = terminalColours();
  }, signal);
  handleSpecialKeys(terminal, hooks.onLeave);

  const path = `/api/runs/${runId}/terminal`;
  const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
  const sender = newSender();
  const closeInput = () => {
    typing.close();
    sizes.close();
    terminal.options.disableStdin = true;
    // Hide the cursor, because no input is possible.
    terminal.write('\x1b[?25l');
    hooks.onClosed();
  };
  const typing = new TypingQueue({
    send: (piece) => hob.request('POST', `${path}/input`, { body: { ...piece, sender } }),
    pause,
    onRefused: hooks.onRefused,
    onOver: closeInput,
  });
  const sizes = new SizeReport({
    send: (size) => hob.request('POST', `${path}/size`, { body: size }),
    pause,
  });
  if (!isOpen) closeInput();

  let isCaughtUp = false;
  const queries = new QueryWatch(terminal, {
    onTyped: (text) => typing.type(text),
    onAnswer: ({ text, askedAt }) => typing.answer(text, askedAt),
  });
  if (terminal.textarea) takeInsertedText(terminal.textarea, (text) => typing.type(text));
  const reportSize = () => sizes.report({ columns: terminal.cols, rows: terminal.rows });
  terminal.onResize(() => isCaughtUp && reportSize());
  // Several pages may show the terminal. It has the size of the page that has the focus.
  terminal.textarea?.addEventListener('focus', () => isCaughtUp && reportSize(), { signal });
  const observer = new ResizeObserver(() => (isCaughtUp || !isOpen) && fit.fit());
  observer.observe(place);

  void showOutput(runId, queries, {
    oldBytes: isOpen ? (oldBytes ?? 0) : 0,
    signal,
    describeGap: hooks.describeGap,
    onReach: hooks.onReach,
    onEnded: closeInput,
    onCaughtUp() {
      isCaughtUp = true;
      fit.fit();
      if (isOpen) reportSize();
    },
  });
  return {
    terminal,
    type: (text) => typing.type(text),
    close() {
      ending.abort();
      queries.close();
      typing.close();
      sizes.close();
      observer.disconnect();
      terminal.dispose();
    },
  };
}

/** A random id for this page. (`crypto.randomUUID` is missing on pages loaded over plain HTTP from other machines.) */
function newSender(): string {
  const words = crypto.getRandomValues(new Uint32Array(4));
  return [...words].map((word) => word.toString(36)).join('-');
}

/** The terminal colours of the current theme. */
function terminalColours(): ITheme {
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
function onThemeChange(apply: () => void, signal: AbortSignal): void {
  const observer = new MutationObserver(apply);
  observer.observe(document.documentElement, { attributeFilter: ['data-theme'] });
  signal.addEventListener('abort', () => observer.disconnect());
}

/**
 * Handles the few keys that are not sent to the script. Tab is sent too, so Ctrl+Shift+Space leaves the terminal. No known terminal program,
 * browser or system uses that shortcut.
 */
function handleSpecialKeys(terminal: Terminal, onLeave: () => void): void {
  terminal.attachCustomKeyEventHandler((event) => {
    if (event.ctrlKey && event.shiftKey && event.code === 'Space') {
      event.preventDefault();
      if (event.type === 'keydown') onLeave();
      return false;
    }
    // On macOS, Cmd copies and pastes. Elsewhere Ctrl does, but without a selection Ctrl-C interrupts as in every terminal.
    if (isMac || !event.ctrlKey || event.altKey || event.metaKey) return true;
    if (event.code === 'KeyV') return false;
    if (event.code !== 'KeyC' || !terminal.hasSelection()) return true;
    if (event.type === 'keydown') {
      event.preventDefault();
      copySelection(terminal);
    }
    return false;
  });
}

function copySelection(terminal: Terminal): void {
  // xterm.js puts the selection into the copy event. This also works on pages that cannot write to the clipboard.
  document.execCommand('copy');
  terminal.clearSelection();
}

/**
 * Sends text that arrives without a key press, for example from an emoji picker or dictation. In screen reader mode xterm.js handles only
 * keys and composed text.
 */
function takeInsertedText(field: HTMLElement, type: (text: string) => void): void {
  let isByKey = false;
  field.addEventListener('keydown', () => {
    isByKey = true;
  });
  field.addEventListener('keyup', () => {
    isByKey = false;
  });
  field.addEventListener('input', (event) => {
    if (!(event instanceof InputEvent) || event.inputType !== 'insertText' || event.isComposing) return;
    if (!isByKey && event.data !== null) type(event.data);
  });
}
