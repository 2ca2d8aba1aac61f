import { findRunningService } from '../shared/service-file.ts';
import { readToken } from '../shared/token-file.ts';
import type { Address } from './connection.ts';
import { HobError } from './errors.ts';

/** The address of the service that runs in a home, and its token. Null: none runs. */
export async function locateService(home: string): Promise<Address | null> {
  try {
    const service = await findRunningService(home);
    if (service === null) return null;
    return { url: service.url, token: service.token ? (readToken(home) ?? undefined) : undefined };
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new HobError(`The service in ${home} cannot be found: ${reason}`, { code: 'home-unusable', cause });
  }
}
