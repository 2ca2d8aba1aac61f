import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

import { onTestFinished } from 'vitest';

import { until } from './until.ts';

export interface Received {
  readonly target: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** A server that receives messages, as the one behind `notify_url`. */
export interface Receiver {
  readonly origin: string;
  readonly received: readonly Received[];
  /** Waits for this number of messages. */
  untilReceived(count: number): Promise<readonly Received[]>;
  close(): void;
}

/** Answers a message. `count` is its number, from 1. */
type Answer = (response: ServerResponse, count: number) => void;

/** Starts a receiver that is stopped when the test ends. */
export async function startReceiver(answer?: Answer): Promise<Receiver> {
  const receiver = await launchReceiver(answer);
  onTestFinished(() => receiver.close());
  return receiver;
}

/** Starts a receiver for a whole test file. The caller must close it. */
export async function launchReceiver(answer: Answer = (response) => void response.end()): Promise<Receiver> {
  const received: Received[] = [];
  const sockets = new Set<Socket>();
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request.setEncoding('utf8')) body += chunk;
    received.push({ target: `${request.method} ${request.url}`, headers: request.headers, body });
    answer(response, received.length);
  });
  server.on('connection', (socket) => sockets.add(socket));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return {
    origin: `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`,
    received,
    untilReceived: (count) =>
      until(`${count} messages are received`, async () => received.length >= count && received),
    close() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}
