import type { Logger } from '../../shared/log.ts';
import { bodyText, titleText } from './bubble-text.ts';
import type { Bubble, Desktop, DesktopState } from './desktop.ts';
import { DesktopCommand } from './desktop-command.ts';
import { withSign } from './type-signs.ts';

interface MacosDesktopOptions {
  environment: Readonly<Record<string, string>>;
  log: Logger;
}

/** The whole program. What it shows comes as its arguments, so that nothing in a text can become a part of it. */
const program = [
  'on run argv',
  'display notification (item 3 of argv) with title (item 2 of argv)',
  'end run',
];

/** Where options are looked for ends with the first argument that is none, so that a text may begin with a dash. */
const endOfOptions = 'hob';

/** The macOS desktop, by what comes with the system. How long it shows a bubble, and what a click does, is its own business. */
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
    const texts = [withSign(type, titleText(title)), bodyText(message, false)];
    return this.#command.run([...program.flatMap((line) => ['-e', line]), endOfOptions, ...texts]);
  }

  close(): Promise<void> {
    return this.#command.close();
  }
}
