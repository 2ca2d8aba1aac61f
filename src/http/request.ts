import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

import type { Connection } from '../runs/callers/trace-caller.ts';
import { stopping } from '../runs/refusals.ts';
import { AppError } from '../shared/errors.ts';
import { findJsonHazard, isJsonObject, type Json, type JsonObject } from '../shared/json.ts';
import { whereNotJson } from '../shared/scan-json.ts';
import type { Language, Text } from '../shared/text.ts';

/** A parsed body: JSON values, or the strings of a form. */
export type Body = { readonly kind: 'json' | 'form'; readonly fields: JsonObject };

const strictUtf8 = new TextDecoder('utf-8', { fatal: true });

/** The language in which a request is answered. */
export function languageOf({ headers }: FastifyRequest, fallback: Language): Language {
  return preferredLanguage(headers['accept-language'], fallback);
}

/** The answer to a request that succeeded, with a message for people. */
export function success<Fields extends object>(request: FastifyRequest, message: Text, fields: Fields) {
  return { status: 'success', message: message[languageOf(request, 'en')], ...fields };
}

/** The language a caller prefers, by the weights of its Accept-Language header. */
export function preferredLanguage(header: string | undefined, fallback: Language): Language {
  if (header === undefined) return fallback;
  let best: { language: Language; weight: number } | undefined;
  for (const part of header.split(',')) {
    const [range = '', ...parameters] = part.trim().toLowerCase().split(';');
    const language = languageOfRange(range);
    if (language === null) continue;
    const weight = weightOf(parameters);
    if (weight > (best?.weight ?? 0)) best = { language, weight };
  }
  return best?.language ?? fallback;
}

function languageOfRange(range: string): Language | null {
  const [primary] = range.trim().split('-');
  return primary === 'zh' || primary === 'en' ? primary : null;
}

function weightOf(parameters: readonly string[]): number {
  const weight = parameters
    .map((parameter) => /^\s*q=([\d.]+)\s*$/.exec(parameter)?.[1])
    .find((q) => q !== undefined);
  return weight === undefined ? 1 : Number(weight);
}

/** The connection of a request. Null if the caller has disconnected. */
export function connectionOf({ socket }: FastifyRequest): Connection | null {
  const { remoteAddress, remotePort, localAddress, localPort } = socket;
  if (!remoteAddress || !remotePort || !localAddress || !localPort) return null;
  return {
    clientAddress: remoteAddress,
    clientPort: remotePort,
    serverAddress: localAddress,
    serverPort: localPort,
  };
}

/** A signal that is aborted when the answer is complete or the caller has disconnected. */
export function whenAnswered({ socket }: FastifyRequest, { raw }: FastifyReply): AbortSignal {
  const answered = new AbortController();
  const end = () => {
    socket.off('close', end);
    answered.abort();
  };
  if (raw.destroyed || socket.destroyed) {
    answered.abort();
  } else {
    raw.once('close', end);
    // The response to a pipelined request gets no `close` event until its turn comes.
    socket.once('close', end);
  }
  return answered.signal;
}

/** Like `whenAnswered`, but also aborted before the service closes its connections. The reason is the error for the caller. */
export function whenAnsweredOr(
  closing: AbortSignal,
  request: FastifyRequest,
  reply: FastifyReply,
): AbortSignal {
  const over = new AbortController();
  const answered = whenAnswered(request, reply);
  const end = () => {
    closing.removeEventListener('abort', end);
    over.abort(stopping());
  };
  closing.addEventListener('abort', end, { once: true });
  answered.addEventListener('abort', end, { once: true });
  if (closing.aborted || answered.aborted) end();
  return over.signal;
}

/** The declared content type alone selects the parser: JSON everywhere, forms only where `takeFormsToo` adds them. */
export function takeJsonOnly(app: FastifyInstance, maxBytes: number): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer', bodyLimit: maxBytes },
    (_request, body: Buffer, done) => parseWith(parseJson, body, done),
  );
}

export function takeFormsToo(app: FastifyInstance, maxBytes: number): void {
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'buffer', bodyLimit: maxBytes },
    (_request, body: Buffer, done) => parseWith(parseForm, body, done),
  );
}

function parseWith(
  parse: (bytes: Buffer) => Body,
  bytes: Buffer,
  done: (error: Error | null, body?: Body) => void,
): void {
  let body: Body;
  try {
    body = parse(bytes);
  } catch (error) {
    done(error instanceof Error ? error : new Error(String(error)));
    return;
  }
  done(null, body);
}

function parseJson(bytes: Buffer): Body {
  // A missing body counts as an empty object, with or without a content type.
  if (bytes.length === 0) return { kind: 'json', fields: {} };
  let value: Json;
  const text = decodeStrictly(bytes);
  try {
    value = JSON.parse(text);
  } catch {
    const where = whereNotJson(text);
    throw malformed(`The body is not valid JSON${where.en}`, `请求体不是有效的 JSON${where.zh}`);
  }
  if (!isJsonObject(value)) throw malformed('The body must be a JSON object', '请求体应为 JSON 对象');
  const hazard = findJsonHazard(value);
  if (hazard?.kind === 'depth') throw malformed('The body is nested too deeply', '请求体嵌套过深');
  if (hazard?.kind === 'number') throw malformed('A number in the body is too large', '请求体中的数字过大');
  if (hazard !== undefined)
    throw malformed(`The body contains the forbidden key ${hazard.key}`, `不允许使用键 ${hazard.key}`);
  return { kind: 'json', fields: value };
}

function parseForm(bytes: Buffer): Body {
  const fields: Record<string, string> = Object.create(null);
  const text = decodeStrictly(bytes);
  checkEscapes(text);
  for (const [name, value] of new URLSearchParams(text)) {
    if (name in fields) throw malformed(`The field ${name} occurs more than once`, `字段 ${name} 重复`);
    fields[name] = value;
  }
  return { kind: 'form', fields };
}

function decodeStrictly(bytes: Buffer): string {
  try {
    return strictUtf8.decode(bytes);
  } catch {
    throw notUtf8();
  }
}

/** Percent escapes must be UTF-8: `URLSearchParams` would silently replace invalid bytes. A percent sign without digits is literal. */
function checkEscapes(text: string): void {
  try {
    decodeURIComponent(text.replace(/%(?![0-9a-f]{2})/gi, '%25'));
  } catch {
    throw notUtf8();
  }
}

function notUtf8(): AppError {
  return malformed('The body is not valid UTF-8', '请求体不是 UTF-8 编码');
}

function malformed(en: string, zh: string): AppError {
  return new AppError('body-malformed', { en, zh });
}

/** The parsed body of a request; an empty object if the request had none. */
export function bodyOf(request: { body: unknown }): Body {
  const { body } = request;
  if (
    typeof body === 'object' &&
    body !== null &&
    'kind' in body &&
    'fields' in body &&
    isJsonObject(body.fields)
  ) {
    return { kind: body.kind === 'form' ? 'form' : 'json', fields: body.fields };
  }
  return { kind: 'json', fields: {} };
}
