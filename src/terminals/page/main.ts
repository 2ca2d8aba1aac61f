import { connect } from 'node:net';

import { throughShortPath } from '../../execution/socket-path.ts';
import { PlainOutput } from '../window/plain-output.ts';
import type { ScreenEvents } from '../window/screen.ts';
import { WindowProgram } from '../window/window-program.ts';
import { PageScreen } from './page-screen.ts';

/** The capabilities of the terminal in the page. */
const env = { TERM: 'xterm-256color', COLORTERM: 'truecolor' };

/**
 * Entry point of the program that replaces a window if a page shows the terminal. The executor starts it with the size, the path of its
 * socket and a ticket.
 */
function main([columns = '', rows = '', socketPath = '', ticket = '']: readonly string[]): void {
  let exitCode = 0;
  const leave = () => process.exit(exitCode);
  const socket = throughShortPath(socketPath, (path) => connect(path));
  // The executor is gone, so the terminal is not needed.
  socket.once('error', leave);
  socket.once('connect', async () => {
    socket.off('error', leave);
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
