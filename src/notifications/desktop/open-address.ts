import { spawn } from 'node:child_process';

import type { Logger } from '../../shared/log.ts';

interface OpenerOptions {
  environment: Readonly<Record<string, string>>;
  log: Logger;
}

/** Opens pages of Hob in the browser of the person at the desk. */
export class AddressOpener {
  readonly #options: OpenerOptions;
  #complained = false;

  constructor(options: OpenerOptions) {
    this.#options = options;
  }

  /** What is no address of a page is left alone: xdg-open would start whatever program a file or a scheme belongs to. */
  open(address: string): void {
    if (!URL.canParse(address) || new URL(address).protocol !== 'http:') return;
    const { environment } = this.#options;
    // It may become the browser itself, so it must outlive the service, and it is nobody's to end.
    const child = spawn('xdg-open', [address], { detached: true, stdio: 'ignore', env: environment });
    child.once('error', (error) => this.#complain(error));
    child.once('exit', (code) => {
      // One that became the browser may end whenever and however it likes, but then it has opened the page.
      if (code !== null && code !== 0) this.#complain(new Error(`xdg-open ended with exit code ${code}`));
    });
    child.unref();
  }

  #complain(error: Error): void {
    if (this.#complained) return;
    this.#complained = true;
    const isMissing = 'code' in error && error.code === 'ENOENT';
    const hint = isMissing ? 'Install the package xdg-utils.' : 'Try xdg-open with an address in a terminal.';
    this.#options.log.warn({ err: error, hint }, 'a click on a notification could not open its page');
  }
}
