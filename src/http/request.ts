import type { FastifyReply, FastifyRequest } from 'fastify';

import { stopping } from '../runs/refusals.ts';
import type { Language, Text } from '../shared/text.ts';

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
