import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, isIPv6 } from 'node:net';
import type { Duplex } from 'node:stream';

import type { FastifyInstance } from 'fastify';

import type { HttpMetrics } from '../../metrics/http-metrics.ts';
import { AppError, errnoOf } from '../../shared/errors.ts';
import { readHandleLimit } from '../../shared/handle-limit.ts';
import type { JsonObject } from '../../shared/json.ts';
import { answerError } from '../error-answers.ts';
import { type DoorPolicy, judge } from './judge.ts';
import { stripRunToken } from './run-address.ts';

interface ListenOptions {
  app: FastifyInstance;
  addresses: readonly string[];
  /** 0: any. */
  port: number;
  /** Tried first when any port will do. */
  preferredPort: number | null;
  extraHosts: readonly string[];
  trustedOrigins: readonly string[];
  metrics: HttpMetrics;
}

export interface Listening {
  readonly port: number;
  readonly url: string;
  /** Lets answers under way go through, unless the signal says that there is no time for that. */
  close(now: AbortSignal): Promise<void>;
}

const maxHeaderBytes = 32 * 1024;
/** Of all file handles, the part that connections may take while they are idle. */
const handlesForConnections = 0.25;
const attemptsAtRandomPorts = 20;
const closeSweepMs = 50;
const closeWithinMs = 2000;

/** On every answer, whatever it is: it is for the one who asked, as what it says it is, and never inside another page. */
const answerHeaders = {
  'x-content-type-options': 'nosniff',
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-store',
  'content-security-policy': "frame-ancestors 'none'",
} as const;

/** Opens the addresses, all on one port, with the door in front of the application. */
export async function listen(options: ListenOptions): Promise<Listening> {
  const wanted =
    options.port === 0
      ? [options.preferredPort ?? 0, ...Array(attemptsAtRandomPorts).fill(0)]
      : [options.port];
  let refusal: unknown;
  for (const port of wanted) {
    try {
      return await openAll(options, port);
    } catch (error) {
      refusal = error;
      if (errnoOf(error) !== 'EADDRINUSE') throw error;
    }
  }
  throw refusal;
}

async function openAll(options: ListenOptions, port: number): Promise<Listening> {
  const servers: Server[] = [];
  const opened: string[] = [];
  const policy = { hosts: new Set<string>(), trustedOrigins: new Set(options.trustedOrigins) };
  let chosen = port;
  try {
    for (const address of options.addresses) {
      const server = createDoorServer(options.app, policy, options.metrics);
      try {
        chosen = await open(server, address, chosen);
      } catch (error) {
        // A machine without IPv6 is still reachable by the other address.
        const isAbsent = errnoOf(error) === 'EADDRNOTAVAIL' || errnoOf(error) === 'EAFNOSUPPORT';
        const isLast = address === options.addresses.at(-1);
        if (isAbsent && !(isLast && opened.length === 0)) continue;
        throw error;
      }
      servers.push(server);
      opened.push(address);
    }
  } catch (error) {
    await Promise.all(servers.map((server) => closeServer(server, AbortSignal.abort())));
    throw error;
  }
  const named = [...options.addresses.map(inUrl), '127.0.0.1', 'localhost', '[::1]'].map(
    (name) => `${name}:${chosen}`,
  );
  for (const host of [...named, ...options.extraHosts]) policy.hosts.add(host.toLowerCase());
  return {
    port: chosen,
    url: `http://${inUrl(opened[0] ?? '127.0.0.1')}:${chosen}`,
    async close(now) {
      await Promise.all(servers.map((server) => closeServer(server, now)));
    },
  };
}

function inUrl(address: string): string {
  return isIPv6(address) ? `[${address}]` : address;
}

function open(server: Server, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host, port, exclusive: true }, () => {
      server.removeListener('error', reject);
      const address: AddressInfo | string | null = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : port);
    });
  });
}

/**
 * Clients keep connections for their next request, and each takes a file handle that a run may need: beyond a part of all
 * handles, those that are idle are closed. A client opens a new one when it has something to say.
 */
