import type { FastifyRequest } from 'fastify';

import type { Language } from '../shared/text.ts';

/** The language in which a request is answered. */
export function languageOf({ headers }: FastifyRequest, fallback: Language): Language {
  return preferredLanguage(headers['accept-language'], fallback);
}

/** The language a caller prefers, by the weights of its Accept-Language header. */
export function preferredLanguage(header: string | undefined, fallback: Language): Language {
  let best: { language: Language; weight: number } | undefined;
  for (const part of (header ?? '').split(',')) {
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
