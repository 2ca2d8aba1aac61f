import type { Logger } from '../../shared/log.ts';

export interface DesktopTrouble {
  /** What is wrong, in plain words. */
  readonly problem: string;
  /** What can be done about it. */
  readonly hint: string;
}

/** Says once that the desktop cannot be reached and once that it is back, however many notifications there are meanwhile. */
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
