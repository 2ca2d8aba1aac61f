import type { Language } from '../shared/text.ts';
import type { EndCause, TerminalSize, WindowHold } from './messages.ts';

/**
 * What executor and window say to each other, one JSON object a line. The program in the window lends its terminal to the
 * script, which the executor starts itself: whatever becomes of the window, the executor sees how the script ends.
 */
export type ToWindow =
  | {
      readonly type: 'welcome';
      readonly title: string;
      readonly language: Language;
      readonly hold: WindowHold;
    }
  /** Only for a window that has no terminal to lend: it starts the script itself. */
  | {
      readonly type: 'start';
      readonly file: string;
      readonly args: readonly string[];
      readonly isVerbatim: boolean;
      readonly cwd: string;
      readonly env: Readonly<Record<string, string>>;
    }
  /** Only for a terminal that a page shows: what was typed there, and the size that it has there. */
  | { readonly type: 'typed'; readonly base64: string }
  | ({ readonly type: 'resized' } & TerminalSize)
  /** The script has ended: everything it wrote is wanted now. */
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
      /** The file name of the terminal, or null where none can be lent. */
      readonly terminal: string | null;
      /** What the emulator says of itself: programs draw by it. */
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
  /** All that was written before `drain` has been sent. */
  | { readonly type: 'drained' }
  /** Somebody closed the window. */
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
