import {
  createServer,
  type IncomingMessage,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';

import type { FastifyInstance } from 'fastify';

import type { HttpMetrics } from '../../metrics/metrics.ts';
import { dropBody, longestDrainMs, mostDroppedBytes } from '../../shared/drop-body.ts';
import { AppError, errnoOf } from '../../shared/errors.ts';
import type { JsonObject } from '../../shared/json.ts';
import type { Text } from '../../shared/text.ts';
import { answerError } from '../error-answers.ts';
import { type AccessPolicy, type Connections, checkAccess, stripRunToken } from './access-rules.ts';
import type { TokenGuard } from './token-guard.ts';

const maxHeaderBytes = 32 * 1024;
/** Time limit of a whole request, as a multiple of the limit for its header. */
const wholeRequest = 10;

/** Sent with every answer: no content sniffing, no use by other origins, no caching, no embedding in frames. */
const answerHeaders = {
  'x-content-type-options': 'nosniff',
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-store',
  'content-security-policy': "frame-ancestors 'none'",
} as const;

const answerHeaderList = Object.entries(answerHeaders);

interface GuardedServerOptions {
  app: FastifyInstance;
  policy: AccessPolicy;
  /** Null: the service requires no token. */
  guard: TokenGuard | null;
  connections: Connections;
  /** How long a client may take for the header of a request. */
  receiveMs: number;
  metrics: HttpMetrics;
  /** The local address and port of a connection. Null unless Hob listens on all addresses of the machine. */
  reached: ((socket: Socket) => readonly string[]) | null;
}

const admitted = new WeakSet<IncomingMessage>();

/** Whether a request passed the access rules. Routes refuse every other request. */
export function wasAdmitted(request: IncomingMessage): boolean {
  return admitted.has(request);
}

const keepAliveMs = 30_000;
const timeoutChecks = 4;
const longestCheckMs = 5000;

/**
 * A server that checks every request before the application gets it. Refused requests are answered here, and their bodies are not
 * read. There is deliberately no listener for `upgrade`: without one, Node treats an upgrade as a plain request, which is
 * checked in the same way.
 */
export function createGuardedServer(options: GuardedServerOptions): Server {
  const { app, policy, guard, connections, receiveMs, metrics } = options;
  /** Connections that sent invalid HTTP. All later bytes are ignored. */
  const invalidSockets = new WeakSet<Duplex>();
  const server: Server = createServer(
    {
      // The access rules check the Host header, so that the error has the form of the operation.
      requireHostHeader: false,
      maxHeaderSize: maxHeaderBytes,
      headersTimeout: receiveMs,
      requestTimeout: receiveMs * wholeRequest,
      connectionsCheckingInterval: Math.min(receiveMs / timeoutChecks, longestCheckMs),
      keepAliveTimeout: keepAliveMs,
    },
    enter,
  );
  // Above its limit Node silently drops headers, but the access rules must check all of them. Their size is limited anyway.
  server.maxHeadersCount = 0;
  server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    if (!admit(request, response)) return;
    const proceed = () => {
      response.writeContinue();
      app.routing(request, response);
    };
    // An answer that waits for earlier answers has no socket yet. Node would write its header before the 100.
    if (response.socket === null) response.once('socket', proceed);
    else proceed();
  });
  // An expectation other than 100-continue cannot be met. Ignore it.
  server.on('checkExpectation', enter);
  server.on('connect', (_request: IncomingMessage, socket: Duplex) => socket.destroy());
  server.on('clientError', (error: Error, socket: Duplex) => {
    const hasGone = errnoOf(error) === 'ECONNRESET';
    if (invalidSockets.has(socket) && !hasGone) return;
    const answer = connections.latestAnswer(socket);
    const refused = clientRefusal(error, receiveMs);
    if (hasGone || !socket.writable) socket.destroy();
    else if (answer === null) refuseBytes(refused, socket);
    // The request is incomplete and cannot get another answer.
    else if (!answer.req.complete) abortRequest(answer, socket, refused);
    else if (answer.writableFinished) refuseBytes(refused, socket);
    // The invalid bytes follow a valid request, whose answer comes first. A stream would never end, so close it.
    else if (isEndless(answer)) socket.destroy();
    else {
      markInvalid(socket);
      answer.once('finish', () => refuseBytes(refused, socket));
    }
  });
  connections.watch(server, (response, socket) => {
    abortRequest(response, socket, timeoutRefusal(receiveMs));
  });
  return server;

  function enter(request: IncomingMessage, response: ServerResponse): void {
    if (admit(request, response)) app.routing(request, response);
  }

  function admit(request: IncomingMessage, response: ServerResponse): boolean {
    // A request after a refused one is ignored: the refusal has announced that the connection closes.
    if (!connections.begin(request, response)) return false;
    for (const [name, value] of answerHeaderList) response.setHeader(name, value);
    const refused = checkRequest(request);
    if (refused === null) {
      admitted.add(request);
      guard?.watch(request, response);
      return true;
    }
    refuse(response, refused);
    endBehindBody(request, response);
    return false;
  }

  /** Never throws: a request that cannot be checked is refused. */
  function checkRequest(request: IncomingMessage): AppError | null {
    const { method = '', url: target = '', httpVersion, rawHeaders, socket } = request;
    const head = { method, target, httpVersion, rawHeaders, reached: options.reached?.(socket) ?? [] };
    const refused = checkAccess(head, policy);
    stripRunToken(request);
    if (refused !== null) return refused;
    if (!connections.hasRoom(request)) return busyRefusal(connections.limits);
    try {
      return guard?.check(request) ?? null;
    } catch (error) {
      return malformed(error);
    }
  }

  function refuse(response: ServerResponse, refused: AppError): void {
    metrics.refused(refused.code);
    connections.takeNoMore(response.req.socket);
    writeRefusal(response, refused);
  }

  /** Ends a request that will never be complete. A handler may be waiting for the rest of its body. */
  function abortRequest(response: ServerResponse, socket: Duplex, refused: AppError): void {
    if (!response.headersSent) {
      refuse(response, refused);
      response.end();
    }
    // The request was already refused for another reason, and the refusal is not yet complete.
    else if (response.statusCode >= 400 && !response.writableFinished) response.end();
    else socket.destroy();
  }

  function refuseBytes(refused: AppError, socket: Duplex): void {
    if (!socket.writable) return;
    metrics.refused(refused.code);
    connections.takeNoMore(socket);
    markInvalid(socket);
    endConnection(socket, refusalOfBytes(refused));
  }

  function markInvalid(socket: Duplex): void {
    if (!invalidSockets.has(socket)) dropRest(socket);
    invalidSockets.add(socket);
  }
}

