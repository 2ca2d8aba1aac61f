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
  /** Null: no token is needed. */
  guard: TokenGuard | null;
  connections: Connections;
  /** How long a client may take for the header of a request. */
  receiveMs: number;
  metrics: HttpMetrics;
  /** The address and port that a connection reached, where Hob listens on all addresses of the machine; else nothing. */
  reached: (socket: Socket) => readonly string[];
}

const keepAliveMs = 30_000;
const timeoutChecks = 4;
const longestCheckMs = 5000;

/**
 * A server with the door in front of the application: what is refused is answered here, before anything of its body is looked at.
 * An upgrade has no listener on purpose: Node then treats it as the plain request that it also is, which comes by the same way.
 */
export function createDoorServer(options: DoorOptions): Server {
  const { app, policy, guard, connections, receiveMs, metrics } = options;
  /** Those on which something came that is no request: nothing that follows it is one. */
  const spoilt = new WeakSet<Duplex>();
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
    const hasGone = errnoOf(error) === 'ECONNRESET';
    if (spoilt.has(socket) && !hasGone) return;
    const answer = connections.latestAnswer(socket);
    const refused = clientRefusal(error, receiveMs);
    if (hasGone || !socket.writable) socket.destroy();
    else if (answer === null) refuseBytes(refused, socket);
    // The request itself is broken off, and may have no other answer.
    else if (!answer.req.complete) breakOff(answer, socket, refused);
    else if (answer.writableFinished) refuseBytes(refused, socket);
    // What is no request stands behind a good one, whose answer comes first; a stream has no end that could be waited for.
    else if (isEndless(answer)) socket.destroy();
    else {
      spoil(socket);
      answer.once('finish', () => refuseBytes(refused, socket));
    }
  });
  connections.watch(server, (response, socket) => {
    breakOff(response, socket, timeoutRefusal(receiveMs));
  });
  return server;

  function enter(request: IncomingMessage, response: ServerResponse): void {
    if (admit(request, response)) app.routing(request, response);
  }

  function admit(request: IncomingMessage, response: ServerResponse): boolean {
    // What is sent behind something that was refused comes too late: the caller knows that the connection is closed.
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

  /** The door never throws: whoever cannot be judged does not come in. */
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

  /** A request that will never be whole; somebody may be waiting for the rest of its body. */
  function breakOff(response: ServerResponse, socket: Duplex, refused: AppError): void {
    if (!response.headersSent) {
      refuse(response, refused);
      response.end();
    }
    // It was refused before, for something else, and its caller is not done with it.
    else if (response.statusCode >= 400 && !response.writableFinished) response.end();
    else socket.destroy();
  }

  function refuseBytes(refused: AppError, socket: Duplex): void {
    if (!socket.writable) return;
    metrics.refused(refused.code);
    connections.takeNoMore(socket);
    spoil(socket);
    endConnection(socket, refusalOfBytes(refused));
  }

  function spoil(socket: Duplex): void {
    if (!spoilt.has(socket)) dropRest(socket);
    spoilt.add(socket);
  }
}

function isEndless(answer: ServerResponse): boolean {
  return answer.headersSent && !answer.writableEnded && !answer.hasHeader('content-length');
}
