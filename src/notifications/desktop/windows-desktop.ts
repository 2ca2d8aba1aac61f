import { randomBytes } from 'node:crypto';
import { win32 } from 'node:path';

import type { DesktopState } from '../../contract/values.ts';
import type { Logger } from '../../shared/log.ts';
import { longestTimerMs } from '../../shared/longest-timer.ts';
import { bodyText, titleText } from './bubble-text.ts';
import type { Bubble, Desktop } from './desktop.ts';
import { DesktopCommand } from './desktop-command.ts';
import { powershellArguments, removeProgram, showProgram } from './toast-programs.ts';
import { withSign } from './type-signs.ts';

interface WindowsDesktopOptions {
  environment: Readonly<Record<string, string>>;
  log: Logger;
}

/** Windows has two durations, `short` and `long`; longer notifications use the second. */
const longFromMs = 7000;
/** Maximum that Windows keeps for one program. */
const mostToasts = 20;

/** The Windows desktop, through Windows PowerShell: newer versions of PowerShell cannot show toasts. */
export class WindowsDesktop implements Desktop {
  readonly #command: DesktopCommand;
  /** Visible toasts by tag, oldest first. */
  readonly #timers = new Map<string, NodeJS.Timeout>();

  constructor({ environment, log }: WindowsDesktopOptions) {
    const hint =
      'Notifications need Windows 10 or later, with Windows PowerShell 5.1 and notifications enabled.';
    this.#command = new DesktopCommand({ file: powershellIn(environment), environment, log, hint });
  }

  get state(): DesktopState {
    return this.#command.state;
  }

  async show(bubble: Bubble): Promise<boolean> {
    const { durationMs } = bubble;
    const tag = randomBytes(6).toString('hex');
    const isShown = await this.#command.run(powershellArguments(showProgram), dataOf(bubble, tag));
    if (isShown && durationMs > 0) this.#removeLater(tag, durationMs);
    return isShown;
  }

  close(): Promise<void> {
    for (const tag of this.#timers.keys()) this.#forget(tag);
    return this.#command.close();
  }

  #removeLater(tag: string, durationMs: number): void {
    const remove = () => {
      this.#timers.delete(tag);
      void this.#command.run(powershellArguments(removeProgram), { HOB_TOAST_TAG: tag });
    };
    this.#timers.set(tag, setTimeout(remove, Math.min(durationMs, longestTimerMs)).unref());
    const [oldest] = this.#timers.keys();
    if (this.#timers.size > mostToasts && oldest !== undefined) this.#forget(oldest);
  }

  #forget(tag: string): void {
    clearTimeout(this.#timers.get(tag));
    this.#timers.delete(tag);
  }
}

/** The full path if known: Windows would search the current folder first for a bare name. */
function powershellIn({ SystemRoot }: Readonly<Record<string, string>>): string {
  const file = 'powershell.exe';
  return SystemRoot ? win32.join(SystemRoot, 'System32', 'WindowsPowerShell', 'v1.0', file) : file;
}

function dataOf(bubble: Bubble, tag: string): Record<string, string> {
  const { type, title, message, durationMs, showClose, address } = bubble;
  const stays = durationMs === 0;
  return {
    HOB_TOAST_TAG: tag,
    HOB_TOAST_TITLE: inXml(withSign(type, titleText(title))),
    HOB_TOAST_MESSAGE: inXml(bodyText(message, false)),
    HOB_TOAST_DURATION: stays || durationMs >= longFromMs ? 'long' : 'short',
    HOB_TOAST_ADDRESS: isPage(address) ? address : '',
    // Windows keeps a reminder visible only if it has a button.
    HOB_TOAST_CLOSE: showClose || stays ? 'yes' : '',
    HOB_TOAST_STAYS: stays ? 'yes' : '',
  };
}

/** XML cannot represent these characters, not even as a reference. */
function inXml(text: string): string {
  return text.replace(/[\ufffe\uffff]/g, '\ufffd');
}

/** Any other scheme would start the program that handles it. */
function isPage(address: string | null): address is string {
  return address !== null && URL.canParse(address) && new URL(address).protocol === 'http:';
}
