import { once } from 'node:events';
import { createServer } from 'node:net';

import { expect, it, onTestFinished } from 'vitest';

import { tempFolder } from '../support/hob.ts';
import { downloadsHere, pull } from '../support/hub/download-here.ts';
import { TestHub } from '../support/hub/test-hub.ts';

it('a hub that answers with another protocol is given up, and nothing waits forever', async () => {
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () =>
      socket.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: tea\r\nConnection: Upgrade\r\n\r\n'),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  const downloads = await downloadsHere({ url: `http://127.0.0.1:${port}`, folder: await tempFolder() });
  expect(await pull(downloads)).toMatchObject({
    state: 'failed',
    error: { code: 'hub-unreachable', message: expect.stringContaining('did not send an HTTP response') },
  });
});

it.each(['huggingface', 'modelscope'] as const)(
  'a short list of %s that would use much memory is refused before it is parsed',
  async (source) => {
    const hub = await TestHub.start([]);
    const downloads = await downloadsHere({ url: hub.url, folder: await tempFolder() });
    hub.answer = (_request, response, { pathname }) => {
      if (pathname.includes('/revision/')) return false;
      response.end(`{"Data":{"Files":[${'[],'.repeat(4_000_000)}[]]}}`);
      return true;
    };
    expect(await pull(downloads, { source })).toMatchObject({
      state: 'failed',
      error: { code: 'hub-answer-invalid', message: expect.stringContaining('a list that is too long') },
    });
  },
);
