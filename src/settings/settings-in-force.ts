import type { Json } from '../shared/json.ts';
import type { Text } from '../shared/text.ts';
import { defaultSettings } from './default-settings.ts';
import type { LoadedSettings, SettingOrigin } from './load-settings.ts';
import { settingNames } from './schema.ts';
import { meaningOf } from './setting-meanings.ts';

interface SettingInForce {
  readonly name: string;
  readonly value: Json;
  readonly default: Json;
  /** Null for the default. */
  readonly origin: SettingOrigin | null;
  readonly meaning: Text;
}

/** Every setting in effect, without secrets: the token is in a separate file, and only the host of `notify_url` is shown. */
export function settingsInForce(settings: LoadedSettings): SettingInForce[] {
  return settingNames.map((name) => ({
    name,
    value: name === 'notify_url' ? maskedUrl(settings.notify_url) : settings[name],
    default: defaultSettings[name],
    origin: settings.origins.get(name) ?? null,
    meaning: meaningOf(name),
  }));
}

/** The path of such a URL is often a secret: the topic of ntfy, or the key of a webhook. */
function maskedUrl(url: string): string {
  return url === '' ? '' : `${new URL(url).origin}/…`;
}
