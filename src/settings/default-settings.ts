import Value from 'typebox/value';

import { type SettingName, type Settings, SettingsSchema } from './schema.ts';

/** What holds where nobody has chosen anything. */
export const defaultSettings: Settings = Value.Create(SettingsSchema);

/** What kind of value a setting has, by its default. */
export function kindOf(name: SettingName): 'number' | 'list' | 'truth' | 'text' {
  const fallback = defaultSettings[name];
  if (Array.isArray(fallback)) return 'list';
  if (typeof fallback === 'boolean') return 'truth';
  return typeof fallback === 'number' ? 'number' : 'text';
}
