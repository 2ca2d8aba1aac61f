import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';

import type { FastifyInstance } from 'fastify';

import type { HttpMetrics } from '../../metrics/http-metrics.ts';
import { AppError, errnoOf } from '../../shared/errors.ts';
import type { JsonObject } from '../../shared/json.ts';
import { answerError } from '../error-answers.ts';
import { noteAdmitted } from './admitted.ts';
import type { Connections } from './connections.ts';
import { endBehindBody } from './end-behind-body.ts';
import { type DoorPolicy, judge } from './judge.ts';
import { stripRunToken } from './run-address.ts';
import type { TokenGuard } from './token-guard.ts';

interface DoorOptions {
  app: FastifyInstance;
  policy: DoorPolicy;
  /** Null: no token is needed. */
  guard: TokenGuard | null;
  connections: Connections;
  /** How long a client may take for the header of a request. */
  receiveMs: number;
  metrics: HttpMetrics;
  /** The address and port that a connection reached, where Hob listens on all addresses of the machine; else nothing. */
  reached: (socket: Socket) => readonly string[];
}

const maxHeaderBytes = 32 * 1024;
const keepAliveMs = 30_000;
/** For the whole request, in units of what its header may take. */
const wholeRequest = 10;
const timeoutChecks = 4;
const longestCheckMs = 5000;

/** On every answer, whatever it is: it is for the one who asked, as what it says it is, and never inside another page. */
const answerHeaders = {
  'x-content-type-options': 'nosniff',
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-store',
  'content-security-policy': "frame-ancestors 'none'",
} as const;

/**
 * A server with the door in front of the application: what is refused is answered here, before anything of its body is looked at.
 * An upgrade has no listener on purpose: Node then treats it as the plain request that it also is, which comes by the same way.
 */
export function createDoorServer(options: DoorOptions): Server {
  const { app, policy, guard, connections, receiveMs, metrics } = options;
  const server: Server = createServer(
    {
      // The door checks the Host header itself, to answer in the right form.
      requireHostHeader: false,
      maxHeaderSize: maxHeaderBytes,
      headersTimeout: receiveMs,
      requestTimeout: receiveMs * wholeRequest,
      connectionsCheckingInterval: Math.min(receiveMs / timeoutChecks, longestCheckMs),
      keepAliveTimeout: keepAliveMs,
    },
    enter,
  );
  // Beyond its limit Node drops headers without a word, and the door has to see them all; their size is limited anyway.
  server.maxHeadersCount = 0;
  server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    if (!admit(request, response)) return;
    response.writeContinue();
    app.routing(request, response);
  });
  // An expectation other than 100-continue cannot be met; the request is answered as if it had none.
  server.on('checkExpectation', enter);
  server.on('connect', (_request: IncomingMessage, socket: Duplex) => socket.destroy());
  server.on('clientError', (error: Error, socket: Duplex) => {
    const answer = connections.latestAnswer(socket);
    if (answer === null || isOver(answer)) answerBytes(error, socket);
    else endOn(answer, socket, () => answerBytes(error, socket));
  });
  connections.watch(server, ({ request, response }, socket) => {
    if (response.headersSent) socket.destroy();
    else refuse(request, response, timeoutRefusal());
  });
  return server;

  function enter(request: IncomingMessage, response: ServerResponse): void {
    if (admit(request, response)) app.routing(request, response);
  }

  function admit(request: IncomingMessage, response: ServerResponse): boolean {
    for (const [name, value] of Object.entries(answerHeaders)) response.setHeader(name, value);
    const { method = '', url: target = '', httpVersion, rawHeaders, socket } = request;
    const hasRoom = connections.begin(request, response);
    const knock = { method, target, httpVersion, rawHeaders, reached: options.reached(socket) };
    let refused = judge(knock, policy);
    stripRunToken(request);
    if (refused === null && !hasRoom) refused = busyRefusal(connections.most);
    refused ??= judgeToken(request);
    if (refused !== null) {
      refuse(request, response, refused);
      return false;
    }
    noteAdmitted(request);
    return true;
  }

  /** The door never throws: whoever cannot be judged does not come in. */
  function judgeToken(request: IncomingMessage): AppError | null {
    try {
      return guard?.judge(request) ?? null;
    } catch (error) {
      return malformed(error);
    }
  }

  function refuse(request: IncomingMessage, response: ServerResponse, refused: AppError): void {
    metrics.refused(refused.code);
    const answer = answerError(refused, request.url ?? '', request.headers['accept-language']);
    // Nothing of the body is looked at, so the connection cannot be used for another request.
    response.writeHead(answer.status, {
      ...answer.headers,
      ...jsonHeaders(answer.body),
      connection: 'close',
    });
    response.write(JSON.stringify(answer.body));
    endBehindBody(request, response);
  }

  /** Bytes that never became a request. */
  function answerBytes(error: Error, socket: Duplex): void {
    if (errnoOf(error) === 'ECONNRESET' || !socket.writable) {
      socket.destroy();
      return;
    }
    const refusal = clientRefusal(error);
    metrics.refused(refusal.code);
    const { status, headers, body } = answerError(refusal, '', undefined);
    const lines = Object.entries({ ...answerHeaders, ...headers, ...jsonHeaders(body), connection: 'close' });
    const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('');
    const text = isHead(error) ? '' : JSON.stringify(body);
    socket.end(`HTTP/1.1 ${status} Refused\r\n${head}\r\n${text}`);
  }
}

