import Value from 'typebox/value';

import { type SettingName, type Settings, SettingsSchema } from './schema.ts';

/** The default values. */
export const defaultSettings: Settings = Value.Create(SettingsSchema);

/** The kind of value of a setting, derived from its default. */
export function kindOf(name: SettingName): 'number' | 'list' | 'truth' | 'text' {
  const fallback = defaultSettings[name];
  if (Array.isArray(fallback)) return 'list';
  if (typeof fallback === 'boolean') return 'truth';
  return typeof fallback === 'number' ? 'number' : 'text';
}
