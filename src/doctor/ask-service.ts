import { isJsonObject, type JsonObject } from '../shared/json.ts';
import { fixedText, type Language, type Text } from '../shared/text.ts';
import { readToken, TokenError } from '../shared/token-file.ts';
import type { DoctorContext } from './doctor-context.ts';

export type Reply =
  | { readonly kind: 'well'; readonly answer: JsonObject }
  /** It is Hob, and requires a token that was not sent or is wrong. */
  | { readonly kind: 'asks-for-token' }
  /** Another program responded, or an older service without this path. */
  | { readonly kind: 'stranger' }
  | { readonly kind: 'silent'; readonly reason: Text };

interface Asking {
  /** The home with the token. Null: send no token. */
  readonly home: string | null;
  readonly signal: AbortSignal;
  readonly language?: Language;
}

const answerWithinMs = 3000;

const late: Text = {
  en: `no response within ${answerWithinMs / 1000} s`,
  zh: `${answerWithinMs / 1000} 秒内没有应答`,
};

/** Reads a JSON object from a service. */
export async function askService(url: string, { home, signal, language = 'en' }: Asking): Promise<Reply> {
  const token = home === null ? null : tokenOf(home);
  try {
    const answer = await fetch(url, {
      headers: { 'accept-language': language, ...(token !== null && { authorization: `Bearer ${token}` }) },
      redirect: 'manual',
      signal: AbortSignal.any([signal, AbortSignal.timeout(answerWithinMs)]),
    });
    if (answer.status === 401 && answer.headers.get('x-hob-error') !== null)
      return { kind: 'asks-for-token' };
    const body: unknown = JSON.parse(await answer.text());
    return answer.ok && isJsonObject(body) ? { kind: 'well', answer: body } : { kind: 'stranger' };
  } catch (error) {
    if (error instanceof SyntaxError) return { kind: 'stranger' };
    const isLate = error instanceof Error && (error.name === 'TimeoutError' || error.name === 'AbortError');
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    const reason = cause instanceof Error ? cause.message : String(cause);
    return { kind: 'silent', reason: isLate ? late : fixedText(reason) };
  }
}

/** The answer of the service in English and in Chinese; null if it does not run or does not answer with a JSON object. */
export async function askInBothLanguages(
  path: string,
  { home, service }: DoctorContext,
  signal: AbortSignal,
): Promise<[english: JsonObject, chinese: JsonObject] | null> {
  if (service === null) return null;
  const asking = { home: service.token ? home : null, signal };
  const url = `${service.url}${path}`;
  const [english, chinese] = await Promise.all([
    askService(url, { ...asking, language: 'en' }),
    askService(url, { ...asking, language: 'zh' }),
  ]);
  return english.kind === 'well' && chinese.kind === 'well' ? [english.answer, chinese.answer] : null;
}

function tokenOf(home: string): string | null {
  try {
    return readToken(home);
  } catch (error) {
    // checkToken reports problems of the file.
    if (error instanceof TokenError) return null;
    throw error;
  }
}
