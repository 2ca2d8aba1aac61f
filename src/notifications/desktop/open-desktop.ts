import type { Logger } from '../../shared/log.ts';
import type { Language } from '../../shared/text.ts';
import { DbusDesktop } from './dbus-desktop.ts';
import type { Desktop } from './desktop.ts';
import { MacosDesktop } from './macos-desktop.ts';
import { AddressOpener } from './open-address.ts';
import { WindowsDesktop } from './windows-desktop.ts';

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
