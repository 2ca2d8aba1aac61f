import type { Listening } from '../http/access/listen.ts';
import type { ShownSettings } from '../http/dependencies.ts';
import { settingsFile } from '../settings/home.ts';
import type { LoadedSettings } from '../settings/load-settings.ts';
import { settingsInForce } from '../settings/settings-in-force.ts';

/** The settings as clients see them. The address is a function because the service starts to listen later. */
export function composeSettings(
  settings: LoadedSettings,
  listening: () => Listening | undefined,
): ShownSettings {
  const { home } = settings;
  return {
    home,
    file: settingsFile(home),
    reached: () => ({ address: listening()?.url ?? '', beyond: listening()?.beyond ?? [] }),
    items: settingsInForce(settings),
  };
}
