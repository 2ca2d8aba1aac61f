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
    this.#log.warn(
      { ...trouble, reason },
      'the desktop cannot be reached: notifications are not shown there',
    );
  }

  worked(): void {
    if (!this.#told) return;
    this.#told = false;
    this.#log.info('the desktop is back: notifications are shown there again');
  }
}
