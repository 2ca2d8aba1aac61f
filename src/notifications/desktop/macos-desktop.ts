import type { DesktopState } from '../../contract/values.ts';
import type { Logger } from '../../shared/log.ts';
import { bodyText, signedTitle } from './bubble-text.ts';
import type { Bubble, Desktop } from './desktop.ts';
import { DesktopCommand } from './desktop-command.ts';

interface MacosDesktopOptions {
  environment: Readonly<Record<string, string>>;
  log: Logger;
}

/** The whole program. Texts are passed as arguments, so that they cannot inject code. */
const program = [
  'on run argv',
  'display notification (item 3 of argv) with title (item 2 of argv)',
  'end run',
];

/** Options end at the first other argument, so a text may start with a dash. */
const endOfOptions = 'hob';

/** The macOS desktop, through osascript. macOS decides about the duration and about clicks. */
export class MacosDesktop implements Desktop {
  readonly #command: DesktopCommand;

  constructor({ environment, log }: MacosDesktopOptions) {
    const hint = 'Try it in a terminal: osascript -e \'display notification "hello"\'';
    this.#command = new DesktopCommand({ file: 'osascript', environment, log, hint });
  }

  get state(): DesktopState {
    return this.#command.state;
  }

  show({ type, title, message }: Bubble): Promise<boolean> {
    const texts = [signedTitle(type, title), bodyText(message, false)];
    return this.#command.run([...program.flatMap((line) => ['-e', line]), endOfOptions, ...texts]);
  }

  close(): Promise<void> {
    return this.#command.close();
  }
}
