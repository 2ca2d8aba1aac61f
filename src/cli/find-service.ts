import { resolveHome } from '../settings/home.ts';
import { errnoOf } from '../shared/errors.ts';
import { findRunningService, type ServiceInfo } from '../shared/service-file.ts';
import { readToken, TokenError, tokenFileOf } from '../shared/token-file.ts';
import { UserError } from './user-error.ts';

/** What a command sends along so that a service which asks for its token lets it in. */
export function credentialsFor(home: string, { token: isNeeded }: ServiceInfo): Record<string, string> {
  if (!isNeeded) return {};
  try {
    const token = readToken(home);
    return token === null ? {} : { authorization: `Bearer ${token}` };
  } catch (error) {
    throw error instanceof TokenError ? new UserError(error.message) : error;
  }
}

export function wrongToken(home: string): UserError {
  return new UserError(
    `Hob asks for its token, and does not take what is in ${tokenFileOf(home)}. Make a new one: hob token --renew --home "${home}"`,
  );
}

/** The home in question, and the service that runs there: null when there is none, even if a killed one left its file. */
export async function findService(
  flag: string | undefined,
): Promise<{ home: string; service: ServiceInfo | null }> {
  const home = resolveHome(flag);
  const service = await findRunningService(home).catch((error: unknown) => {
    throw new UserError(
      `The home ${home} cannot be read (${errnoOf(error)}), so it is not known whether Hob runs there.`,
    );
  });
  return { home, service };
}
