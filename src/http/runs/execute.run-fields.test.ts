import { describe, expect, it } from 'vitest';

import { AppError } from '../../shared/errors.ts';
import type { Json, JsonObject } from '../../shared/json.ts';
import type { Body } from '../request.ts';
import { readScriptId, readStructured, readSync, readTempFilePath } from './execute.ts';

const json = (fields: JsonObject): Body => ({ kind: 'json', fields });
const form = (fields: Record<string, string>): Body => ({ kind: 'form', fields });

function refusalOf(read: () => unknown): AppError {
  try {
    read();
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
  throw new Error('the field was not refused');
}

describe('script_id', () => {
  it('is read unchanged', () => {
    expect(readScriptId(json({ script_id: 'ABC-def' }))).toBe('ABC-def');
    expect(readScriptId(form({ script_id: 'x' }))).toBe('x');
  });

  it.each([{}, { script_id: '' }, { script_id: null }] satisfies JsonObject[])(
    'is missing from %j',
    (fields) => {
      const error = refusalOf(() => readScriptId(json(fields)));
      expect(error.code).toBe('script-id-missing');
      expect(error.text).toEqual({ en: '缺少script_id参数', zh: '缺少script_id参数' });
    },
  );

  it.each([5, true, ['x'], { id: 'x' }] satisfies Json[])('is refused when it is %j', (value) => {
    const error = refusalOf(() => readScriptId(json({ script_id: value })));
    expect(error.code).toBe('field-invalid');
    expect(error.text.en).toContain('script_id');
  });
});

describe('sync', () => {
  it('is false unless it is sent', () => {
    expect(readSync(json({}))).toBe(false);
    expect(readSync(form({}))).toBe(false);
  });

  it('must be a boolean in JSON', () => {
    expect(readSync(json({ sync: true }))).toBe(true);
    expect(readSync(json({ sync: false }))).toBe(false);
    for (const value of ['true', 'false', '', 1, 0, [], {}, [true]] satisfies Json[]) {
      const error = refusalOf(() => readSync(json({ sync: value })));
      expect(error.code).toBe('field-invalid');
      expect(error.text.en).toContain('sync');
    }
  });

  it.each(['true', '1', 'yes', 'on', 'TRUE', 'Yes', ' true '])('is true in a form as %j', (text) => {
    expect(readSync(form({ sync: text }))).toBe(true);
  });

  it.each(['false', '0', 'no', 'off', 'False', 'OFF'])('is false in a form as %j', (text) => {
    expect(readSync(form({ sync: text }))).toBe(false);
  });

  it.each(['2', 'maybe', 'truthy', 'null', 'y', '是'])('is refused in a form as %j', (text) => {
    expect(refusalOf(() => readSync(form({ sync: text }))).code).toBe('field-invalid');
  });
});

describe('temp_file', () => {
  it('is absent unless it is sent', () => {
    expect(readTempFilePath(json({}))).toBeNull();
    expect(readTempFilePath(json({ temp_file: '' }))).toBeNull();
    expect(readTempFilePath(json({ temp_file: null }))).toBeNull();
    expect(readTempFilePath(form({ temp_file: '' }))).toBeNull();
  });

  it('is read unchanged', () => {
    expect(readTempFilePath(json({ temp_file: '/tmp/a b' }))).toBe('/tmp/a b');
    expect(readTempFilePath(form({ temp_file: 'relative' }))).toBe('relative');
  });

  it.each([5, false, ['/tmp/a'], {}] satisfies Json[])('is refused when it is %j', (value) => {
    const error = refusalOf(() => readTempFilePath(json({ temp_file: value })));
    expect(error.code).toBe('field-invalid');
    expect(error.text.en).toContain('temp_file');
  });
});

describe.each([
  ['data', 'data-invalid'],
  ['params', 'params-invalid'],
] as const)('%s', (field, code) => {
  it('is absent unless it is sent', () => {
    expect(readStructured(json({}), field)).toBeUndefined();
    expect(readStructured(form({}), field)).toBeUndefined();
    expect(readStructured(form({ [field]: '' }), field)).toBeUndefined();
  });

  it('counts as absent when it is null', () => {
    expect(readStructured(json({ [field]: null }), field)).toBeUndefined();
    expect(readStructured(form({ [field]: 'null' }), field)).toBeUndefined();
  });

  it('is any value in JSON, including a string', () => {
    expect(readStructured(json({ [field]: { a: ['x'] } }), field)).toEqual({ a: ['x'] });
    expect(readStructured(json({ [field]: '{"a":1}' }), field)).toBe('{"a":1}');
  });

  it('is parsed from JSON text in a form', () => {
    expect(readStructured(form({ [field]: '{"a":["x"]}' }), field)).toEqual({ a: ['x'] });
    expect(readStructured(form({ [field]: ' ["x"] ' }), field)).toEqual(['x']);
  });

  it.each(['{', 'a,b', "{'a':1}", 'undefined', '[1,]'])('is refused in a form as %j', (text) => {
    const error = refusalOf(() => readStructured(form({ [field]: text }), field));
    expect(error.code).toBe(code);
    expect(error.text.en).toContain(field);
  });

  it('is refused in a form when it is nested deeper than a JSON body may be', () => {
    const deep = `${'['.repeat(20_000)}${']'.repeat(20_000)}`;
    expect(refusalOf(() => readStructured(form({ [field]: deep }), field)).code).toBe(code);
  });

  it.each(['{"__proto__":{"x":1}}', '{"a":{"constructor":1}}'])(
    'is refused in a form when it has a key that a JSON body may not have: %s',
    (text) => {
      expect(refusalOf(() => readStructured(form({ [field]: text }), field)).code).toBe(code);
    },
  );
});
