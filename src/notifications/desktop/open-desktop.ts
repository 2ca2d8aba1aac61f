import { openOnDesktop } from '../../shared/open-on-desktop.ts';
import type { Language } from '../../shared/text.ts';
import { bodyText, signedTitle } from './bubble-text.ts';
import { DbusDesktop } from './dbus-desktop.ts';
import type { Bubble, Desktop } from './desktop.ts';
import { DesktopCommand, type DesktopOptions } from './desktop-command.ts';
import { WindowsDesktop } from './windows-desktop.ts';

/** The whole program. Texts are passed as arguments, so that they cannot inject code. */
const program = [
  'on run argv',
  'display notification (item 3 of argv) with title (item 2 of argv)',
  'end run',
];

/** Options end at the first other argument, so a text may start with a dash. */
const endOfOptions = 'hob';

/** The macOS desktop, through osascript. macOS decides about the duration and about clicks. */
export class MacosDesktop extends DesktopCommand {
  constructor(options: DesktopOptions) {
    super('osascript', 'Try it in a terminal: osascript -e \'display notification "hello"\'', options);
  }

  show({ type, title, message }: Bubble): Promise<boolean> {
    const texts = [signedTitle(type, title), bodyText(message, false)];
    return this.run([...program.flatMap((line) => ['-e', line]), endOfOptions, ...texts]);
  }
}

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
