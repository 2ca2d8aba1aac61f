import type { Text } from '../shared/text.ts';

const most = 5;

/** Lists names for a sentence; of many, the first few and the number of the others. */
export function nameSome(names: readonly string[]): Text {
  const shown = names.slice(0, most);
  const en = shown.map((name) => `"${name}"`).join(', ');
  const zh = shown.map((name) => `“${name}”`).join('、');
  if (names.length <= most) return { en, zh };
  return { en: `${en} and ${names.length - most} more`, zh: `${zh} 等 ${names.length} 个` };
}
