import type { ServerResponse } from 'node:http';

import type { FastifyReply } from 'fastify';

import { type JsonText, textOf } from '../shared/json.ts';

/** The fields of an object to send. Bytes are already JSON text and are sent unchanged. */
export type JsonFields = Readonly<Record<string, unknown>>;

/** An answer with fields that are or may be JSON text already. */
export type Encoded<Answer> = { readonly [Name in keyof Answer]: Answer[Name] | JsonText };

export const jsonContentType = 'application/json; charset=utf-8';

/** Answers with an object. Large fields that are already JSON text are not copied. */
export function sendJson(reply: FastifyReply, fields: JsonFields, status = 200): FastifyReply {
  const pieces = piecesOf(fields);
  const sizeBytes = pieces.reduce((sum, piece) => sum + piece.length, 0);
  reply.hijack();
  reply.raw.writeHead(status, { 'content-type': jsonContentType, 'content-length': sizeBytes });
  endWith(reply.raw, pieces);
  return reply;
}

/** The object as a single line of JSON. Line breaks between JSON tokens become spaces. */
export function jsonLine<Fields extends JsonFields>(fields: Fields): string {
  const text = toJson(fields);
  return text.includes('\n') || text.includes('\r') ? text.replace(/[\r\n]+/g, ' ') : text;
}

/** Ends an answer whose header is already sent. */
export function endJson(raw: ServerResponse, fields: JsonFields): void {
  endWith(raw, piecesOf(fields));
}

/** Up to this size it is cheaper to copy an answer than to send it in pieces. */
const smallBytes = 16 * 1024;

function endWith(raw: ServerResponse, pieces: readonly Uint8Array[]): void {
  const sizeBytes = pieces.reduce((sum, piece) => sum + piece.length, 0);
  if (sizeBytes <= smallBytes) {
    raw.end(Buffer.concat(pieces, sizeBytes));
    return;
  }
  // Collect the pieces, so that the first one is not sent in a packet of its own.
  raw.cork();
  for (const piece of pieces) raw.write(piece);
  raw.end();
}

/** The object as JSON text. Only for small objects. */
export function toJson(fields: JsonFields): string {
  let text = '';
  for (const name of Object.keys(fields)) {
    const value = fields[name];
    text += `${text === '' ? '{' : ','}${JSON.stringify(name)}:${value instanceof Uint8Array ? textOf(value) : JSON.stringify(value)}`;
  }
  return text === '' ? '{}' : `${text}}`;
}

function piecesOf(fields: JsonFields): Uint8Array[] {
  const pieces: Uint8Array[] = [];
  let text = '{';
  let separator = '';
  for (const name of Object.keys(fields)) {
    const value = fields[name];
    text += `${separator}${JSON.stringify(name)}:`;
    separator = ',';
    if (value instanceof Uint8Array) {
      pieces.push(Buffer.from(text), value);
      text = '';
    } else {
      text += JSON.stringify(value);
    }
  }
  pieces.push(Buffer.from(`${text}}`));
  return pieces;
}
