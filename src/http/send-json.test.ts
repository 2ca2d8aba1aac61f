import fastify from 'fastify';
import { describe, expect, it } from 'vitest';

import { type JsonFields, sendJson } from './send-json.ts';

async function send(fields: JsonFields) {
  const app = fastify();
  app.get('/', async (_request, reply) => sendJson(reply, fields));
  return app.inject('/');
}

describe('an answer with fields that are already JSON text', () => {
  it('keeps the order of its fields and every byte of the text', async () => {
    const result = '{ "code":0, "id":9007199254740993, "msg":"好" }';
    const answer = await send({
      a: '"好"',
      result: Buffer.from(result),
      b: null,
      c: Buffer.from('""'),
      d: [1],
    });
    expect(answer.body).toBe(`{"a":"\\"好\\"","result":${result},"b":null,"c":"","d":[1]}`);
    expect(answer.statusCode).toBe(200);
    expect(answer.headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'content-length': String(Buffer.byteLength(answer.body)),
    });
  });

  it('may begin and end with such a field, and may be empty', async () => {
    expect((await send({ a: Buffer.from('1'), b: Buffer.from('[2]') })).body).toBe('{"a":1,"b":[2]}');
    expect((await send({})).body).toBe('{}');
  });
});
