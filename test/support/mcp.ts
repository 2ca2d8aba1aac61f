import type { Hob } from './hob.ts';

type Fields = Record<string, unknown>;

/** The answer of a tool. */
export interface ToolResult {
  readonly content?: readonly { readonly type: string; readonly text?: string }[];
  readonly structuredContent?: Fields;
  readonly isError?: boolean;
}

const newest = '2026-07-28';
const older = '2025-11-25';
const common = { accept: 'application/json, text/event-stream', 'content-type': 'application/json' };

/** Calls a tool with the protocol of 2026, in which each request stands for itself. */
export async function callStateless(
  hob: Hob,
  name: string,
  args: Fields,
  client = 'a test',
): Promise<ToolResult> {
  const { headers, message } = statelessCall(name, args, client);
  return resultOf(await post(hob, message, headers));
}

function statelessCall(name: string, args: Fields, client: string) {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': newest,
    'io.modelcontextprotocol/clientInfo': { name: client, version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const headers = { 'mcp-protocol-version': newest, 'mcp-method': 'tools/call', 'mcp-name': name };
  return { headers, message: { id: 1, method: 'tools/call', params: { name, arguments: args, _meta } } };
}

/** The bytes of such a call, for a client that sends several on one connection without waiting for the answers. */
export function statelessCallText(hob: Hob, name: string, args: Fields): string {
  const { headers, message } = statelessCall(name, args, 'a test');
  const body = JSON.stringify({ jsonrpc: '2.0', ...message });
  const all = {
    host: new URL(hob.url).host,
    ...common,
    ...headers,
    'content-length': Buffer.byteLength(body),
  };
  const lines = Object.entries(all).map(([field, value]) => `${field}: ${value}\r\n`);
  return `POST /mcp HTTP/1.1\r\n${lines.join('')}\r\n${body}`;
}

/** Calls a tool in a new session of the protocol of 2025. */
export async function callInSession(hob: Hob, name: string, args: Fields): Promise<ToolResult> {
  const begin = {
    protocolVersion: older,
    clientInfo: { name: 'a test', version: '1' },
    capabilities: {},
  };
  const begun = await post(hob, { id: 0, method: 'initialize', params: begin }, {});
  const session = { 'mcp-session-id': begun.headers.get('mcp-session-id') ?? '' };
  await begun.text();
  await post(hob, { method: 'notifications/initialized' }, session);
  return resultOf(
    await post(hob, { id: 1, method: 'tools/call', params: { name, arguments: args } }, session),
  );
}

function post(hob: Hob, message: Fields, headers: Record<string, string>): Promise<Response> {
  const body = JSON.stringify({ jsonrpc: '2.0', ...message });
  return fetch(`${hob.url}/mcp`, { method: 'POST', headers: { ...common, ...headers }, body });
}

/** The result in an answer, which is JSON or a stream of events. */
async function resultOf(answer: Response): Promise<ToolResult> {
  const text = await answer.text();
  const events = text.split('\n').filter((line) => line.startsWith('data: {'));
  const { result } = JSON.parse(events.at(-1)?.slice('data: '.length) ?? text);
  if (result === undefined) throw new Error(`the answer has no result: ${text}`);
  return result;
}
