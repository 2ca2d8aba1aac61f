import type { Logger } from '../../shared/log.ts';
import { type OpenFailure, openOnDesktop } from '../../shared/open-on-desktop.ts';
import type { Language } from '../../shared/text.ts';
import { DbusDesktop } from './dbus-desktop.ts';
import type { Desktop } from './desktop.ts';
import { MacosDesktop } from './macos-desktop.ts';
import { WindowsDesktop } from './windows-desktop.ts';

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

interface OpenOptions {
  platform: NodeJS.Platform;
  environment: Readonly<Record<string, string>>;
  /** Language of the desktop user. */
  language: Language;
  log: Logger;
}

/** The desktop of this machine. */
export function openDesktop({ platform, environment, language, log }: OpenOptions): Desktop {
  if (platform === 'darwin') return new MacosDesktop({ environment, log });
  if (platform === 'win32') return new WindowsDesktop({ environment, log });
  if (platform !== 'linux') return noDesktop;
  const opener = new AddressOpener({ environment, log });
  const openAddress = (address: string) => opener.open(address);
  return new DbusDesktop({ environment, language, log, openAddress });
}

const noDesktop: Desktop = {
  show: async () => false,
  state: 'none',
  close: async () => {},
};
