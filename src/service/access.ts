import { TokenGuard } from '../http/access/token-guard.ts';
import { isLiveToken } from '../runs/callers/chain.ts';
import type { RunStore } from '../runs/run-store.ts';
import type { LoadedSettings } from '../settings/load-settings.ts';
import { systemClock } from '../shared/clock.ts';
import type { Logger } from '../shared/log.ts';
import { ensureToken } from '../shared/token-file.ts';

interface AccessParts {
  settings: LoadedSettings;
  store: RunStore;
  log: Logger;
}

/** Builds the guard that checks the token of each request; null if the settings require no token. */
export async function composeGuard({ settings, store, log }: AccessParts): Promise<TokenGuard | null> {
  if (!settings.token) return null;
  const { home } = settings;
  await ensureToken(home);
  return new TokenGuard({
    home,
    isLiveRun: (token) => isLiveToken(token, store),
    clock: systemClock,
    log: log.child({ part: 'access' }),
  });
}
