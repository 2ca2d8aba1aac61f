import { PlainOutput } from './plain-output.ts';
import { type ScreenEvents, WindowScreen } from './screen.ts';
import { connectToExecutor, WindowProgram } from './window-program.ts';

/** Environment variables with which an emulator announces its capabilities. */
const emulatorVariables = ['TERM', 'COLORTERM', 'TERM_PROGRAM', 'TERM_PROGRAM_VERSION', 'VTE_VERSION'];

/** Entry point of the program in a window. The terminal emulator starts it with the socket path of the executor and a ticket. */
function main([socketPath = '', ticket = '']: readonly string[]): void {
  const leave = () => process.exit(0);
  connectToExecutor(socketPath, leave, async (socket) => {
    const env = Object.fromEntries(
      emulatorVariables.flatMap((name) => {
        const value = process.env[name];
        return value === undefined ? [] : [[name, value]];
      }),
    );
    const makeScreen = (events: ScreenEvents) => new WindowScreen(events);
    await new WindowProgram({ socket, ticket, env, makeScreen, plain: new PlainOutput(), leave }).open();
  });
}

main(process.argv.slice(2));
