import { createHmac, randomUUID } from 'node:crypto';
import { connect, type Socket } from 'node:net';

import { hungMs } from './until.ts';

export interface HookReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

type Headers = Readonly<Record<string, string | number>>;

/** Headers of a delivery as GitHub signs it. */
export function githubHeaders(secret: string, body: string | Buffer, id: string = randomUUID()): Headers {
  const digest = createHmac('sha256', secret).update(body).digest('hex');
  return { 'X-Hub-Signature-256': `sha256=${digest}`, 'X-GitHub-Delivery': id, 'X-GitHub-Event': 'push' };
}

export function stripeHeaders(secret: string, body: string, timeS = seconds()): Headers {
  const digest = createHmac('sha256', secret).update(`${timeS}.${body}`).digest('hex');
  return { 'Stripe-Signature': `t=${timeS},v1=${digest}` };
}

export function standardHeaders(secret: string, body: string, id: string, timeS = seconds()): Headers {
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
  const digest = createHmac('sha256', key).update(`${id}.${timeS}.${body}`).digest('base64');
  return { 'webhook-id': id, 'webhook-timestamp': timeS, 'webhook-signature': `v1,${digest}` };
}

export function seconds(): number {
  return Math.floor(Date.now() / 1000);
}

/** Sends a delivery over a socket of its own. */
export function deliver(
  address: string,
  headers: Headers,
  body: string | Buffer = '',
  { method = 'POST', path = new URL(address).pathname } = {},
): Promise<HookReply> {
  const bytes = Buffer.from(body);
  return exchange(address, [head(method, path, { 'Content-Length': bytes.length, ...headers }), bytes]);
}

/** The beginning of a request, with the headers as given. */
export function head(method: string, path: string, headers: Headers): string {
  const lines = Object.entries({ Host: 'hooks.example', ...headers }).map(
    ([name, value]) => `${name}: ${value}`,
  );
  return [`${method} ${path} HTTP/1.1`, ...lines, '', ''].join('\r\n');
}

/** Writes pieces to a new connection and reads the reply. */
export async function exchange(
  address: string,
  pieces: readonly (string | Buffer)[],
  then: (socket: Socket) => void = () => {},
): Promise<HookReply> {
  const { hostname, port } = new URL(address);
  const socket = connect(Number(port), hostname);
  const received: Buffer[] = [];
  return new Promise((resolve, reject) => {
    const limit = setTimeout(() => socket.destroy(new Error('the listener does not reply')), hungMs);
    socket.on('data', (chunk: Buffer) => received.push(chunk));
    socket.once('error', reject);
    socket.once('close', () => {
      clearTimeout(limit);
      resolve(parse(Buffer.concat(received).toString('latin1')));
    });
    for (const piece of pieces) socket.write(piece);
    then(socket);
  });
}

/** Status 0: the connection was closed without a reply. */
function parse(text: string): HookReply {
  const end = text.indexOf('\r\n\r\n');
  const [first = '', ...lines] = text.slice(0, Math.max(end, 0)).split('\r\n');
  const headers = lines.map((line) => {
    const colon = line.indexOf(':');
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
  });
  return {
    status: Number(/^HTTP\/1\.1 (\d{3})/.exec(first)?.[1] ?? 0),
    headers: Object.fromEntries(headers),
    body: end < 0 ? '' : text.slice(end + 4),
  };
}
