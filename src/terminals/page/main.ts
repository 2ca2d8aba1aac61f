import { connect } from 'node:net';

import { throughShortPath } from '../../execution/socket-path.ts';
import { PlainOutput } from '../window/plain-output.ts';
import type { ScreenEvents } from '../window/screen.ts';
import { WindowProgram } from '../window/window-program.ts';
import { PageScreen } from './page-screen.ts';

/** What the terminal in the page can show. */
const env = { TERM: 'xterm-256color', COLORTERM: 'truecolor' };

/**
 * The entry of what stands in the place of a window where a page shows the terminal. The executor starts it, with the size, where to call
 * and what to say there.
 */
function main([columns = '', rows = '', socketPath = '', ticket = '']: readonly string[]): void {
  let exitCode = 0;
  const leave = () => process.exit(exitCode);
  const socket = throughShortPath(socketPath, (path) => connect(path));
  // Nobody is there any more: the terminal is not needed.
  socket.once('error', leave);
  socket.once('connect', async () => {
    socket.off('error', leave);
    const size = { columns: Number(columns), rows: Number(rows) };
    const makeScreen = (events: ScreenEvents) => new PageScreen(size, events);
    const plain = new PlainOutput({ isReplayed: true });
    // Whoever leaves before it has called has no terminal to lend.
    exitCode = 1;
    await new WindowProgram({ socket, ticket, env, makeScreen, plain, leave }).open();
    exitCode = 0;
  });
}

main(process.argv.slice(2));
