import { connect, createServer, Socket } from 'node:net';
import { join } from 'node:path';

import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';

import { tempFolder } from '../../test/support/hob.ts';
import { receiveMessages, sendMessage } from './message-lines.ts';
import { type RunSpec, type ToExecutor, toExecutorTypes as types } from './messages.ts';

/** A receiver whose chunks come from the test. */
function receiver(onMessage: (message: ToExecutor, socket: Socket) => void = () => {}) {
  const socket = new Socket();
  const received: ToExecutor[] = [];
  const errors: Error[] = [];
  socket.on('error', (error) => errors.push(error));
  const receive = (message: ToExecutor) => {
    received.push(message);
    onMessage(message, socket);
  };
  receiveMessages(socket, types, receive);
  return {
    socket,
    received,
    errors,
    feed: (chunk: Buffer | string) => socket.emit('data', Buffer.from(chunk)),
  };
}

/** Unlike `once`, this does not reject if an error comes first. */
const closed = (socket: Socket) => new Promise<void>((resolve) => socket.once('close', () => resolve()));

const stop = (runId: string): ToExecutor => ({ type: 'stop', runId, cause: 'cancelled' });
const line = (message: ToExecutor) => `${JSON.stringify(message)}\n`;

describe('messages that arrive', () => {
  it('are assembled wherever they were cut, even inside a character', () => {
    const messages = [stop('甲'), { type: 'farewell' } satisfies ToExecutor, stop('😀\n"')];
    const bytes = Buffer.from(messages.map(line).join(''));
    for (let cut = 0; cut <= bytes.length; cut++) {
      const { feed, received } = receiver();
      feed(bytes.subarray(0, cut));
      feed(bytes.subarray(cut));
      expect(received).toEqual(messages);
    }
  });

  it('are all received, in order, for any chunk sizes', () => {
    const message = fc.string({ unit: 'grapheme' }).map(stop);
    fc.assert(
      fc.property(
        fc.array(message, { maxLength: 5 }),
        fc.array(fc.integer({ min: 1, max: 20 })),
        (messages, sizes) => {
          const { feed, received } = receiver();
          let rest = Buffer.from(messages.map(line).join(''));
          for (const size of sizes) {
            feed(rest.subarray(0, size));
            rest = rest.subarray(size);
          }
          feed(rest);
          expect(received).toEqual(messages);
        },
      ),
    );
  });

  it('are received as soon as their line ends, and not before', () => {
    const { feed, received } = receiver();
    feed(JSON.stringify(stop('a')));
    expect(received).toEqual([]);
    feed('\n');
    expect(received).toEqual([stop('a')]);
  });

  it.each(['not json', '', '5', 'null', '[]', '{}', '{"type":"unknown"}', '{"type":5}', '{"kind":"stop"}'])(
    'end the connection when one is invalid: %j',
    async (text) => {
      const { socket, feed, received, errors } = receiver();
      feed(`${line(stop('a'))}${text}\n${line(stop('b'))}`);
      expect(received).toEqual([stop('a')]);
      await closed(socket);
      expect(errors.map(String)).toEqual(['Error: received an invalid message']);
    },
  );

  it('are ignored after the receiver has destroyed the socket', () => {
    const { feed, received } = receiver((_message, socket) => socket.destroy());
    feed(line(stop('a')) + line(stop('b')));
    expect(received).toEqual([stop('a')]);
  });

  it('end the connection when one exceeds the maximum length', async () => {
    const { socket, feed, received, errors } = receiver();
    const chunk = Buffer.alloc(1024 * 1024, 'x');
    for (let sent = 0; sent <= 32 && !socket.destroyed; sent++) feed(chunk);
    await closed(socket);
    expect(received).toEqual([]);
    expect(errors.map(String)).toEqual(['Error: received a message that is too long']);
  });
});

describe('a connection', () => {
  it('carries messages unchanged, also large ones', async () => {
    const path = join(await tempFolder(), 'executor.sock');
    const received: ToExecutor[] = [];
    const server = createServer((socket) => {
      receiveMessages<ToExecutor>(socket, types, (message) => {
        received.push(message);
        if (message.type === 'farewell') socket.end();
      });
    });
    await new Promise<void>((resolve) => server.listen(path, resolve));
    onTestFinished(() => {
      server.close();
    });
    const spec: RunSpec = {
      runId: '运行 1',
      file: '/usr/bin/python3',
      args: ['a "quoted"\nline', '\u2028'],
      isVerbatim: false,
      cwd: '/tmp',
      env: { LONG: '值'.repeat(300_000) },
      runFolder: '/tmp/run',
      timeoutMs: null,
      stopGraceMs: 5000,
      outputLogBytes: 1,
      survivors: 'keep',
    };
    const messages: ToExecutor[] = [{ type: 'start', spec }, stop('b'), { type: 'farewell' }];
    const client = connect(path);
    for (const message of messages) sendMessage(client, message);
    client.resume();
    await closed(client);
    expect(received).toEqual(messages);
  });
});
