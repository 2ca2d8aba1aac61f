import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';

import type { FastifyInstance } from 'fastify';

import type { HttpMetrics } from '../../metrics/http-metrics.ts';
import { type AppError, errnoOf } from '../../shared/errors.ts';
import { noteAdmitted } from './admitted.ts';
import type { Connections } from './connections.ts';
import { dropRest, endBehindBody, endConnection } from './hang-up.ts';
import { type DoorPolicy, judge } from './judge.ts';
import {
  busyRefusal,
  clientRefusal,
  malformed,
  maxHeaderBytes,
  timeoutRefusal,
  wholeRequest,
} from './limits.ts';
import { answerHeaders, refusalOfBytes, writeRefusal } from './refuse.ts';
import { stripRunToken } from './run-address.ts';
import type { TokenGuard } from './token-guard.ts';

interface DoorOptions {
  app: FastifyInstance;
  policy: DoorPolicy;
  /** Null: the service requires no token. */
  guard: TokenGuard | null;
  connections: Connections;
  /** How long a client may take for the header of a request. */
  receiveMs: number;
  metrics: HttpMetrics;
  /** The local address and port of a connection if Hob listens on all addresses of the machine, else empty. */
  reached: (socket: Socket) => readonly string[];
}

const keepAliveMs = 30_000;
const timeoutChecks = 4;
const longestCheckMs = 5000;

/**
 * A server that checks every request before the application gets it. Refused requests are answered here, and their bodies are not
 * read. There is deliberately no listener for `upgrade`: without one, Node treats an upgrade as a plain request, which is
 * checked in the same way.
 */
export function createDoorServer(options: DoorOptions): Server {
  const { app, policy, guard, connections, receiveMs, metrics } = options;
  /** Connections that sent invalid HTTP. All later bytes are ignored. */
  const invalidSockets = new WeakSet<Duplex>();
  const server: Server = createServer(
    {
      // The door checks the Host header itself, so that the error has the form of the operation.
      requireHostHeader: false,
      maxHeaderSize: maxHeaderBytes,
      headersTimeout: receiveMs,
      requestTimeout: receiveMs * wholeRequest,
      connectionsCheckingInterval: Math.min(receiveMs / timeoutChecks, longestCheckMs),
      keepAliveTimeout: keepAliveMs,
    },
    enter,
  );
  // Above its limit Node silently drops headers, but the door must check all of them. Their size is limited anyway.
  server.maxHeadersCount = 0;
  server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    if (!admit(request, response)) return;
    response.writeContinue();
    app.routing(request, response);
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
    for (const [name, value] of Object.entries(answerHeaders)) response.setHeader(name, value);
    const refused = judgeRequest(request);
    if (refused === null) {
      noteAdmitted(request);
      guard?.watch(request, response);
      return true;
    }
    refuse(response, refused);
    endBehindBody(request, response);
    return false;
  }

  /** Never throws: a request that cannot be checked is refused. */
  function judgeRequest(request: IncomingMessage): AppError | null {
    const { method = '', url: target = '', httpVersion, rawHeaders, socket } = request;
    const knock = { method, target, httpVersion, rawHeaders, reached: options.reached(socket) };
    const refused = judge(knock, policy);
    stripRunToken(request);
    if (refused !== null) return refused;
    if (!connections.hasRoom(request)) return busyRefusal(connections.limits);
    try {
      return guard?.judge(request) ?? null;
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
