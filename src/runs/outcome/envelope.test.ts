import { execFileSync } from 'node:child_process';
import { link, mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { tempFolder } from '../../../test/support/hob.ts';
import { type EnvelopeReading, readEnvelope } from './envelope.ts';

const maxBytes = 1024 * 1024;

async function resultFile(): Promise<string> {
  return join(await tempFolder(), 'result.json');
}

async function read(content: string | Buffer): Promise<EnvelopeReading> {
  const path = await resultFile();
  await writeFile(path, content);
  return readEnvelope(path, maxBytes);
}

/** A valid reading, with its bytes as text. */
function valid(text: string, msg: string) {
  return { kind: 'valid', text, code: JSON.parse(text).code, msg: JSON.stringify(msg) };
}

async function readText(content: string | Buffer) {
  const reading = await read(content);
  if (reading.kind !== 'valid') return reading;
  return { ...reading, text: String(Buffer.from(reading.text)), msg: String(Buffer.from(reading.msg)) };
}

const bigEndian = (text: string) => Buffer.from(text, 'utf16le').swap16();

describe('the envelope a script wrote', () => {
  it('is kept unchanged, with all its keys', async () => {
    const text = '{"code": 0,\n "msg":"完成", "output_paths" : ["\\/a"], "nested":{"a":[1,null,{"b":true}]}}';
    expect(await readText(text)).toEqual(valid(text, '完成'));
    expect(await readText(`\r\n\t ${text}\n\n`)).toEqual(valid(text, '完成'));
  });

  it.each([0, 1, -1, -3, 42, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER])(
    'may have the code %d',
    async (code) => {
      const text = JSON.stringify({ code, msg: '' });
      expect(await readText(text)).toEqual(valid(text, ''));
    },
  );

  it('may have a byte order mark, in UTF-8 and in UTF-16 of either byte order', async () => {
    const text = '\uFEFF{"code":0,"msg":"你好"}';
    const expected = valid('{"code":0,"msg":"你好"}', '你好');
    expect(await readText(text)).toEqual(expected);
    expect(await readText(Buffer.from(text, 'utf16le'))).toEqual(expected);
    expect(await readText(bigEndian(text))).toEqual(expected);
  });

  it('may be written in GBK', async () => {
    const bytes = Buffer.concat([
      Buffer.from('{"code":0,"msg":"'),
      Buffer.from([0xc4, 0xe3, 0xba, 0xc3]),
      Buffer.from('"}'),
    ]);
    expect(await readText(bytes)).toEqual(valid('{"code":0,"msg":"你好"}', '你好'));
  });

  it('keeps all digits of numbers, which parsing and printing would not', async () => {
    const text = '{"code":0,"msg":"","id":9007199254740993,"pi":3.14159265358979323846,"tiny":1e-400}';
    expect(await readText(text)).toEqual(valid(text, ''));
  });

  it('with duplicate keys has one code and one msg for every parser, the last of each', async () => {
    const text = '{"code":1,"msg":"a","x":[1, 2] , "\\u0063ode":[2,{"msg":3}] , "code":0,"msg":"b"}';
    const reading = await readText(text);
    expect(reading).toMatchObject({ kind: 'valid', msg: '"b"' });
    const passedOn = reading.kind === 'valid' ? reading.text : '';
    expect(passedOn.match(/c?ode"/g)).toEqual(['code"']);
    expect(passedOn.match(/"msg"/g)).toHaveLength(1);
    expect(JSON.parse(passedOn)).toEqual({ x: [1, 2], code: 0, msg: 'b' });
  });

  it('is absent if the file is missing or empty', async () => {
    expect(await readEnvelope(await resultFile(), maxBytes)).toEqual({ kind: 'absent' });
    expect(await read('')).toEqual({ kind: 'absent' });
  });

  it('may be as large as the limit, and no larger', async () => {
    const room = maxBytes - Buffer.byteLength('{"code":0,"msg":""}');
    expect(await read(JSON.stringify({ code: 0, msg: 'x'.repeat(room) }))).toMatchObject({ kind: 'valid' });
    const reading = await read(JSON.stringify({ code: 0, msg: 'x'.repeat(room + 1) }));
    expect(reading).toMatchObject({
      kind: 'invalid',
      why: {
        en: `the result file has ${maxBytes + 1} bytes; the limit is ${maxBytes} (setting result_mib)`,
      },
    });
  });

  it('may be nested 64 levels deep and no deeper', async () => {
    const nested = (depth: number) => `{"code":0,"msg":"","x":${'['.repeat(depth)}${']'.repeat(depth)}}`;
    expect(await read(nested(63))).toMatchObject({ kind: 'valid' });
    expect(await read(nested(64))).toMatchObject({ kind: 'invalid' });
  });
});

describe('an envelope is invalid', () => {
  it.each([
    ' ',
    'null',
    '5',
    '"text"',
    '[]',
    '[{"code":0,"msg":""}]',
    '{',
    '{"code":0,"msg":""',
    '{"code":0,"msg":""}{}',
    "{'code':0,'msg':''}",
    '{"code":NaN,"msg":""}',
    'code=0',
    '\0\0\0',
  ])('when its file is %j', async (content) => {
    expect(await read(content)).toMatchObject({ kind: 'invalid' });
  });

  it.each([
    '{}',
    '{"msg":""}',
    '{"code":null,"msg":""}',
    '{"code":"0","msg":""}',
    '{"code":0.5,"msg":""}',
    '{"code":true,"msg":""}',
    `{"code":${'1'.repeat(200)},"msg":""}`,
    '{"code":9007199254740992,"msg":""}',
    '{"code":[0],"msg":""}',
  ])('without an integer as its code: %s', async (content) => {
    expect(await read(content)).toMatchObject({
      kind: 'invalid',
      why: { en: expect.stringContaining('code') },
    });
  });

  it.each([
    '{"code":0}',
    '{"code":0,"msg":null}',
    '{"code":0,"msg":5}',
    '{"code":0,"msg":["x"]}',
    '{"code":0,"message":"x"}',
  ])('without a string as its msg: %s', async (content) => {
    expect(await read(content)).toMatchObject({
      kind: 'invalid',
      why: { en: expect.stringContaining('msg') },
    });
  });

  it.each([
    '{"code":0,"msg":"","__proto__":{"x":1}}',
    '{"code":0,"msg":"","a":[{"constructor":{}}]}',
    '{"code":0,"msg":"","a":{"prototype":1}}',
  ])('with a key that could change prototypes: %s', async (content) => {
    expect(await read(content)).toMatchObject({ kind: 'invalid' });
    expect(Reflect.get({}, 'x')).toBeUndefined();
  });

  it.each(['{"code":1e400,"msg":""}', '{"code":0,"msg":"","a":[{"b":-1e400}]}'])(
    'with a number that parsers would read as infinite: %s',
    async (content) => {
      expect(await read(content)).toMatchObject({
        kind: 'invalid',
        why: { en: expect.stringMatching(/number.*1e400/) },
      });
    },
  );

  it('when it is nested a million levels deep', async () => {
    const path = await resultFile();
    await writeFile(path, `{"code":0,"msg":"","x":${'['.repeat(1e6)}${']'.repeat(1e6)}}`);
    expect(await readEnvelope(path, 16 * maxBytes)).toMatchObject({ kind: 'invalid' });
  });

  it('when it is a FIFO, without blocking', async () => {
    const path = await resultFile();
    execFileSync('mkfifo', [path]);
    expect(await readEnvelope(path, maxBytes)).toMatchObject({ kind: 'invalid' });
  });

  it('when it is a folder', async () => {
    const path = await resultFile();
    await mkdir(path);
    expect(await readEnvelope(path, maxBytes)).toMatchObject({ kind: 'invalid' });
  });

  it('when it is a link, symbolic or hard, to a valid one', async () => {
    const path = await resultFile();
    await writeFile(`${path}-real`, '{"code":0,"msg":""}');
    await symlink(`${path}-real`, path);
    expect(await readEnvelope(path, maxBytes)).toMatchObject({ kind: 'invalid' });
    const hard = `${path}-hard`;
    await link(`${path}-real`, hard);
    expect(await readEnvelope(hard, maxBytes)).toMatchObject({ kind: 'invalid' });
  });
});
