import type { EndCause } from '../contract/values.ts';
import type { Language } from '../shared/text.ts';
import type { TerminalSize, WindowHold } from './messages.ts';

/**
 * The messages between executor and window: one JSON object per line. The executor starts the script itself, on the
 * terminal of the program in the window. Therefore the executor observes the exit of the script even if the window is
 * closed.
 */
export type ToWindow =
  | {
      readonly type: 'welcome';
      readonly title: string;
      readonly language: Language;
      readonly hold: WindowHold;
    }
  /** Only for a window that has no terminal to offer: the window starts the script itself. */
  | {
      readonly type: 'start';
      readonly file: string;
      readonly args: readonly string[];
      readonly isVerbatim: boolean;
      readonly cwd: string;
      readonly env: Readonly<Record<string, string>>;
    }
  /**
   * Only for a terminal that a page shows: the input that was typed in the page, and the size of the terminal there.
   */
  | { readonly type: 'typed'; readonly base64: string }
  | ({ readonly type: 'resized' } & TerminalSize)
  /** The script has ended: send all remaining output now. */
  | { readonly type: 'drain' }
  | ({ readonly type: 'ended' } & WindowEnd);

export interface WindowEnd {
  readonly cause: EndCause;
  readonly exitCode: number;
  readonly signal: string | null;
  readonly durationMs: number;
}

export type FromWindow =
  | {
      readonly type: 'window';
      readonly ticket: string;
      /** The device file of the terminal; null where the window cannot offer one. */
      readonly terminal: string | null;
      /** The variables that describe the terminal emulator; programs draw according to them. */
      readonly env: Readonly<Record<string, string>>;
    }
  | { readonly type: 'spawned'; readonly pid: number }
  | {
      readonly type: 'exited';
      readonly code: number | null;
      readonly signal: NodeJS.Signals | null;
      readonly error: string | null;
    }
  | { readonly type: 'output'; readonly stream: 'stdout' | 'stderr'; readonly base64: string }
  /** All output written before `drain` has been sent. */
  | { readonly type: 'drained' }
  /** The user closed the window. */
  | { readonly type: 'closed' };

export const toWindowTypes = [
  'welcome',
  'start',
  'typed',
  'resized',
  'drain',
  'ended',
] as const satisfies readonly ToWindow['type'][];

export const fromWindowTypes = [
  'window',
  'spawned',
  'exited',
  'output',
  'drained',
  'closed',
] as const satisfies readonly FromWindow['type'][];
