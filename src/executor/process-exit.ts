/** How a process ended, or why it was not started. */
export interface ProcessExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** The errno of a spawn that failed. */
  readonly error: string | null;
  /** Whether its exit code is unknown, because no process observed its exit. */
  readonly isUnseen?: boolean;
}
