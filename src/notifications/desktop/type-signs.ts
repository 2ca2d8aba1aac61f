import type { NotificationType } from '../../contract/values.ts';

/** Prefix of the title if a bubble cannot have an icon. */
const signs: Readonly<Record<NotificationType, string>> = { success: '✓ ', error: '✗ ', info: '' };

export function withSign(type: NotificationType, title: string): string {
  return `${signs[type]}${title}`;
}
