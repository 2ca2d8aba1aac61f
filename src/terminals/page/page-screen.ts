import type { TerminalSize } from '../../execution/messages.ts';
import type { Screen, ScreenEvents } from '../window/screen.ts';

/**
 * The screen of a terminal that pages show. Pages read the output from the log and send typed input through the service. Any number of
 * pages can be open, including none.
 */
export class PageScreen implements Screen {
  readonly takesScripts = false;
  readonly isOpen = true;
  /** The initial size. Pages send their own size later. */
  readonly size: TerminalSize;

  constructor(size: TerminalSize, { closed }: Pick<ScreenEvents, 'closed'>) {
    this.size = size;
    process.on('SIGTERM', closed);
    // Ignore a Ctrl-C or a hang-up in the terminal in which the service was started by hand.
    for (const signal of ['SIGINT', 'SIGHUP'] as const) process.on(signal, () => {});
  }

  passKeys(): void {}

  write(): boolean {
    return true;
  }

  setTitle(): void {}

  say(): void {}
}
