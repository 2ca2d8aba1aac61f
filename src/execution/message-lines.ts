import type { Socket } from 'node:net';
import { StringDecoder } from 'node:string_decoder';

import type { FromExecutor, ToExecutor } from './messages.ts';
import type { FromWindow, ToWindow } from './window-messages.ts';

/** Longer than any message we send; a peer that exceeds it is not a Hob process. */
const maxLineLength = 32 * 1024 * 1024;

type Message = ToExecutor | FromExecutor | ToWindow | FromWindow;

/** Returns whether the socket can take more. If not, a sender of large data waits for `drain`. */
export function sendMessage(socket: Socket, message: Message): boolean {
  return socket.write(lineOf(message));
}

export function lineOf(message: Message): string {
  return `${JSON.stringify(message)}\n`;
}

/**
 * Calls `receive` for every message that arrives. Only the type is checked: both ends share a secret and speak the same version of
 * the protocol, which they compare when they connect.
 */
export function receiveMessages<Message extends { readonly type: string }>(
  socket: Socket,
  types: readonly Message['type'][],
  receive: (message: Message) => void,
): void {
  const decoder = new StringDecoder('utf8');
  let parts: string[] = [];
  let length = 0;
  let isTurnedAway = false;
  const take = (line: string) => {
    if (isTurnedAway) return;
    const wasThere = !socket.destroyed;
    const message: unknown = parseLine(line);
    if (isMessage(message, types)) receive(message);
    else socket.destroy(new Error('received an invalid message'));
    // A receiver may destroy the socket. The remaining messages of the same chunk are then ignored, too.
    isTurnedAway = wasThere && socket.destroyed;
  };
  socket.on('data', (chunk: Buffer) => {
    const lines = decoder.write(chunk).split('\n');
    const rest = lines.pop() ?? '';
    for (const line of lines) {
      const whole = parts.join('') + line;
      parts = [];
      length = 0;
      take(whole);
    }
    parts.push(rest);
    length += rest.length;
    if (length > maxLineLength) socket.destroy(new Error('received a message that is too long'));
  });
}

function parseLine(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

function isMessage<Message extends { readonly type: string }>(
  value: unknown,
  types: readonly Message['type'][],
): value is Message {
  if (typeof value !== 'object' || value === null || !('type' in value)) return false;
  return types.some((type) => type === value.type);
}
