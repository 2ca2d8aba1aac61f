import fastify from 'fastify';
import { describe, expect, it } from 'vitest';

import { AppError } from '../shared/errors.ts';
import { bodyOf, takeFormsToo, takeJsonOnly } from './request.ts';

const json = 'application/json';
const form = 'application/x-www-form-urlencoded';

/** Returns the body as a route sees it, or the error code. */
async function send(type: string | undefined, body: string | Buffer | undefined, { forms = true } = {}) {
  const app = fastify();
  takeJsonOnly(app, 4_000_000);
  if (forms) takeFormsToo(app, 1000);
  app.setErrorHandler((error: Error & { code?: string }, _request, reply) =>
    reply.code(400).send({ refused: error instanceof AppError ? error.code : String(error.code) }),
  );
  app.post('/', async (request) => bodyOf(request));
  const response = await app.inject({
    method: 'POST',
    url: '/',
    headers: type === undefined ? {} : { 'content-type': type },
    ...(body !== undefined && { body }),
  });
  await app.close();
  return response.json();
}

const nested = (depth: number) => `{"a":${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}}`;

describe('a JSON body', () => {
  it('reaches the route unchanged', async () => {
    const fields = {
      script_id: 'x',
      sync: true,
      data: { 图片: ['a', 'b'] },
      params: { n: 1.5, nothing: null },
    };
    expect(await send(json, JSON.stringify(fields))).toEqual({ kind: 'json', fields });
  });

  it.each([
    'application/json; charset=utf-8',
    'application/json;charset=UTF-8',
    'Application/JSON',
    'application/json ; x=y',
  ])('may be declared as %s', async (type) => {
    expect(await send(type, '{"a":1}')).toEqual({ kind: 'json', fields: { a: 1 } });
  });

  it('may begin with a byte order mark', async () => {
    expect(await send(json, '\uFEFF{"a":1}')).toEqual({ kind: 'json', fields: { a: 1 } });
  });

  it('that is missing counts as an empty object, with and without a content type', async () => {
    const empty = { kind: 'json', fields: {} };
    expect(await send(json, undefined)).toEqual(empty);
    expect(await send(json, '')).toEqual(empty);
    expect(await send(undefined, undefined)).toEqual(empty);
  });

  it.each([
    '{',
    '{"a":1}}',
    '{"a":}',
    "{'a':1}",
    '{"a":1,}',
    'null',
    '[]',
    '[{"a":1}]',
    '"text"',
    '1',
    'true',
    ' ',
    'a=1',
  ])('is refused when it is %s', async (body) => {
    expect(await send(json, body)).toEqual({ refused: 'body-malformed' });
  });

  it('is refused when it contains a number that is too large', async () => {
    for (const number of ['1e400', '-1e400', `1${'0'.repeat(400)}`])
      expect(await send(json, `{"params":{"a":[${number}]}}`)).toEqual({ refused: 'body-malformed' });
    expect(await send(json, '{"a":1e300}')).toEqual({ kind: 'json', fields: { a: 1e300 } });
  });

  it('is refused when it is not UTF-8', async () => {
    const gbk = Buffer.from([0x7b, 0x22, 0x61, 0x22, 0x3a, 0x22, 0xc4, 0xe3, 0x22, 0x7d]);
    expect(await send(json, gbk)).toEqual({ refused: 'body-malformed' });
    expect(await send(json, Buffer.from('\uFEFF{"a":1}', 'utf16le'))).toEqual({ refused: 'body-malformed' });
  });

  it('may be nested 64 levels deep and no deeper', async () => {
    expect(await send(json, nested(64))).toHaveProperty('fields');
    expect(await send(json, nested(65))).toEqual({ refused: 'body-malformed' });
    expect(await send(json, nested(1_000_000))).toEqual({ refused: 'body-malformed' });
  });

  it.each(['{"__proto__":{"x":1}}', '{"a":[{"constructor":1}]}', '{"params":{"prototype":{}}}'])(
    'is refused when it could pollute a prototype: %s',
    async (body) => {
      expect(await send(json, body)).toEqual({ refused: 'body-malformed' });
      expect(Reflect.get({}, 'x')).toBeUndefined();
    },
  );

  it('is refused when it is too large', async () => {
    expect(await send(json, JSON.stringify({ a: 'x'.repeat(4_000_000) }))).toEqual({
      refused: 'FST_ERR_CTP_BODY_TOO_LARGE',
    });
  });
});

describe('a form', () => {
  it('is parsed into strings', async () => {
    expect(await send(form, 'script_id=x&sync=true&data=%7B%22a%22%3A1%7D&name=%E4%BD%A0+%2B')).toEqual({
      kind: 'form',
      fields: { script_id: 'x', sync: 'true', data: '{"a":1}', name: '你 +' },
    });
    expect(await send(`${form}; charset=utf-8`, 'a=1')).toEqual({ kind: 'form', fields: { a: '1' } });
  });

  it('may be empty', async () => {
    expect(await send(form, '')).toEqual({ kind: 'form', fields: {} });
    expect(await send(form, 'script_id=&x')).toEqual({ kind: 'form', fields: { script_id: '', x: '' } });
  });

  it('is refused when a field occurs twice', async () => {
    expect(await send(form, 'script_id=a&script_id=b')).toEqual({ refused: 'body-malformed' });
    expect(await send(form, 'a=&a=')).toEqual({ refused: 'body-malformed' });
  });

  it('is refused when it is not UTF-8', async () => {
    expect(await send(form, Buffer.from([0x61, 0x3d, 0xc4, 0xe3]))).toEqual({ refused: 'body-malformed' });
    for (const escaped of ['a=%C4%E3', 'a=%ff', 'a=%E4%BD', '%ED%A0%80=1', 'a=%c0%ae'])
      expect(await send(form, escaped)).toEqual({ refused: 'body-malformed' });
  });

  it('may contain a percent sign that is not part of an escape', async () => {
    expect(await send(form, 'a=100%&b=%zz&c=%25%E4%BD%A0%')).toEqual({
      kind: 'form',
      fields: { a: '100%', b: '%zz', c: '%你%' },
    });
  });

  it('has its own size limit', async () => {
    expect(await send(form, `a=${'x'.repeat(1000)}`)).toEqual({ refused: 'FST_ERR_CTP_BODY_TOO_LARGE' });
  });

  it('cannot pollute a prototype', async () => {
    const answer = await send(form, '__proto__=x&constructor=y&toString=z');
    expect(answer.kind).toBe('form');
    expect(String({})).toBe('[object Object]');
  });

  it('is an unsupported type on routes that accept JSON only', async () => {
    expect(await send(form, 'a=1', { forms: false })).toEqual({ refused: 'FST_ERR_CTP_INVALID_MEDIA_TYPE' });
  });
});

describe('a body of another type', () => {
  it.each([
    'text/plain',
    'multipart/form-data; boundary=x',
    'text/json',
    'application/jsonp',
    'application/ld+json',
    'application/xml',
  ])('is refused without being parsed: %s', async (type) => {
    expect(await send(type, '{"a":1}')).toEqual({ refused: 'FST_ERR_CTP_INVALID_MEDIA_TYPE' });
  });
});

describe('bodyOf', () => {
  it.each([undefined, null, 'text', 5, {}, { kind: 'json' }, { fields: [] }, { kind: 'json', fields: null }])(
    'returns an empty object when the body was not parsed: %j',
    (body) => {
      expect(bodyOf({ body })).toEqual({ kind: 'json', fields: {} });
    },
  );
});
