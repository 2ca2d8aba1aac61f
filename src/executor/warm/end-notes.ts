import { closeSync } from 'node:fs';
import { Socket } from 'node:net';

import { type NamedFifo, removeName } from '../fifo-pool.ts';
import { receiveLines } from './receive-lines.ts';

/**
 * Where processes say with which code they end, as the last thing they do. Otherwise that is known when the system has taken them
 * apart, which takes longer than many a script runs.
 */
export class EndNotes {
  readonly #fifo: NamedFifo;
  readonly #socket: Socket;

  constructor(fifo: NamedFifo, receive: (pid: number, code: number) => void) {
    this.#fifo = fifo;
    this.#socket = new Socket({ fd: fifo.readFd, readable: true, writable: false });
    this.#socket.on('error', () => this.#socket.destroy());
    receiveLines(this.#socket, (line) => {
      const [pid = 0, code = 0] = line.split(' ').map(Number);
      receive(pid, code);
    });
  }

  get path(): string {
    return this.#fifo.path;
  }

  /** Whoever ends from now on finds nobody to tell. */
  close(): void {
    removeName(this.#fifo);
    // It was open only so that there is always somebody who could write: without, it would be over for us, too.
    closeSync(this.#fifo.writeFd);
    this.#socket.destroy();
  }
}
