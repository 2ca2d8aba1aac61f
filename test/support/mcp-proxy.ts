import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

import { onTestFinished } from 'vitest';

import { announceService } from '../../src/shared/service-file.ts';
import { projectRoot, tempFolder } from './hob.ts';

export type Message = Record<string, unknown>;

/** A running `hob mcp`, and its client. */
export interface ProxyUnderTest {
  readonly pid: number;
  send(message: Message | Uint8Array | string): void;
  /** The next message of the proxy. */
  next(): Promise<Message>;
  /** The output on stderr. */
  errors(): string;
  endInput(): void;
  /** Stops reading stdout. */
  stopReading(): void;
  kill(signal: NodeJS.Signals): void;
  /** Resolves when the process has ended, even if its output was not read. */
  readonly exited: Promise<unknown>;
  /** The exit code, and the messages that `next` has not returned. */
  readonly ended: Promise<{ code: number | null; rest: Message[] }>;
}

export function startProxy(home: string, env: Record<string, string> = {}): ProxyUnderTest {
  const child = spawn(process.execPath, [join(projectRoot, 'bin', 'hob.js'), 'mcp', '--home', home], {
    stdio: 'pipe',
    env: { ...process.env, NODE_V8_COVERAGE: '', LC_ALL: 'C.UTF-8', ...env },
  });
  let errors = '';
  child.stderr.on('data', (chunk: Buffer) => {
    errors += String(chunk);
  });
  const received: Message[] = [];
  const waiting: ((message: Message) => void)[] = [];
  createInterface(child.stdout).on('line', (line) => {
    const message: Message = JSON.parse(line);
    const taker = waiting.shift();
    if (taker === undefined) received.push(message);
    else taker(message);
  });
  const exited = once(child, 'exit');
  const ended = once(child, 'close').then(([code]) => ({
    code: typeof code === 'number' ? code : null,
    rest: received,
  }));
  onTestFinished(async () => {
    child.kill('SIGKILL');
    child.stdout.resume();
    await ended;
  });
  return {
    pid: child.pid ?? 0,
    send(message) {
      const isText = typeof message === 'string' || message instanceof Uint8Array;
      child.stdin.write(isText ? message : JSON.stringify(message));
      child.stdin.write('\n');
    },
    next() {
      const message = received.shift();
      if (message !== undefined) return Promise.resolve(message);
      return new Promise((resolve) => waiting.push(resolve));
    },
    errors: () => errors,
    endInput: () => child.stdin.end(),
    stopReading: () => child.stdout.pause(),
    kill: (signal) => void child.kill(signal),
    exited,
    ended,
  };
}

export interface Arrival {
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly response: ServerResponse;
  /** Resolves when the proxy has closed the connection, or the answer is complete. */
  readonly closed: Promise<unknown>;
  json(message: Message, headers?: Record<string, string>, status?: number): void;
  /** Sends messages as events. The stream stays open. */
  events(...messages: Message[]): void;
}

/** A server that stands in for the MCP endpoint of a service. */
export interface FakeService {
  readonly home: string;
  /** The next request that `answer` has not taken. */
  next(): Promise<Arrival>;
  /** Breaks all connections. */
  breakConnections(): void;
  stop(): Promise<void>;
}

/** `answer` returns true if it has answered a request. */
export async function fakeService(
  answer: (arrival: Arrival) => boolean = () => false,
  { token = false } = {},
): Promise<FakeService> {
  const home = await tempFolder();
  const sockets = new Set<Socket>();
  const arrivals: Arrival[] = [];
  const waiting: ((arrival: Arrival) => void)[] = [];
  const server = createServer(async (request, response) => {
    const closed = once(response, 'close');
    let body = '';
    for await (const chunk of request.setEncoding('utf8')) body += chunk;
    const arrival: Arrival = {
      method: request.method ?? '',
      headers: request.headers,
      body,
      response,
      closed,
      json(message, headers = {}, status = 200) {
        response.writeHead(status, { 'content-type': 'application/json', ...headers });
        response.end(JSON.stringify(message));
      },
      events(...messages) {
        if (!response.headersSent) response.writeHead(200, { 'content-type': 'text/event-stream' });
        for (const message of messages)
          response.write(`event: message\ndata: ${JSON.stringify(message)}\n\n`);
        response.flushHeaders();
      },
    };
    if (answer(arrival)) return;
    const taker = waiting.shift();
    if (taker === undefined) arrivals.push(arrival);
    else taker(arrival);
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = portOf(server.address());
  const withdraw = await announceService(home, { url: `http://127.0.0.1:${port}`, version: '0', token });
  const breakConnections = () => {
    for (const socket of sockets) socket.resetAndDestroy();
  };
  const stop = async () => {
    await withdraw();
    server.close();
    breakConnections();
  };
  onTestFinished(stop);
  return {
    home,
    next() {
      const arrival = arrivals.shift();
      if (arrival !== undefined) return Promise.resolve(arrival);
      return new Promise((resolve) => waiting.push(resolve));
    },
    breakConnections,
    stop,
  };
}

function portOf(address: AddressInfo | string | null): AddressInfo {
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  return address;
}
