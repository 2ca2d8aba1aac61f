import type { Logger } from '../../shared/log.ts';
import { type OpenFailure, openOnDesktop } from '../../shared/open-on-desktop.ts';

interface OpenerOptions {
  environment: Readonly<Record<string, string>>;
  log: Logger;
}

/** Opens pages of Hob in the browser of the user. */
export class AddressOpener {
  readonly #options: OpenerOptions;
  #complained = false;

  constructor(options: OpenerOptions) {
    this.#options = options;
  }

  /** Ignores other addresses: xdg-open would start the program that handles the file or scheme. */
  open(address: string): void {
    if (!URL.canParse(address) || new URL(address).protocol !== 'http:') return;
    const { environment } = this.#options;
    void openOnDesktop('page', address, { platform: 'linux', environment }).then((failure) => {
      if (failure !== null) this.#complain(failure);
    });
  }

  #complain({ isMissing, reason }: OpenFailure): void {
    if (this.#complained) return;
    this.#complained = true;
    const hint = isMissing ? 'Install the package xdg-utils.' : 'Try xdg-open with an address in a terminal.';
    this.#options.log.warn({ reason, hint }, 'cannot open the page of a notification');
  }
}
