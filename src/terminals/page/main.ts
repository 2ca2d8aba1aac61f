import type { TerminalSize } from '../../execution/messages.ts';
import { PlainOutput } from '../window/plain-output.ts';
import type { Screen, ScreenEvents } from '../window/screen.ts';
import { connectToExecutor, WindowProgram } from '../window/window-program.ts';

/**
 * The screen of a terminal that pages show. Pages read the output from the log and send typed input through the service. Any number of
 * pages can be open, including none.
 */
class PageScreen implements Screen {
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

/** The capabilities of the terminal in the page. */
const env = { TERM: 'xterm-256color', COLORTERM: 'truecolor' };

/**
 * Entry point of the program that replaces a window if a page shows the terminal. The executor starts it with the size, the path of its
 * socket and a ticket.
 */
function main([columns = '', rows = '', socketPath = '', ticket = '']: readonly string[]): void {
  let exitCode = 0;
  const leave = () => process.exit(exitCode);
  connectToExecutor(socketPath, leave, async (socket) => {
    const size = { columns: Number(columns), rows: Number(rows) };
    const makeScreen = (events: ScreenEvents) => new PageScreen(size, events);
    const plain = new PlainOutput({ isReplayed: true });
    // Exit code 1 means that no terminal could be opened.
    exitCode = 1;
    await new WindowProgram({ socket, ticket, env, makeScreen, plain, leave }).open();
    exitCode = 0;
  });
}

main(process.argv.slice(2));
