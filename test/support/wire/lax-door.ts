import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

import { onTestFinished } from 'vitest';

import { checkAccess } from '../../../src/http/access/access-rules.ts';
import { statusOf } from '../../../src/http/error-answers.ts';
import type { Blindness } from './blindnesses.ts';
import { type House, onEveryAnswer } from './door-oracle.ts';

/** A server with access control that has one defect, and nothing behind it. */
export async function openLaxDoor(blindness: Blindness): Promise<{ port: number; house: House }> {
  const policy = { hosts: new Set<string>(), trustedOrigins: new Set(['http://mine.test:3000']) };
  const options = { requireHostHeader: false, maxHeaderSize: 32 * 1024 };
  const server = createServer(options);
  server.maxHeadersCount = 0;
  const answer = (request: IncomingMessage, response: ServerResponse) => {
    const { method = '', url: target = '', httpVersion, rawHeaders } = request;
    const refused = checkAccess(blindness({ method, target, httpVersion, rawHeaders }), policy);
    for (const [name, value] of Object.entries(onEveryAnswer)) response.setHeader(name, value);
    if (refused === null) response.end();
    else
      response.writeHead(statusOf(refused.code), { 'x-hob-error': refused.code, connection: 'close' }).end();
  };
  for (const event of ['request', 'checkContinue', 'checkExpectation']) server.on(event, answer);
  server.on('connect', (_request, socket) => socket.destroy());
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    const isLong = error.code === 'HPE_HEADER_OVERFLOW';
    const says = isLong
      ? '431 Refused\r\nx-hob-error: request-header-too-large'
      : '400 Refused\r\nx-hob-error: request-malformed';
    const lines = [...Object.entries(onEveryAnswer), ['connection', 'close']].map(
      (line) => `${line.join(': ')}\r\n`,
    );
    if (socket.writable) socket.end(`HTTP/1.1 ${says}\r\n${lines.join('')}\r\n`);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(async () => {
    server.closeAllConnections();
    await once(server.close(), 'close');
  });
  const address: AddressInfo | string | null = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  const { port } = address;
  for (const name of ['127.0.0.1', 'localhost', '[::1]']) policy.hosts.add(`${name}:${port}`);
  return { port, house: { hosts: [...policy.hosts], trustedOrigins: [...policy.trustedOrigins] } };
}
