import { describe, expect, it } from 'vitest';

import { isStillNews, notificationIn } from './toasts.tsx';

const data = {
  notification_id: '1',
  notify_type: 'info',
  message: 'The tea is ready',
  duration: 5000,
  show_close: false,
  run_id: null,
  script_name: null,
  at: '2026-05-01T12:00:00.000Z',
};
const sentMs = Date.parse(data.at);
const news = (duration: number) => {
  const found = notificationIn({ id: '7', type: 'notification', data: { ...data, duration } });
  if (found === null) throw new Error('not a notification');
  return found;
};

describe('a notification in an event', () => {
  it('is read from events of that type only', () => {
    expect(news(5000).message).toBe('The tea is ready');
    expect(notificationIn({ id: '7', type: 'run.ended', data })).toBeNull();
    expect(notificationIn({ id: '7', type: 'notification', data: {} })).toBeNull();
  });

  it('is shown for its duration, and for at least half a minute', () => {
    expect(isStillNews(news(100), sentMs + 20_000)).toBe(true);
    expect(isStillNews(news(100), sentMs + 40_000)).toBe(false);
    expect(isStillNews(news(60_000), sentMs + 40_000)).toBe(true);
  });

  it('without a duration is shown at any time', () => {
    expect(isStillNews(news(0), sentMs + 86_400_000)).toBe(true);
  });
});
