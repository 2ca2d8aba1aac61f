import { ReadStream } from 'node:tty';

/**
 * Entry point of the program that stays when a window is closed but processes left by its script still hold the terminal. It reads and
 * discards their output until the last one has closed the terminal. Without a reader, their next write would kill them.
 */
const terminal = new ReadStream(0);
terminal.on('error', () => terminal.destroy());
terminal.resume();