/** What asks for a header alone gets no more than that, even if the rest of it makes no sense. */
function isHead(error: Error): boolean {
  return 'rawPacket' in error && error.rawPacket instanceof Uint8Array
    ? Buffer.from(error.rawPacket).subarray(0, 5).toString('latin1') === 'HEAD '
    : false;
}

function isOver({ writableFinished, req }: ServerResponse): boolean {
  return writableFinished && req.complete;
}

/** What is no request has come behind one whose answer is not through. Nothing else may be put into that answer. */
function endOn(answer: ServerResponse, socket: Duplex, refuse: () => void): void {
  if (answer.headersSent && !answer.writableEnded) {
    // A refusal only waits for its caller to be done. A stream has no end that could be waited for.
    if (answer.statusCode >= 400) answer.end();
    else socket.destroy();
  } else if (answer.writableFinished) socket.destroy();
  else if (answer.req.complete) answer.once('finish', () => socket.end());
  // The request itself is broken off, and will have no other answer.
  else refuse();
}

function jsonHeaders(body: JsonObject): Record<string, string> {
  return {
    'content-type': 'application/json; charset=utf-8',
    'content-length': String(Buffer.byteLength(JSON.stringify(body))),
  };
}

function clientRefusal(error: Error): AppError {
  switch (errnoOf(error)) {
    case 'HPE_HEADER_OVERFLOW':
      return new AppError('request-header-too-large', {
        en: `The header is larger than ${maxHeaderBytes} bytes (door rule 10).`,
        zh: `请求头超过 ${maxHeaderBytes} 字节（规则 10）。`,
      });
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return timeoutRefusal();
    default:
      return malformed(error);
  }
}

function malformed(cause: unknown): AppError {
  return new AppError(
    'request-malformed',
    { en: 'This is not an HTTP request (door rule 2).', zh: '不是有效的 HTTP 请求（规则 2）。' },
    { cause },
  );
}

function timeoutRefusal(): AppError {
  return new AppError('request-timeout', {
    en: 'The request took too long to arrive (door rule 10, setting receive_s).',
    zh: '接收请求超时（规则 10，设置 receive_s）。',
  });
}

function busyRefusal(most: number): AppError {
  return new AppError(
    'door-busy',
    {
      en: `There are ${most} connections already, and Hob takes no more at once (door rule 10, setting max_connections).`,
      zh: `已有 ${most} 个连接，达到上限（规则 10，设置 max_connections）。`,
    },
    { retryAfterS: 1 },
  );
}
