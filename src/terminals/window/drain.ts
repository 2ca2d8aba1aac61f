import { ReadStream } from 'node:tty';

/**
 * The entry of what stays when a window is gone and something that its script has left running still writes to its terminal:
 * it reads, and throws away, until the last of them has let go. Without it their next line would be their last.
 */
const terminal = new ReadStream(0);
terminal.on('error', () => terminal.destroy());
terminal.resume();
