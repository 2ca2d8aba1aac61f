import { describe, expect, it } from 'vitest';

import { findJsonHazard } from '../../shared/json.ts';
import { eventOf } from './event-of.ts';

const bodyOf = (type: string | null, body: string | Buffer, more: string[] = []) =>
  eventOf({
    headers: [...(type === null ? [] : ['Content-Type', type]), ...more],
    query: '',
    body: Buffer.from(body),
  }).body;

describe('the event of a delivery', () => {
  it('has the headers in lower case, without those that prove who the sender is', () => {
    const headers = [
      ...['User-Agent', 'GitHub-Hookshot/1', 'X-GitHub-Event', 'push', 'Accept', 'a', 'ACCEPT', 'b'],
      ...['Authorization', 'Bearer x', 'Cookie', 'x', 'X-Hub-Signature', 'x', 'X-Hub-Signature-256', 'x'],
      ...[
        'Stripe-Signature',
        'x',
        'webhook-signature',
        'x',
        'X-Gitlab-Token',
        'x',
        'Proxy-Authorization',
        'x',
      ],
      ...['X-Api-Key', 'x', 'Cf-Access-Jwt-Assertion', 'x'],
    ];
    expect(eventOf({ headers, query: '', body: Buffer.from('') }).headers).toEqual({
      'user-agent': 'GitHub-Hookshot/1',
      'x-github-event': 'push',
      accept: 'a, b',
    });
  });

  it('has the fields of the query', () => {
    const { query } = eventOf({ headers: [], query: 'a=1&b=x%20y&b=%E4%B8%AD&c', body: Buffer.from('') });
    expect(query).toEqual({ a: '1', b: ['x y', '中'], c: '' });
  });

  it.each(['__proto__', 'constructor', 'prototype'])(
    'has all headers and fields of the query except those with the name %s',
    (name) => {
      const headers = ['A', '1', name, 'x', name.toUpperCase(), 'y', 'b', '2'];
      const query = `a=1&a=2&b=中&${name}=x&${name}=y`;
      expect(eventOf({ headers, query, body: Buffer.from('') })).toMatchObject({
        headers: { a: '1', b: '2' },
        query: { a: ['1', '2'], b: '中' },
      });
      const event = eventOf({ headers, query, body: Buffer.from('') });
      expect(findJsonHazard(event)).toBeUndefined();
    },
  );

  it('has the exact bytes', () => {
    const body = Buffer.from([0, 255, 10]);
    expect(eventOf({ headers: [], query: '', body })).toMatchObject({ body: null, body_base64: 'AP8K' });
  });

  it.each([
    ['application/json', '{"a":[1,"中"]}', { a: [1, '中'] }],
    ['application/vnd.github+json; charset=utf-8', '[true]', [true]],
    ['APPLICATION/JSON', '\uFEFF{}', {}],
    ['application/json', 'null', null],
    ['application/json', '{"a":', '{"a":'],
    ['application/json', '{"__proto__":{"x":1}}', '{"__proto__":{"x":1}}'],
    ['application/json', '{"a":1e999}', '{"a":1e999}'],
    ['application/json', '['.repeat(200) + ']'.repeat(200), '['.repeat(200) + ']'.repeat(200)],
    [null, '{"a":1}', { a: 1 }],
    [null, 'plain', 'plain'],
    ['text/plain', '{"a":1}', '{"a":1}'],
    ['application/x-www-form-urlencoded', 'payload=%7B%7D&x=1&x=2', { payload: '{}', x: ['1', '2'] }],
    ['application/x-www-form-urlencoded', 'a=1&__proto__=1', 'a=1&__proto__=1'],
    ['application/json', '', null],
  ])('reads a body of type %s: %s', (type, body, expected) => {
    expect(bodyOf(type, body)).toEqual(expected);
  });

  it('leaves compressed bodies to the script', () => {
    expect(bodyOf('application/json', '{}', ['Content-Encoding', 'gzip'])).toBeNull();
    expect(bodyOf('application/json', '{}', ['Content-Encoding', 'identity'])).toEqual({});
  });

  it('reads many fields in one pass', () => {
    const body = Array.from({ length: 150_000 }, (_, index) => `f${index}`).join('&');
    const started = performance.now();
    expect(Object.keys(Object(bodyOf('application/x-www-form-urlencoded', body)))).toHaveLength(150_000);
    // A pass for each field would take minutes.
    expect(performance.now() - started).toBeLessThan(20_000);
  });
});
