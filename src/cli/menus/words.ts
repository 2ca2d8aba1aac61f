import type { Text } from '../../shared/text.ts';

/** The text that a menu shows beside an entry: the description of the script, or who runs it. */
export function entryComment(description: string | null): Text {
  if (description !== null && description !== '') return { en: description, zh: description };
  return { en: 'Run this script with Hob', zh: '用 Hob 运行此脚本' };
}