function isEndless(answer: ServerResponse): boolean {
  return answer.headersSent && !answer.writableEnded && !answer.hasHeader('content-length');
}

/** Writes the complete refusal of a request, in the error form of its operation. The caller ends the response. */
function writeRefusal(response: ServerResponse, refused: AppError): void {
  const { url = '', headers } = response.req;
  const answer = answerError(refused, url, headers['accept-language']);
  // The body is not parsed, so the connection cannot be reused for another request.
  response.writeHead(answer.status, {
    ...answer.headers,
    ...jsonHeaders(answer.body),
    connection: 'close',
  });
  response.write(JSON.stringify(answer.body));
}

/** The refusal of bytes that are not a valid request, so their operation and language are unknown. */
function refusalOfBytes(refused: AppError): string {
  const { status, headers, body } = answerError(refused, '', undefined);
  const lines = Object.entries({ ...answerHeaders, ...headers, ...jsonHeaders(body), connection: 'close' });
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${head}\r\n${JSON.stringify(body)}`;
}

function jsonHeaders(body: JsonObject): Record<string, string> {
  return {
    'content-type': 'application/json; charset=utf-8',
    'content-length': String(Buffer.byteLength(JSON.stringify(body))),
  };
}

/** Ends an answer that refuses a request, after the rest of its body. */
function endBehindBody(request: IncomingMessage, response: ServerResponse): void {
  // The caller sent Expect: 100-continue and waits, so it will not send its body now.
  if (request.headers.expect === undefined) dropBody(request, () => response.end());
  else response.end();
}

/** Reads and discards everything that still arrives on a connection, within limits, for the same reason as `dropBody`. */
function dropRest(socket: Duplex): void {
  let dropped = 0;
  socket.on('data', (chunk: Buffer) => {
    dropped += chunk.length;
    if (dropped > mostDroppedBytes) socket.destroy();
  });
}

/** Ends a connection, and destroys it after a timeout if the client keeps its side open. */
function endConnection(socket: Duplex, lastText = ''): void {
  socket.end(lastText);
  const limit = setTimeout(() => socket.destroy(), longestDrainMs);
  socket.once('close', () => clearTimeout(limit));
}

/** Why received bytes that are not a complete, valid request are refused. */
function clientRefusal(error: Error, receiveMs: number): AppError {
  switch (errnoOf(error)) {
    case 'HPE_HEADER_OVERFLOW':
      return new AppError('request-header-too-large', {
        en: `The request header is larger than ${maxHeaderBytes} bytes (access rule 10).`,
        zh: `请求头超过 ${maxHeaderBytes} 字节（规则 10）。`,
      });
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return timeoutRefusal(receiveMs);
    default:
      return malformed(error);
  }
}

function malformed(cause: unknown): AppError {
  return new AppError(
    'request-malformed',
    {
      en: 'This is not a valid HTTP request, or its method is unknown (access rule 2).',
      zh: '不是有效的 HTTP 请求，或请求方法未知（规则 2）。',
    },
    { cause },
  );
}

function timeoutRefusal(receiveMs: number): AppError {
  const [pauseS, wholeS] = [receiveMs / 1000, (receiveMs * wholeRequest) / 1000];
  return new AppError('request-timeout', {
    en: `The request took too long to arrive. Limits: ${pauseS} s for the header and for each pause, ${wholeS} s for the whole request (access rule 10, setting receive_s).`,
    zh: `接收请求超时：请求头及每次停顿不得超过 ${pauseS} 秒，整个请求不得超过 ${wholeS} 秒（规则 10，设置 receive_s）。`,
  });
}

function busyRefusal({ most, reason }: { most: number; reason: Text }): AppError {
  return new AppError(
    'door-busy',
    {
      en: `Too many connections: the limit is ${most} (access rule 10, ${reason.en}). Try again later.`,
      zh: `已有 ${most} 个连接，达到上限（规则 10，${reason.zh}）。`,
    },
    { retryAfterS: 1 },
  );
}
