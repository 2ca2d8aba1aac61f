import type { NotificationType } from '../notifications.ts';

/** Stand before the title where a bubble cannot have an icon of its own. */
const signs: Readonly<Record<NotificationType, string>> = { success: '✓ ', error: '✗ ', info: '' };

export function withSign(type: NotificationType, title: string): string {
  return `${signs[type]}${title}`;
}