function closeIdleBeyond(server: Server, most: number): void {
  let open = 0;
  server.on('connection', (socket) => {
    open++;
    socket.once('close', () => {
      open--;
    });
    if (open > most) server.closeIdleConnections();
  });
}

/** Takes no more connections, and closes each one when its last answer is through, or when that takes too long. */
function closeServer(server: Server, now: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const sweep = setInterval(() => server.closeIdleConnections(), closeSweepMs);
    const closeAll = () => server.closeAllConnections();
    const enough = setTimeout(closeAll, closeWithinMs);
    now.addEventListener('abort', closeAll, { once: true });
    server.close(() => {
      clearInterval(sweep);
      clearTimeout(enough);
      now.removeEventListener('abort', closeAll);
      resolve();
    });
    if (now.aborted) closeAll();
  });
}

function createDoorServer(app: FastifyInstance, policy: DoorPolicy, metrics: HttpMetrics): Server {
  const server: Server = createServer(
    {
      // The door checks the Host header itself, to answer in the right form.
      requireHostHeader: false,
      maxHeaderSize: maxHeaderBytes,
      headersTimeout: 30_000,
      requestTimeout: 300_000,
      keepAliveTimeout: 30_000,
    },
    enter,
  );
  server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    if (!admit(request, response)) return;
    response.writeContinue();
    app.routing(request, response);
  });
  closeIdleBeyond(server, Math.ceil(readHandleLimit() * handlesForConnections));
  // An expectation other than 100-continue cannot be met; the request is answered as if it had none.
  server.on('checkExpectation', enter);
  server.on('connect', (_request: IncomingMessage, socket: Duplex) => socket.destroy());
  server.on('clientError', (error: Error, socket: Duplex) => answerClientError(error, socket, metrics));
  return server;

  function enter(request: IncomingMessage, response: ServerResponse): void {
    if (admit(request, response)) app.routing(request, response);
  }

  function admit(request: IncomingMessage, response: ServerResponse): boolean {
    for (const [name, value] of Object.entries(answerHeaders)) response.setHeader(name, value);
    const target = request.url ?? '';
    const { method = '', httpVersion, rawHeaders } = request;
    const refused = judge({ method, target, httpVersion, rawHeaders }, policy);
    stripRunToken(request);
    if (refused === null) return true;
    metrics.refused(refused.code);
    const answer = answerError(refused, request.url ?? '', request.headers['accept-language']);
    // Nothing of the body is read, so the connection cannot be used for another request.
    response.writeHead(answer.status, {
      ...answer.headers,
      ...jsonHeaders(answer.body),
      connection: 'close',
    });
    response.end(JSON.stringify(answer.body));
    return false;
  }
}

function jsonHeaders(body: JsonObject): Record<string, string> {
  return {
    'content-type': 'application/json; charset=utf-8',
    'content-length': String(Buffer.byteLength(JSON.stringify(body))),
  };
}

/** Bytes that never became a request. */
function answerClientError(error: Error, socket: Duplex, metrics: HttpMetrics): void {
  if (errnoOf(error) === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const refusal = clientRefusal(errnoOf(error));
  metrics.refused(refusal.code);
  const { status, headers, body } = answerError(refusal, '', undefined);
  const lines = Object.entries({ ...answerHeaders, ...headers, ...jsonHeaders(body), connection: 'close' });
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  socket.end(`HTTP/1.1 ${status} Refused\r\n${head}\r\n${JSON.stringify(body)}`);
}

function clientRefusal(errno: string | undefined): AppError {
  switch (errno) {
    case 'HPE_HEADER_OVERFLOW':
      return new AppError('request-header-too-large', {
        en: `The header is larger than ${maxHeaderBytes} bytes.`,
        zh: `请求头超过 ${maxHeaderBytes} 字节。`,
      });
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new AppError('request-timeout', {
        en: 'The request took too long to arrive.',
        zh: '接收请求超时。',
      });
    default:
      return new AppError('request-malformed', {
        en: 'This is not an HTTP request.',
        zh: '不是有效的 HTTP 请求。',
      });
  }
}
