import { type ServerResponse, STATUS_CODES } from 'node:http';

import type { AppError } from '../../shared/errors.ts';
import type { JsonObject } from '../../shared/json.ts';
import { answerError } from '../error-answers.ts';

/** Sent with every answer: no content sniffing, no use by other origins, no caching, no embedding in frames. */
export const answerHeaders = {
  'x-content-type-options': 'nosniff',
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-store',
  'content-security-policy': "frame-ancestors 'none'",
} as const;

/** Writes the complete refusal of a request, in the error form of its operation. The caller ends the response. */
export function writeRefusal(response: ServerResponse, refused: AppError): void {
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
export function refusalOfBytes(refused: AppError): string {
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
