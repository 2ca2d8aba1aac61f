import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';

import pino from 'pino';
import { expect, it } from 'vitest';

import { appInProcess, openGuarded } from '../support/app-in-process.ts';
import { tempFolder } from '../support/hob.ts';

it('a client that disconnects before the first byte of a file causes no error', async () => {
  const consoleFolder = await tempFolder();
  await writeFile(join(consoleFolder, 'index.html'), '<!doctype html>');
  const logged: string[] = [];
  const log = pino({ level: 'error' }, { write: (line: string) => logged.push(line) });
  const { app } = await appInProcess({ consoleFolder, log });
  const { url, port, server } = await openGuarded(app);
  // The connection breaks after the request was read and before the file is open.
  server.once('request', (request: IncomingMessage, response: ServerResponse) => {
    request.resume().once('end', () => response.destroy());
  });
  const caller = connect({ host: '127.0.0.1', port });
  caller.write(`GET / HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`);
  await once(caller.resume(), 'close');
  expect(caller.bytesRead).toBe(0);
  // Once the second request is answered, the file of the first one is closed.
  expect((await fetch(url)).status).toBe(200);
  expect(logged).toEqual([]);
});
