import { patch } from '@decimalturn/toml-patch';
import { parse } from 'smol-toml';

import type { SettingName } from './schema.ts';

/** Settings that name folders and addresses of one machine. */
const machineSettings: readonly SettingName[] = ['scripts', 'model_folders', 'listen'];

/** The text of a settings file for another machine, and the names of the settings that it leaves out. Keeps comments. */
export function portableSettings(text: string): { text: string; leftOut: readonly SettingName[] } {
  const table: Record<string, unknown> = parse(text.replace(/^\uFEFF/, ''));
  const leftOut = machineSettings.filter((name) => name in table);
  if (leftOut.length === 0) return { text, leftOut };
  const kept = Object.entries(table).filter(([name]) => !leftOut.some((left) => left === name));
  return { text: patch(text.replace(/^\uFEFF/, ''), Object.fromEntries(kept)), leftOut };
}
