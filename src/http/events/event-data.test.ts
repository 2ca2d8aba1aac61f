import { describe, expect, it } from 'vitest';
import { jsonLine } from '../send-json.ts';
import { cutMessage, eventData } from './event-data.ts';
import { eventFrame } from './event-frames.ts';

describe('the data of an event', () => {
  it('is one line, also where it holds what a script has laid out in several', () => {
    const result = Buffer.from('{\r\n  "code": 0,\n\n  "msg": "a\\nb\u2028", "id": 9007199254740993\r}');
    const line = jsonLine({ result, text: 'a\nb\r\u2028' });
    expect(line).not.toMatch(/[\r\n]/);
    expect(line).toContain('9007199254740993');
    const parsed = JSON.parse(line);
    expect(parsed.result.msg).toBe('a\nb\u2028');
    expect(parsed.text).toBe('a\nb\r\u2028');
    expect(eventFrame(7, 'run.ended', line)).toBe(`id: 7\nevent: run.ended\ndata: ${line}\n\n`);
  });

  it('has messages cut between characters', () => {
    expect(cutMessage('x'.repeat(1000))).toHaveLength(1000);
    expect(cutMessage('x'.repeat(1001))).toHaveLength(1000);
    expect(cutMessage(`${'x'.repeat(999)}😀`)).toBe('x'.repeat(999));
    const notification = {
      type: 'info',
      message: '好'.repeat(5000),
      durationMs: 0,
      showClose: false,
      runId: null,
    } as const;
    const data = JSON.parse(eventData.notification(notification, null, new Date(0)));
    expect(data).toEqual({
      notify_type: 'info',
      message: '好'.repeat(1000),
      run_id: null,
      script_name: null,
      at: '1970-01-01T00:00:00.000Z',
    });
  });
});
