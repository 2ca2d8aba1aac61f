import { type ServerResponse, STATUS_CODES } from 'node:http';

import type { AppError } from '../../shared/errors.ts';
import type { JsonObject } from '../../shared/json.ts';
import { answerError } from '../error-answers.ts';

/** On every answer, whatever it is: it is for the one who asked, as what it says it is, and never inside another page. */
export const answerHeaders = {
  'x-content-type-options': 'nosniff',
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-store',
  'content-security-policy': "frame-ancestors 'none'",
} as const;

/** Writes the whole refusal of a request, in the form of its operation, and leaves it to the caller when to end it. */
export function writeRefusal(response: ServerResponse, refused: AppError): void {
  const { url = '', headers } = response.req;
  const answer = answerError(refused, url, headers['accept-language']);
  // Nothing of the body is looked at, so the connection cannot be used for another request.
  response.writeHead(answer.status, {
    ...answer.headers,
    ...jsonHeaders(answer.body),
    connection: 'close',
  });
  response.write(JSON.stringify(answer.body));
}

/** The refusal of bytes that never became a request, so that nobody knows what was asked for. */
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
