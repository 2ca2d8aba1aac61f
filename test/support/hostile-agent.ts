import { type ClientRequest, request } from 'node:http';
import { onTestFinished } from 'vitest';

import type { Hob } from './hob.ts';
import { hungMs } from './until.ts';

type Fields = Record<string, unknown>;
type Headers = Record<string, string>;

/** A complete answer of Hob. */
export interface AgentAnswer {
  readonly status: number;
  readonly headers: globalThis.Headers;
  readonly text: string;
  /** The JSON, also that of an event. */
  readonly body: Fields;
}

const version = '2026-07-28';
const olderVersion = '2025-06-18';
export const usualHeaders = {
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
};

/** The fields with which each request of the protocol of 2026 names its sender. */
export const envelope = {
  'io.modelcontextprotocol/protocolVersion': version,
  'io.modelcontextprotocol/clientInfo': { name: 'hostile', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};

/** Sends any body to /mcp. */
export async function sendToMcp(
  { url }: Pick<Hob, 'url'>,
  body: string | undefined,
  { method = 'POST', headers = {} }: { method?: string; headers?: Headers } = {},
): Promise<AgentAnswer> {
  const answer = await fetch(`${url}/mcp`, {
    method,
    headers: { ...usualHeaders, ...headers },
    signal: AbortSignal.timeout(hungMs),
    ...(body !== undefined && { body }),
  });
  const text = await answer.text();
  return { status: answer.status, headers: answer.headers, text, body: jsonIn(text) };
}

function jsonIn(text: string): Fields {
  const events = text.split('\n').filter((line) => line.startsWith('data: {'));
  const json = events.at(-1)?.slice('data: '.length) ?? text;
  return json === '' ? {} : JSON.parse(json);
}

/** The text with which Hob refuses; null if it does not refuse. */
export function refusalIn({ status, body }: AgentAnswer): string | null {
  const { error, result, message } = body as {
    error?: { message: string };
    result?: { isError?: boolean; content: { text: string }[] };
    message?: string;
  };
  if (error !== undefined) return error.message;
  if (result?.isError) return result.content[0]?.text ?? '';
  return status < 400 ? null : String(message);
}

/** The headers of a request of the protocol of 2026. They repeat a part of its body. */
export function headersFor(method: string, name?: unknown): Headers {
  return {
    'mcp-protocol-version': version,
    'mcp-method': method,
    ...(typeof name === 'string' && { 'mcp-name': encoded(name) }),
  };
}

/** A name that is no visible ASCII is sent in base64. */
function encoded(name: string): string {
  if (/^[\x21-\x7e]+(?: [\x21-\x7e]+)*$/.test(name) || name === '') return name;
  return `=?base64?${Buffer.from(name).toString('base64')}?=`;
}

/** Sends a request of the protocol of 2026. */
export function ask(
  hob: Hob,
  method: string,
  params: Fields = {},
  headers: Headers = {},
): Promise<AgentAnswer> {
  const message = { jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: envelope } };
  const named = method === 'resources/read' ? params.uri : params.name;
  return sendToMcp(hob, JSON.stringify(message), { headers: { ...headersFor(method, named), ...headers } });
}

export function callTool(hob: Hob, name: unknown, args: unknown = {}): Promise<AgentAnswer> {
  return ask(hob, 'tools/call', { name, arguments: args });
}

/** A session of the protocol of 2025. */
export class OlderSession {
  readonly id: string;
  readonly #hob: Hob;

  constructor(hob: Hob, id: string) {
    this.#hob = hob;
    this.id = id;
  }

  ask(method: string, params: Fields = {}, id: number | null = 1): Promise<AgentAnswer> {
    return this.send(JSON.stringify({ jsonrpc: '2.0', ...(id !== null && { id }), method, params }));
  }

  send(body: string, headers: Headers = {}): Promise<AgentAnswer> {
    return sendToMcp(this.#hob, body, { headers: { ...this.headers, ...headers } });
  }

  end(): Promise<AgentAnswer> {
    return sendToMcp(this.#hob, undefined, { method: 'DELETE', headers: this.headers });
  }

  get headers(): Headers {
    return { 'mcp-session-id': this.id, 'mcp-protocol-version': olderVersion };
  }
}

/** The first message of a session. */
export const initialize = JSON.stringify({
  jsonrpc: '2.0',
  id: 0,
  method: 'initialize',
  params: {
    protocolVersion: olderVersion,
    capabilities: {},
    clientInfo: { name: 'hostile', version: '1' },
  },
});

export async function beginSession(hob: Hob): Promise<OlderSession> {
  const { status, headers, text } = await sendToMcp(hob, initialize);
  const id = headers.get('mcp-session-id');
  if (status !== 200 || id === null) throw new Error(`no session: ${status} ${text}`);
  return new OlderSession(hob, id);
}

/** A stream that stays open until one side ends it. */
export interface OpenStream {
  readonly status: number;
  /** Whether events may follow. */
  readonly isOpen: boolean;
  readonly ended: Promise<void>;
  close(): void;
}

/** Opens the stream of a session or, with a body, another one. It ends at the latest with the test. */
export function openStream({ url }: Hob, headers: Headers, body?: string): Promise<OpenStream> {
  return new Promise((resolve, reject) => {
    const method = body === undefined ? 'GET' : 'POST';
    const asked = request(
      `${url}/mcp`,
      { method, headers: { ...usualHeaders, ...headers }, agent: false },
      (answer) => {
        const ended = new Promise<void>((end) => answer.once('close', end));
        answer.on('error', () => {}).resume();
        const isOpen = answer.headers['content-type'] === 'text/event-stream';
        resolve({ status: answer.statusCode ?? 0, isOpen, ended, close: () => asked.destroy() });
      },
    );
    // A closed stream is no failure.
    asked.on('error', reject);
    asked.end(body);
    destroyAtEnd(asked);
  });
}

/** Sends a request and keeps its connection open, without an answer. `length` may announce more than is sent. */
export function leaveOpen(
  { url }: Hob,
  body: string,
  { headers = {}, length = Buffer.byteLength(body) }: { headers?: Headers; length?: number } = {},
): ClientRequest {
  const asked = request(`${url}/mcp`, {
    method: 'POST',
    agent: false,
    headers: { ...usualHeaders, ...headers, 'content-length': length },
  });
  asked.on('error', () => {}).on('response', (answer) => answer.on('error', () => {}).resume());
  asked.write(body);
  if (length === Buffer.byteLength(body)) asked.end();
  destroyAtEnd(asked);
  return asked;
}

function destroyAtEnd(asked: ClientRequest): void {
  onTestFinished(() => {
    asked.destroy();
  });
}
