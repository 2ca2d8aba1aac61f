import type { Hob } from './hob.ts';
import {
  type AgentAnswer,
  beginSession,
  envelope,
  headersFor,
  sendToMcp,
  usualHeaders,
} from './hostile-agent.ts';

type Fields = Record<string, unknown>;

/** The answer of a tool. */
export interface ToolResult {
  readonly content?: readonly { readonly type: string; readonly text?: string }[];
  readonly structuredContent?: Fields;
  readonly isError?: boolean;
}

/** Calls a tool with the protocol of 2026, in which each request stands for itself. */
export async function callStateless(
  hob: Hob,
  name: string,
  args: Fields,
  client = 'a test',
): Promise<ToolResult> {
  const { headers, body } = statelessCall(name, args, client);
  return resultOf(await sendToMcp(hob, body, { headers }));
}

function statelessCall(name: string, args: Fields, client: string) {
  const _meta = { ...envelope, 'io.modelcontextprotocol/clientInfo': { name: client, version: '1' } };
  const params = { name, arguments: args, _meta };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });
  return { headers: headersFor('tools/call', name), body };
}

/** The bytes of such a call, for a client that sends several on one connection without waiting for the answers. */
export function statelessCallText({ url }: Hob, name: string, args: Fields): string {
  const { headers, body } = statelessCall(name, args, 'a test');
  const all = {
    host: new URL(url).host,
    ...usualHeaders,
    ...headers,
    'content-length': Buffer.byteLength(body),
  };
  const lines = Object.entries(all).map(([field, value]) => `${field}: ${value}\r\n`);
  return `POST /mcp HTTP/1.1\r\n${lines.join('')}\r\n${body}`;
}

/** Calls a tool in a new session of the protocol of 2025. */
export async function callInSession(hob: Hob, name: string, args: Fields): Promise<ToolResult> {
  const session = await beginSession(hob);
  return resultOf(await session.ask('tools/call', { name, arguments: args }));
}

function resultOf({ body, text }: AgentAnswer): ToolResult {
  const { result } = body as { result?: ToolResult };
  if (result === undefined) throw new Error(`the answer has no result: ${text}`);
  return result;
}
