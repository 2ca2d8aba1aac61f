import type { Logger } from '../../shared/log.ts';

export interface DesktopTrouble {
  /** The problem. */
  readonly problem: string;
  /** The next step. */
  readonly hint: string;
}

/** Logs each change between reachable and unreachable once, regardless of the number of notifications. */
export class DesktopReport {
  readonly #log: Logger;
  #told = false;

  constructor(log: Logger) {
    this.#log = log;
  }

  failed(trouble: DesktopTrouble, error: unknown): void {
    if (this.#told) return;
    this.#told = true;
    const reason = error instanceof Error ? error.message : String(error);
    this.#log.warn({ ...trouble, reason }, 'desktop is unreachable; notifications are not shown');
  }

  worked(): void {
    if (!this.#told) return;
    this.#told = false;
    this.#log.info('desktop is reachable again; notifications are shown');
  }
}
