import { readToken, TokenError, tokenFileOf } from '../../shared/token-file.ts';
import type { DoctorContext } from '../doctor-context.ts';
import { type Finding, ok, problem, splitAdvice } from '../finding.ts';

/** Checks the token file, if a token is required. */
export async function checkToken({ home, settings, service }: DoctorContext): Promise<Finding[]> {
  if (!settings.token && service?.token !== true) return [];
  try {
    const token = readToken(home);
    const what =
      token === null
        ? { en: 'The first start creates the token', zh: '令牌会在首次启动时生成' }
        : {
            en: `Only you can read the token in ${tokenFileOf(home)}`,
            zh: `${tokenFileOf(home)} 中的令牌只有自己可以读取`,
          };
    return [ok('service', what)];
  } catch (error) {
    if (!(error instanceof TokenError)) throw error;
    const { what, next } = splitAdvice(error.text);
    return [problem('service', what, next)];
  }
}
