import { connect } from 'node:net';

import { throughShortPath } from '../../execution/socket-path.ts';
import { PlainOutput } from './plain-output.ts';
import { type ScreenEvents, WindowScreen } from './screen.ts';
import { WindowProgram } from './window-program.ts';

/** Environment variables with which an emulator announces its capabilities. */
const emulatorVariables = ['TERM', 'COLORTERM', 'TERM_PROGRAM', 'TERM_PROGRAM_VERSION', 'VTE_VERSION'];

/** Entry point of the program in a window. The terminal emulator starts it with the socket path of the executor and a ticket. */
function main([socketPath = '', ticket = '']: readonly string[]): void {
  const leave = () => process.exit(0);
  const socket = throughShortPath(socketPath, (path) => connect(path));
  // The executor is gone, so the window is not needed.
  socket.once('error', leave);
  socket.once('connect', () => {
    socket.off('error', leave);
    const env = Object.fromEntries(
      emulatorVariables.flatMap((name) => {
        const value = process.env[name];
        return value === undefined ? [] : [[name, value]];
      }),
    );
    const makeScreen = (events: ScreenEvents) => new WindowScreen(events);
    void new WindowProgram({ socket, ticket, env, makeScreen, plain: new PlainOutput(), leave }).open();
  });
}

main(process.argv.slice(2));
