import { openOnDesktop } from '../../shared/open-on-desktop.ts';
import type { Language } from '../../shared/text.ts';
import { DbusDesktop } from './dbus-desktop.ts';
import type { Desktop } from './desktop.ts';
import type { DesktopOptions } from './desktop-command.ts';
import { MacosDesktop } from './macos-desktop.ts';
import { WindowsDesktop } from './windows-desktop.ts';

/** Returns a function that opens pages of Hob in the browser of the user. It logs only the first failure. */
export function addressOpener({ environment, log }: DesktopOptions): (address: string) => void {
  let hasFailed = false;
  return (address) => {
    // Ignores other addresses: xdg-open would start the program that handles the file or scheme.
    if (!URL.canParse(address) || new URL(address).protocol !== 'http:') return;
    void openOnDesktop('page', address, { platform: 'linux', environment }).then((failure) => {
      if (failure === null || hasFailed) return;
      hasFailed = true;
      const { isMissing, reason } = failure;
      const hint = isMissing
        ? 'Install the package xdg-utils.'
        : 'Try xdg-open with an address in a terminal.';
      log.warn({ reason, hint }, 'cannot open the page of a notification');
    });
  };
}

interface OpenOptions extends DesktopOptions {
  platform: NodeJS.Platform;
  /** Language of the desktop user. */
  language: Language;
}

export function openDesktop({ platform, environment, language, log }: OpenOptions): Desktop {
  if (platform === 'darwin') return new MacosDesktop({ environment, log });
  if (platform === 'win32') return new WindowsDesktop({ environment, log });
  if (platform !== 'linux') return noDesktop;
  return new DbusDesktop({ environment, language, log, openAddress: addressOpener({ environment, log }) });
}

const noDesktop: Desktop = {
  show: async () => false,
  state: 'none',
  close: async () => {},
};
