import { execFileSync } from 'node:child_process';
import { link, mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { tempFolder } from '../../test/support/hob.ts';
import { endWithoutProcess, type RunEnd } from '../execution/messages.ts';
import { type EnvelopeReading, readEnvelope, synthesizeEnvelope } from './envelope.ts';

const maxBytes = 1024 * 1024;

async function resultFile(): Promise<string> {
  return join(await tempFolder(), 'result.json');
}

async function read(content: string | Buffer): Promise<EnvelopeReading> {
  const path = await resultFile();
  await writeFile(path, content);
  return readEnvelope(path, maxBytes);
}

const bigEndian = (text: string) => Buffer.from(text, 'utf16le').swap16();

describe('the envelope a script wrote', () => {
  it('is taken as it is, with all its keys', async () => {
    const envelope = { code: 0, msg: '完成', output_paths: ['/a'], nested: { a: [1, null, { b: true }] } };
    expect(await read(JSON.stringify(envelope))).toEqual({ kind: 'valid', envelope });
  });

  it.each([0, 1, -1, -3, 42, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER])(
    'may have the code %d',
    async (code) => {
      expect(await read(JSON.stringify({ code, msg: '' }))).toEqual({
        kind: 'valid',
        envelope: { code, msg: '' },
      });
    },
  );

  it('may be written with a byte order mark, in UTF-8 and in UTF-16 of either order', async () => {
    const text = '\uFEFF{"code":0,"msg":"你好"}';
    const valid = { kind: 'valid', envelope: { code: 0, msg: '你好' } };
    expect(await read(text)).toEqual(valid);
    expect(await read(Buffer.from(text, 'utf16le'))).toEqual(valid);
    expect(await read(bigEndian(text))).toEqual(valid);
  });

  it('may be written in GBK', async () => {
    const bytes = Buffer.concat([
      Buffer.from('{"code":0,"msg":"'),
      Buffer.from([0xc4, 0xe3, 0xba, 0xc3]),
      Buffer.from('"}'),
    ]);
    expect(await read(bytes)).toEqual({ kind: 'valid', envelope: { code: 0, msg: '你好' } });
  });

  it('is absent when there is no file, or an empty one', async () => {
    expect(await readEnvelope(await resultFile(), maxBytes)).toEqual({ kind: 'absent' });
    expect(await read('')).toEqual({ kind: 'absent' });
  });

  it('may be as large as allowed, and no larger', async () => {
    const room = maxBytes - Buffer.byteLength('{"code":0,"msg":""}');
    expect(await read(JSON.stringify({ code: 0, msg: 'x'.repeat(room) }))).toMatchObject({ kind: 'valid' });
    const reading = await read(JSON.stringify({ code: 0, msg: 'x'.repeat(room + 1) }));
    expect(reading).toMatchObject({
      kind: 'invalid',
      why: { en: expect.stringContaining(String(maxBytes)) },
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
    '{"code":1e400,"msg":""}',
    '{"code":-1e400,"msg":""}',
    '{"code":9007199254740992,"msg":""}',
    '{"code":[0],"msg":""}',
  ])('without a whole number as its code: %s', async (content) => {
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
  ])('without a text as its msg: %s', async (content) => {
    expect(await read(content)).toMatchObject({
      kind: 'invalid',
      why: { en: expect.stringContaining('msg') },
    });
  });

  it.each([
    '{"code":0,"msg":"","__proto__":{"x":1}}',
    '{"code":0,"msg":"","a":[{"constructor":{}}]}',
    '{"code":0,"msg":"","a":{"prototype":1}}',
  ])('with a key that could change what objects are: %s', async (content) => {
    expect(await read(content)).toMatchObject({ kind: 'invalid' });
    expect(Reflect.get({}, 'x')).toBeUndefined();
  });

  it('when it is nested a million levels deep', async () => {
    const path = await resultFile();
    await writeFile(path, `{"code":0,"msg":"","x":${'['.repeat(1e6)}${']'.repeat(1e6)}}`);
    expect(await readEnvelope(path, 16 * maxBytes)).toMatchObject({ kind: 'invalid' });
  });

  it('when it is a FIFO, which is not waited for', async () => {
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

describe('the envelope Hob writes in the place of a script', () => {
  const ended = (rest: Partial<RunEnd>): RunEnd => ({
    ...endWithoutProcess('r', 'exit'),
    exitCode: 0,
    ...rest,
  });

  function synthesize(end: RunEnd, rest: Partial<Parameters<typeof synthesizeEnvelope>[0]> = {}) {
    return synthesizeEnvelope({
      end,
      timeoutMs: null,
      unavailable: null,
      reading: { kind: 'absent' },
      lastErrorLines: '',
      language: 'en',
      ...rest,
    });
  }

  it.each([
    ['a non-zero exit', ended({ exitCode: 3 }), -1, '3'],
    ['a signal', ended({ cause: 'signal', signal: 'SIGKILL', exitCode: 137 }), -1, 'SIGKILL'],
    ['a cancelled run', ended({ cause: 'cancelled', exitCode: 143 }), -1, 'cancelled'],
    ['a cancelled run that exits with 0', ended({ cause: 'cancelled' }), -1, 'cancelled'],
    ['a shutdown', ended({ cause: 'shutdown', exitCode: 143 }), -1, 'stopped'],
    ['a run nobody saw end', ended({ cause: 'lost', exitCode: -1 }), -1, 'not known'],
    ['a failed spawn', ended({ cause: 'spawn-failed', spawnError: 'ENOENT', exitCode: -1 }), -1, 'ENOENT'],
    ['no envelope', ended({}), -3, 'wrote no result'],
  ] as const)('says what happened: %s', (_name, end, code, word) => {
    const envelope = synthesize(end);
    expect(Object.keys(envelope)).toEqual(['code', 'msg']);
    expect(envelope.code).toBe(code);
    expect(envelope.msg).toContain(word);
  });

  it('says how long a run was allowed to take, whatever it exited with', () => {
    for (const exitCode of [0, 143]) {
      const envelope = synthesize(ended({ cause: 'timeout', exitCode }), { timeoutMs: 1500 });
      expect(envelope.code).toBe(-2);
      expect(envelope.msg).toContain('1.5 s');
    }
  });

  it('says what is wrong with an invalid envelope, after a good end only', () => {
    const reading: EnvelopeReading = {
      kind: 'invalid',
      why: { en: 'code is not a whole number', zh: 'code 不是整数' },
    };
    expect(synthesize(ended({}), { reading })).toMatchObject({
      code: -3,
      msg: expect.stringContaining('whole number'),
    });
    expect(synthesize(ended({ exitCode: 1 }), { reading })).toMatchObject({ code: -1 });
  });

  it('says what is missing when a script could not be started', () => {
    const unavailable = { en: 'No ruby was found', zh: '没有找到 ruby' };
    const end = endWithoutProcess('r', 'spawn-failed');
    expect(synthesize(end, { unavailable })).toEqual({ code: -1, msg: 'No ruby was found' });
    expect(synthesize(end, { unavailable, language: 'zh' })).toEqual({ code: -1, msg: '没有找到 ruby' });
  });

  it('carries the last lines of stderr', () => {
    const envelope = synthesize(ended({ exitCode: 1 }), { lastErrorLines: 'Traceback\nValueError: x' });
    expect(envelope.msg).toMatch(/exit code 1\nTraceback\nValueError: x$/);
  });

  it('speaks Chinese too', () => {
    expect(synthesize(ended({ exitCode: 2 }), { language: 'zh' }).msg).toMatch(/退出码 2/);
  });
});
