import type { ServerResponse } from 'node:http';

import type { FastifyReply } from 'fastify';

import type { Json } from '../shared/json.ts';
import type { JsonText } from '../shared/json-text.ts';

/** The fields of an object to send. What is in bytes is JSON text already, and goes out as it is. */
export type JsonFields = Readonly<Record<string, Json | JsonText>>;

export const jsonContentType = 'application/json; charset=utf-8';

/** Answers 200 with an object of which parts are JSON text already. Nothing of it is copied: it may be large. */
export function sendJson(reply: FastifyReply, fields: JsonFields): FastifyReply {
  const pieces = piecesOf(fields);
  const sizeBytes = pieces.reduce((sum, piece) => sum + piece.length, 0);
  reply.hijack();
  reply.raw.writeHead(200, { 'content-type': jsonContentType, 'content-length': sizeBytes });
  endWith(reply.raw, pieces);
  return reply;
}

/** The same object as one line of text, for where there are lines. Line breaks between the parts of JSON mean nothing. */
export function jsonLine(fields: JsonFields): string {
  return Buffer.concat(piecesOf(fields))
    .toString()
    .replace(/[\r\n]+/g, ' ');
}

/** Ends an answer that has begun already. */
export function endJson(raw: ServerResponse, fields: JsonFields): void {
  endWith(raw, piecesOf(fields));
}

function endWith(raw: ServerResponse, pieces: readonly Uint8Array[]): void {
  // Until the end is known, so that a small answer leaves in one piece.
  raw.cork();
  for (const piece of pieces) raw.write(piece);
  raw.end();
}

/** The same as text, for what is known to be small. */
export function toJson(fields: JsonFields): string {
  return Buffer.concat(piecesOf(fields)).toString();
}

function piecesOf(fields: JsonFields): Uint8Array[] {
  const pieces: Uint8Array[] = [];
  let text = '{';
  for (const [index, [name, value]] of Object.entries(fields).entries()) {
    text += `${index === 0 ? '' : ','}${JSON.stringify(name)}:`;
    if (value instanceof Uint8Array) {
      pieces.push(Buffer.from(text), value);
      text = '';
    } else {
      text += JSON.stringify(value);
    }
  }
  return [...pieces, Buffer.from(`${text}}`)];
}
