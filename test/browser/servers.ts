import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';

import { onTestFinished } from 'vitest';

interface Listening {
  readonly port: number;
}

/** Starts a server that is closed when the test ends. It listens on every given host with the same port. */
export async function serve(listener: RequestListener, hosts: readonly string[]): Promise<Listening> {
  let port = 0;
  for (const host of hosts) {
    const server = createServer(listener);
    onTestFinished(() => closed(server));
    port = await opened(server, host, port);
  }
  return { port };
}

export async function bodyOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request) text += String(chunk);
  return text;
}

function opened(server: Server, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host, port, exclusive: true }, () => {
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : port);
    });
  });
}

function closed(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
