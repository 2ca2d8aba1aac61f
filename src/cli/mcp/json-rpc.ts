import { isJsonObject, type Json, type JsonObject, tryParseJson } from '../../shared/json.ts';
import { tr } from '../language.ts';

export const errorCodes = { parse: -32700, invalidRequest: -32600, internal: -32603 } as const;

/** From this version of the protocol on, each request states its version, and there are no sessions. */
const firstStateless = '2026-07-28';
const versionKey = 'io.modelcontextprotocol/protocolVersion';

/** A line from the client. */
export interface ClientMessage {
  /** The line, which is sent unchanged. */
  readonly bytes: Uint8Array;
  /** Null for an answer of the client, and for a batch. */
  readonly method: string | null;
  readonly params: JsonObject;
  /** The ids that the service must answer: one for a request, none for a notification, several for a batch. */
  readonly ids: readonly Json[];
  /** The version of a stateless message; null for a message of a session, and for a notification that states none. */
  readonly version: string | null;
}

/** The message in a line, or the error that answers it. */
export function readClientMessage(bytes: Uint8Array): ClientMessage | { readonly refusal: string } {
  const value = parsed(bytes);
  if (value === undefined)
    return {
      refusal: errorLine(null, errorCodes.parse, tr('The line is not valid JSON.', '该行不是有效的 JSON。')),
    };
  const messages = Array.isArray(value) ? value : [value];
  const objects = messages.filter(isJsonObject);
  const [first] = objects;
  if (first === undefined || objects.length < messages.length)
    return {
      refusal: errorLine(
        null,
        errorCodes.invalidRequest,
        tr('The line is not a JSON-RPC message.', '该行不是 JSON-RPC 消息。'),
      ),
    };
  const ids = objects.flatMap(({ id, method }) => (id === undefined || method === undefined ? [] : [id]));
  const isSingle = !Array.isArray(value);
  const params = isSingle && isJsonObject(first.params) ? first.params : {};
  return {
    bytes,
    ids,
    params,
    method: isSingle && typeof first.method === 'string' ? first.method : null,
    version: versionOf(params),
  };
}

/** Undefined if the bytes are not JSON in UTF-8. */
function parsed(bytes: Uint8Array): Json | undefined {
  try {
    return tryParseJson(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    return undefined;
  }
}

function versionOf({ _meta: meta }: JsonObject): string | null {
  const version = isJsonObject(meta) ? meta[versionKey] : undefined;
  return typeof version === 'string' && version >= firstStateless ? version : null;
}

/** The fields of a request that are repeated in the header `Mcp-Name`, so that a proxy can route it without its body. */
const nameFields: ReadonlyMap<string, string> = new Map([
  ['tools/call', 'name'],
  ['prompts/get', 'name'],
  ['resources/read', 'uri'],
  ['tasks/get', 'taskId'],
  ['tasks/update', 'taskId'],
  ['tasks/cancel', 'taskId'],
]);

/** The headers that a stateless message repeats. No tool of Hob declares params for `Mcp-Param` headers. */
export function statelessHeaders(
  { method, params, ids }: ClientMessage,
  version: string,
): Record<string, string> {
  const headers = { 'mcp-protocol-version': version };
  if (method === null || ids.length === 0) return headers;
  const name = params[nameFields.get(method) ?? ''];
  return {
    ...headers,
    'mcp-method': method,
    ...(typeof name === 'string' && { 'mcp-name': headerValue(name) }),
  };
}

/** A header can contain visible ASCII only. The protocol marks other values that are written in base64. */
function headerValue(value: string): string {
  const isPlain = /^[\x20-\x7e\t]+$/.test(value) && value.trim() === value;
  const looksEncoded = value.startsWith('=?base64?') && value.endsWith('?=');
  return isPlain && !looksEncoded ? value : `=?base64?${Buffer.from(value).toString('base64')}?=`;
}

export function errorLine(id: Json, code: number, message: string): string {
  return JSON.stringify({ jsonrpc: '2.0', id, error: { code, message } });
}

/** A JSON-RPC message in one line: line breaks in JSON are white space. */
export function oneLine(json: string): string {
  return json.trim().replace(/[\r\n]+/g, ' ');
}

/** Ids are equal only if their types are, too. */
export function idKey(id: Json | undefined): string {
  return JSON.stringify(id ?? null);
}

/** The id that a message answers; undefined if it is not an answer. */
export function answeredId(message: Json | undefined): Json | undefined {
  if (!isJsonObject(message) || message.id === undefined) return undefined;
  return 'result' in message || 'error' in message ? message.id : undefined;
}
