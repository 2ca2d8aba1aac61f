import './terminal.css';

import { FitAddon } from '@xterm/addon-fit';
import { Terminal } from '@xterm/xterm';

import { callService } from '../api/call-service.ts';
import type { RunTerminal } from '../api/wire.ts';
import { QueryWatch } from './query-watch.ts';
import { showOutput } from './show-output.ts';
import { SizeReport } from './size-report.ts';
import { onThemeChange, terminalColours } from './terminal-colours.ts';
import { handleSpecialKeys, takeInsertedText } from './terminal-keys.ts';
import { TypingQueue } from './typing-queue.ts';

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
    send: (piece) => callService(`${path}/input`, { method: 'POST', body: { ...piece, sender } }),
    pause,
    onRefused: hooks.onRefused,
    onOver: closeInput,
  });
  const sizes = new SizeReport({
    send: (size) => callService(`${path}/size`, { method: 'POST', body: size }),
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
