import { describe, expect, it, onTestFinished, vi } from 'vitest';

import { Heartbeat } from './executor-link.ts';

function open() {
  const events: string[] = [];
  const heartbeat = new Heartbeat({
    ping: () => events.push('ping'),
    silent: () => events.push('silent'),
  });
  const beats = (count: number) => {
    for (let beat = 0; beat < count; beat++) heartbeat.beat();
  };
  return { heartbeat, events, beats };
}

describe('a heartbeat', () => {
  it('sends the next ping only after an answer', () => {
    const { heartbeat, events, beats } = open();
    beats(2);
    expect(events).toEqual(['ping']);
    heartbeat.heard();
    beats(1);
    expect(events).toEqual(['ping', 'ping']);
  });

  it('reports silence once, after three beats without an answer', () => {
    const { events, beats } = open();
    beats(3);
    expect(events).toEqual(['ping']);
    beats(1);
    expect(events).toEqual(['ping', 'silent']);
    beats(10_000);
    expect(events).toEqual(['ping', 'silent']);
  });

  it('reports no silence while any message arrives, however late', () => {
    const { heartbeat, events, beats } = open();
    for (let round = 0; round < 100; round++) {
      beats(3);
      heartbeat.heard();
    }
    expect(events).not.toContain('silent');
  });

  it('reports silence 6 s after a ping, which is at most 8 s after the last answer', () => {
    vi.useFakeTimers();
    onTestFinished(() => {
      vi.useRealTimers();
    });
    const { heartbeat, events } = open();
    heartbeat.start();
    vi.advanceTimersByTime(2000);
    expect(events).toEqual(['ping']);
    vi.advanceTimersByTime(5999);
    expect(events).toEqual(['ping']);
    vi.advanceTimersByTime(1);
    expect(events).toEqual(['ping', 'silent']);
    heartbeat.stop();
    expect(vi.getTimerCount()).toBe(0);
  });

  it('reports the next silence, too', () => {
    const { heartbeat, events, beats } = open();
    beats(4);
    heartbeat.heard();
    beats(4);
    expect(events).toEqual(['ping', 'silent', 'ping', 'silent']);
  });
});
