import type { Socket } from 'node:net';
import { StringDecoder } from 'node:string_decoder';

import type { FromExecutor, ToExecutor } from './messages.ts';
import type { FromWindow, ToWindow } from './window-messages.ts';

/** Longer than any message we send; a peer that exceeds it is not one of ours. */
const maxLineLength = 32 * 1024 * 1024;

type Message = ToExecutor | FromExecutor | ToWindow | FromWindow;

/** Whether there is room for more: a sender of much waits until there is. */
export function sendMessage(socket: Socket, message: Message): boolean {
  return socket.write(`${JSON.stringify(message)}\n`);
}

/**
 * Calls `receive` for every message that arrives. Only the type is looked at: both ends speak
 * the same version of the protocol, by their greeting, and share a secret.
 */
export function receiveMessages<Message extends { readonly type: string }>(
  socket: Socket,
  types: readonly Message['type'][],
  receive: (message: Message) => void,
): void {
  const decoder = new StringDecoder('utf8');
  let parts: string[] = [];
  let length = 0;
  socket.on('data', (chunk: Buffer) => {
    const lines = decoder.write(chunk).split('\n');
    const rest = lines.pop() ?? '';
    for (const line of lines) {
      const message: unknown = parseLine(parts.join('') + line);
      parts = [];
      length = 0;
      if (!isMessage(message, types)) {
        socket.destroy(new Error('a message that is none of ours'));
        return;
      }
      receive(message);
      // Whoever was turned away has nothing more to say, also in the same chunk.
      if (socket.destroyed) return;
    }
    parts.push(rest);
    length += rest.length;
    if (length > maxLineLength) socket.destroy(new Error('a message too long to be one of ours'));
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
