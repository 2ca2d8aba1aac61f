import { bodyText, signedTitle } from './bubble-text.ts';
import type { Bubble } from './desktop.ts';
import { DesktopCommand, type DesktopOptions } from './desktop-command.ts';

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
