import { createServer } from 'node:net';

import { expect, it, onTestFinished } from 'vitest';

import { nodeFetch } from './node-fetch.ts';

it('rejects a response that switches to another protocol', async () => {
  const server = createServer((socket) => {
    socket.once('data', () =>
      socket.end('HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: other\r\n\r\n'),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const url = `http://127.0.0.1:${Object(server.address()).port}/`;
  await expect(nodeFetch(url, { method: 'GET', headers: {}, redirect: 'manual' })).rejects.toThrow(
    'closed without a response',
  );
});
