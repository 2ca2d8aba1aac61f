/** How a process ended, or why there was none. */
export interface ProcessExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** The errno of a spawn that failed. */
  readonly error: string | null;
  /** Whether it ended without anybody having seen how. */
  readonly isUnseen?: boolean;
}
