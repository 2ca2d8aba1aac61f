import type { Readable } from 'node:stream';

/** Calls `receive` for every line that arrives. Lines are short, and come from our own programs. */
export function receiveLines(stream: Readable, receive: (line: string) => void): void {
  let rest = '';
  stream.on('data', (chunk: Buffer) => {
    const lines = (rest + chunk.toString('latin1')).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) receive(line);
  });
}
