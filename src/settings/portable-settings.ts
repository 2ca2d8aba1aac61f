import { patch } from '@decimalturn/toml-patch';
import { parse } from 'smol-toml';

import type { Text } from '../shared/text.ts';
import type { SettingName } from './schema.ts';

interface LeftOut {
  readonly name: SettingName;
  readonly reason: Text;
}

const ofMachine: Text = { en: 'belongs to this machine', zh: '只适用于这台电脑' };

const leftOutSettings: readonly LeftOut[] = [
  { name: 'scripts', reason: ofMachine },
  { name: 'model_folders', reason: ofMachine },
  { name: 'listen', reason: ofMachine },
  { name: 'hooks_listen', reason: ofMachine },
  { name: 'notify_url', reason: { en: 'may contain a secret', zh: '可能含有机密' } },
];

/** The text of a settings file for another machine, and the settings that it leaves out. Keeps comments. */
export function portableSettings(text: string): { text: string; leftOut: readonly LeftOut[] } {
  const table: Record<string, unknown> = parse(text.replace(/^\uFEFF/, ''));
  const leftOut = leftOutSettings.filter(({ name }) => name in table);
  if (leftOut.length === 0) return { text, leftOut };
  const kept = Object.entries(table).filter(([name]) => !leftOut.some((left) => left.name === name));
  return { text: patch(text.replace(/^\uFEFF/, ''), Object.fromEntries(kept)), leftOut };
}
