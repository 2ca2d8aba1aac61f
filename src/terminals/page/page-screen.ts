import type { TerminalSize } from '../../execution/messages.ts';
import type { Screen, ScreenEvents } from '../window/screen.ts';

/**
 * The screen of a terminal that is shown elsewhere: in pages, which read what the script has written from its log, and send what is typed by
 * way of the service. There may be many of them, or none at the moment.
 */
export class PageScreen implements Screen {
  readonly takesScripts = false;
  readonly isOpen = true;
  /** At first; pages say later which size they have. */
  readonly size: TerminalSize;

  constructor(size: TerminalSize, { closed }: Pick<ScreenEvents, 'closed'>) {
    this.size = size;
    process.on('SIGTERM', closed);
    // Not meant for us: a Ctrl-C, or the end of the session, where somebody has started the service by hand.
    for (const signal of ['SIGINT', 'SIGHUP'] as const) process.on(signal, () => {});
  }

  passKeys(): void {}

  write(): boolean {
    return true;
  }

  entitle(): void {}

  say(): void {}
}
