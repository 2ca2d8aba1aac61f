import { expect, it } from 'vitest';

import { type Addressed, encodeHeader, formatMessage } from './format-message.ts';

const notification: Addressed = {
  id: '5a3c2a2e-0d5c-4f0b-8f5e-0a4c7d1b9e10',
  type: 'error',
  message: 'The script failed with exit code 7\n磁盘已满',
  durationMs: 10_000,
  showClose: false,
  runId: 'run',
  scriptId: 'script',
  scriptName: '每晚备份',
  end: { state: 'failed', endCause: 'exit', exitCode: 7 },
  at: '2026-05-01T02:30:00.000Z',
  address: { url: 'http://192.168.1.5:9527/runs/run', isReachable: true },
};
const fromProgram: Addressed = {
  ...notification,
  type: 'info',
  message: null,
  runId: null,
  scriptId: null,
  scriptName: null,
  end: null,
  address: null,
};

/** Decodes adjacent encoded words as RFC 2047 says: the space between them is not part of the text. */
function decodeHeader(value: string): string {
  const words = value.match(/=\?UTF-8\?B\?[A-Za-z0-9+/=]*\?=/g) ?? [];
  expect(words.join(' ')).toBe(value);
  for (const word of words) expect(word.length).toBeLessThanOrEqual(75);
  const decoder = new TextDecoder('utf-8', { fatal: true });
  return words.map((word) => decoder.decode(Buffer.from(word.slice(10, -2), 'base64'))).join('');
}

it('the JSON form names the run, how it ended, and its page', () => {
  const { headers, body } = formatMessage('json', notification);
  expect(headers).toEqual({ 'content-type': 'application/json' });
  expect(JSON.parse(body)).toEqual({
    id: notification.id,
    type: 'error',
    title: '每晚备份',
    message: notification.message,
    at: notification.at,
    script_id: 'script',
    script_name: '每晚备份',
    run_id: 'run',
    run_url: 'http://192.168.1.5:9527/runs/run',
    state: 'failed',
    end_cause: 'exit',
    exit_code: 7,
  });
});

it('the JSON form has every field for a notification without a run', () => {
  expect(JSON.parse(formatMessage('json', fromProgram).body)).toEqual({
    id: notification.id,
    type: 'info',
    title: 'Hob',
    message: null,
    at: notification.at,
    script_id: null,
    script_name: null,
    run_id: null,
    run_url: null,
    state: null,
    end_cause: null,
    exit_code: null,
  });
});

it('the JSON form contains no half of a surrogate pair', () => {
  const { body } = formatMessage('json', { ...notification, message: 'a\ud800b\0', scriptName: '\udc00' });
  expect(body).not.toMatch(/\\ud[89a-f]/i);
  expect(JSON.parse(body)).toMatchObject({ title: '\ufffd', message: 'a\ufffdb\0' });
});

it('the ntfy form has the text as its body, and the rest in headers', () => {
  const { headers, body } = formatMessage('ntfy', notification);
  expect(body).toBe(notification.message);
  expect(headers).toMatchObject({
    'x-priority': '4',
    'x-tags': 'x',
    'x-click': 'http://192.168.1.5:9527/runs/run',
  });
  expect(decodeHeader(headers['x-title'] ?? '')).toBe('每晚备份');
});

it('the ntfy form links no page that only this machine can open', () => {
  const address = { url: 'http://127.0.0.1:9527/runs/run', isReachable: false };
  expect(formatMessage('ntfy', { ...notification, address }).headers).not.toHaveProperty('x-click');
  expect(formatMessage('json', { ...notification, address }).body).toContain(address.url);
});

it('the ntfy form of a notification without a text has the sender as its body', () => {
  for (const message of [null, '', ' \n'])
    expect(formatMessage('ntfy', { ...fromProgram, message })).toEqual({
      headers: {
        'content-type': 'text/plain; charset=utf-8',
        'x-priority': '3',
        'x-tags': 'information_source',
      },
      body: 'Hob',
    });
});

it('a header in ASCII stays readable', () => {
  expect(encodeHeader('Nightly backup (100 %)')).toBe('Nightly backup (100 %)');
});

it.each([
  ['Chinese', '每晚备份'],
  ['longer than one encoded word', '把下载文件夹里的照片按拍摄日期整理到相册里'],
  ['emojis of several code points', '👩‍👩‍👧'.repeat(10)],
  ['a text that looks encoded', '=?UTF-8?B?eA==?='],
])('a header with %s arrives unchanged', (_what, text) => {
  expect(decodeHeader(encodeHeader(text))).toBe(text);
});

it('a header has one line and a limited length', () => {
  expect(encodeHeader('a\r\nX-Priority: 5\0\u0085b')).toBe('a X-Priority: 5 b');
  expect(decodeHeader(encodeHeader('好'.repeat(5000)))).toBe(`${'好'.repeat(250)}…`);
});
