import './terminal.css';

import { FitAddon } from '@xterm/addon-fit';
import { Terminal } from '@xterm/xterm';

import { callService } from '../api/call-service.ts';
import type { RunTerminal } from '../api/wire.ts';
import { QueryWatch } from './query-watch.ts';
import { showOutput } from './show-output.ts';
import { SizeReport } from './size-report.ts';
import { onThemeChange, terminalColours } from './terminal-colours.ts';
import { keepSomeKeys, takeInsertedText } from './terminal-keys.ts';
import { TypingQueue } from './typing-queue.ts';

const scrollbackLines = 10_000;

export interface TerminalHooks {
  describeGap: (bytes: number) => string;
  onReach: (isThere: boolean) => void;
  /** Something that was typed was not taken. */
  onRefused: (error: unknown) => void;
  /** Nothing more can be typed. */
  onClosed: () => void;
  /** The person wants to leave it by the keyboard. */
  onLeave: () => void;
}

export interface OpenedTerminal {
  readonly terminal: Terminal;
  type(text: string): void;
  close(): void;
}

/** Shows the terminal of a run in a place of the page, and passes on what is typed there. */
export function openTerminal(
  place: HTMLElement,
  runId: string,
  { open: isOpen, columns, rows, output_bytes: oldBytes }: RunTerminal,
  hooks: TerminalHooks,
): OpenedTerminal {
  const ending = new AbortController();
  const { signal } = ending;
  const terminal = new Terminal({
    // As it was for those who saw it first; it takes the size of its place once all of that is shown.
    cols: columns ?? 80,
    rows: rows ?? 24,
    // The log has line ends as the script wrote them.
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
  keepSomeKeys(terminal, hooks.onLeave);

  const path = `/api/runs/${runId}/terminal`;
  const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
  const sender = newSender();
  const shut = () => {
    typing.close();
    sizes.close();
    terminal.options.disableStdin = true;
    // The cursor says where something would appear.
    terminal.write('\x1b[?25l');
    hooks.onClosed();
  };
  const typing = new TypingQueue({
    send: (piece) => callService(`${path}/input`, { method: 'POST', body: { ...piece, sender } }),
    pause,
    onRefused: hooks.onRefused,
    onOver: shut,
  });
  const sizes = new SizeReport({
    send: (size) => callService(`${path}/size`, { method: 'POST', body: size }),
    pause,
  });
  if (!isOpen) shut();

  let isCaughtUp = false;
  const queries = new QueryWatch(terminal, {
    onTyped: (text) => typing.type(text),
    onAnswer: ({ text, askedAt }) => typing.answer(text, askedAt),
  });
  if (terminal.textarea) takeInsertedText(terminal.textarea, (text) => typing.type(text));
  const tellSize = () => sizes.tell({ columns: terminal.cols, rows: terminal.rows });
  terminal.onResize(() => isCaughtUp && tellSize());
  // Pages of other sizes may show it, too: it has the size of the one that is typed into.
  terminal.textarea?.addEventListener('focus', () => isCaughtUp && tellSize(), { signal });
  const observer = new ResizeObserver(() => (isCaughtUp || !isOpen) && fit.fit());
  observer.observe(place);

  void showOutput(runId, queries, {
    oldBytes: isOpen ? (oldBytes ?? 0) : 0,
    signal,
    describeGap: hooks.describeGap,
    onReach: hooks.onReach,
    onEnded: shut,
    onCaughtUp() {
      isCaughtUp = true;
      fit.fit();
      if (isOpen) tellSize();
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

/** Names this page among others. (The ready-made way to a random id is not there for pages from other machines.) */
function newSender(): string {
  const words = crypto.getRandomValues(new Uint32Array(4));
  return [...words].map((word) => word.toString(36)).join('-');
}
