import { describe, expect, it } from 'vitest';
import { jsonLine } from '../send-json.ts';
import { eventData } from './event-data.ts';
import { eventFrame } from './event-stream.ts';

describe('the data of an event', () => {
  it('is one line, even if the envelope of a script has several', () => {
    const result = Buffer.from('{\r\n  "code": 0,\n\n  "msg": "a\\nb\u2028", "id": 9007199254740993\r}');
    const line = jsonLine({ result, text: 'a\nb\r\u2028' });
    expect(line).not.toMatch(/[\r\n]/);
    expect(line).toContain('9007199254740993');
    const parsed = JSON.parse(line);
    expect(parsed.result.msg).toBe('a\nb\u2028');
    expect(parsed.text).toBe('a\nb\r\u2028');
    expect(eventFrame(7, 'run.ended', line)).toBe(`id: 7\nevent: run.ended\ndata: ${line}\n\n`);
  });

  it('contains all fields of a notification that a page shows', () => {
    const notification = {
      id: '5a3c2a2e-0d5c-4f0b-8f5e-0a4c7d1b9e10',
      type: 'info',
      message: '茶泡好了',
      durationMs: 0,
      showClose: true,
      runId: null,
      scriptId: null,
      scriptName: null,
      end: null,
      at: '1970-01-01T00:00:00.000Z',
    } as const;
    expect(JSON.parse(eventData.notification(notification))).toEqual({
      notification_id: notification.id,
      notify_type: 'info',
      message: '茶泡好了',
      duration: 0,
      show_close: true,
      run_id: null,
      script_name: null,
      at: '1970-01-01T00:00:00.000Z',
    });
  });
});
