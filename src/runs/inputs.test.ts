import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { someScript } from '../../test/support/some-script.ts';
import type { MainInput, Param, Script } from '../scripts/script.ts';
import { AppError } from '../shared/errors.ts';
import type { Json } from '../shared/json.ts';
import { maskSecrets, readData, readParams } from './inputs.ts';

const images: MainInput = {
  name: 'images',
  label: 'Images',
  type: 'list',
  pick: null,
  exts: [],
  description: null,
};

function param(name: string, rest: Partial<Param> = {}): Param {
  return {
    name,
    label: name,
    type: 'str',
    isTypeDeclared: true,
    default: undefined,
    required: false,
    choices: [],
    choiceLabels: {},
    secret: false,
    when: null,
    description: null,
    ...rest,
  };
}

const script = (rest: Partial<Script> = {}) => someScript({ input: images, ...rest });

function refusalOf(read: () => unknown): AppError {
  try {
    read();
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
  throw new Error('the read was not refused');
}

describe.each([images, { ...images, type: 'str' as const }])(
  'data for a main input of type $type',
  (input) => {
    const target = script({ input });

    it('is an empty list if none was sent', () => {
      expect(readData(target, undefined)).toEqual({ images: [] });
      expect(readData(target, {})).toEqual({ images: [] });
    });

    it('is a list of strings under the name of the input', () => {
      expect(readData(target, { images: ['/a', '/b'] })).toEqual({ images: ['/a', '/b'] });
      expect(readData(target, { images: [] })).toEqual({ images: [] });
    });

    it('is wrapped in a list if it is a single string', () => {
      expect(readData(target, { images: '/a' })).toEqual({ images: ['/a'] });
      expect(readData(target, { images: '' })).toEqual({ images: [''] });
    });

    it('accepts a bare list', () => {
      expect(readData(target, ['/a'])).toEqual({ images: ['/a'] });
      expect(readData(target, [])).toEqual({ images: [] });
    });

    it.each([
      { images: 5 },
      { images: null },
      { images: [1] },
      { images: ['/a', null] },
      { images: [['/a']] },
      { images: { a: 1 } },
      [[1]],
      [[null]],
      [[['/a']]],
    ] satisfies Json[])('is refused with the name of the input when it is %j', (data) => {
      const error = refusalOf(() => readData(target, data));
      expect(error.code).toBe('data-invalid');
      expect(error.text.en).toContain('data.images');
      expect(error.text.zh).toContain('data.images');
    });

    it.each(['/a', 5, true, null] satisfies Json[])(
      'is refused when it is neither an object nor a list: %j',
      (data) => {
        const error = refusalOf(() => readData(target, data));
        expect(error.code).toBe('data-invalid');
        expect(error.text.en).toContain('data');
      },
    );

    it('is refused if it has another key, with a message that names the expected one', () => {
      for (const data of [
        { files: ['/a'] },
        { images: ['/a'], files: [] },
        { Images: ['/a'] },
      ] satisfies Json[]) {
        const error = refusalOf(() => readData(target, data));
        expect(error.code).toBe('data-invalid');
        expect(error.text.en).toMatch(/"files"|"Images"/);
        expect(error.text.en).toContain('"images"');
        expect(error.text.zh).toContain('"images"');
      }
    });
  },
);

describe('data for a script without an input', () => {
  it('is passed unchanged', () => {
    const target = script({ input: null });
    const sent = { anything: [1, { deep: null }], name: 'x' };
    expect(readData(target, sent)).toEqual(sent);
    expect(readData(target, [1, 'a'])).toEqual([1, 'a']);
    expect(readData(target, undefined)).toEqual({});
  });

  it('is refused when it is neither an object nor a list', () => {
    for (const data of ['x', 5, false] satisfies Json[])
      expect(refusalOf(() => readData(script({ input: null }), data)).code).toBe('data-invalid');
  });
});

describe('params', () => {
  it('are the defaults of the manifest, overridden by the sent values', () => {
    const params = [
      param('quality', { type: 'int', default: 85 }),
      param('mode', { default: 'lossy' }),
      param('tags', { type: 'list', default: ['a'] }),
      param('note'),
    ];
    const target = script({ params });
    expect(readParams(target, undefined)).toEqual({ quality: 85, mode: 'lossy', tags: ['a'] });
    expect(readParams(target, {})).toEqual({ quality: 85, mode: 'lossy', tags: ['a'] });
    expect(readParams(target, { quality: 1, tags: [] })).toEqual({ quality: 1, mode: 'lossy', tags: [] });
  });

  it('include undeclared ones unchanged', () => {
    const target = script({ params: [param('a', { default: 'x' })] });
    expect(readParams(target, { b: { c: [null] }, d: 5 })).toEqual({ a: 'x', b: { c: [null] }, d: 5 });
  });

  it.each(['x', 5, true, [['a']], null] satisfies Json[])(
    'are refused completely when they are %j',
    (sent) => {
      expect(refusalOf(() => readParams(script(), sent)).code).toBe('params-invalid');
    },
  );

  it('are refused when a required one has neither a value nor a default', () => {
    const target = script({
      params: [param('key', { required: true }), param('n', { type: 'int', required: true, default: 1 })],
    });
    const error = refusalOf(() => readParams(target, {}));
    expect(error.code).toBe('params-invalid');
    expect(error.text.en).toContain('params.key');
    expect(error.text.zh).toContain('params.key');
    expect(readParams(target, { key: '' })).toEqual({ key: '', n: 1 });
  });

  const fitting: [Param['type'], Json[], Json[]][] = [
    ['str', ['', 'x', '5'], [5, true, null, ['x'], {}]],
    ['int', [0, -5, 2 ** 53 - 1], [1.5, '5', true, null, [], 2 ** 53, Number.POSITIVE_INFINITY]],
    ['float', [0, -1.5, 1e300], ['1.5', true, null, [], Number.POSITIVE_INFINITY]],
    ['bool', [true, false], ['true', 0, 1, null, []]],
    ['list', [[], [1, 'a', null]], ['a', {}, null, 5]],
    ['dict', [{}, { a: [1] }], [[], 'a', null, 5]],
    ['any', [null, 5, 'x', [], {}, true], []],
  ];

  it.each(fitting)('of type %s must match the type', (type, good, bad) => {
    const target = script({ params: [param('p', { type })] });
    for (const value of good) expect(readParams(target, { p: value })).toEqual({ p: value });
    for (const value of bad) {
      const error = refusalOf(() => readParams(target, { p: value }));
      expect(error.code).toBe('params-invalid');
      expect(error.text.en).toContain('params.p');
      expect(error.text.en).toContain(type);
      expect(error.text.zh).toContain(type);
    }
  });

  it('accept any type if the type was only derived from the default', () => {
    const target = script({ params: [param('size', { type: 'int', isTypeDeclared: false, default: 1 })] });
    expect(readParams(target, { size: 1.5 })).toEqual({ size: 1.5 });
    expect(readParams(target, { size: 'auto' })).toEqual({ size: 'auto' });
  });

  it('with choices must be one of them, and the refusal lists them', () => {
    const target = script({ params: [param('mode', { choices: ['lossy', 'lossless'] })] });
    expect(readParams(target, { mode: 'lossless' })).toEqual({ mode: 'lossless' });
    for (const mode of ['', 'Lossy', 'other']) {
      const error = refusalOf(() => readParams(target, { mode }));
      expect(error.code).toBe('params-invalid');
      expect(error.text.en).toContain('lossy, lossless');
    }
  });

  it('with choices must be one of them even when no type was declared', () => {
    for (const rest of [{ default: 'a' }, { type: 'any' as const }]) {
      const target = script({
        params: [param('p', { ...rest, isTypeDeclared: false, choices: ['a', 'b'] })],
      });
      expect(readParams(target, { p: 'b' })).toEqual({ p: 'b' });
      for (const value of [5, null, true, ['a']] satisfies Json[])
        expect(refusalOf(() => readParams(target, { p: value })).code).toBe('params-invalid');
    }
  });

  it('with choices may be a list of them if the type is a list', () => {
    const target = script({ params: [param('p', { type: 'list', choices: ['a', 'b'] })] });
    expect(readParams(target, { p: ['a', 'b'] })).toEqual({ p: ['a', 'b'] });
  });

  it('are read from own properties, not from the prototype of the object', () => {
    const target = script({ params: [param('toString', { default: 'x' }), param('valueOf')] });
    expect(readParams(target, {})).toEqual({ toString: 'x' });
  });

  it('never repeat a secret in a refusal, and only the beginning of other values', () => {
    const params = [param('token', { type: 'int', secret: true }), param('text', { type: 'int' })];
    const error = refusalOf(() => readParams(script({ params }), { token: 'hunter2' }));
    expect(JSON.stringify(error.text)).not.toContain('hunter2');
    const long = refusalOf(() => readParams(script({ params }), { text: 'x'.repeat(10_000) }));
    expect(long.text.en.length).toBeLessThan(300);
  });

  it('of a run never change the manifest', () => {
    const shared: Json = ['a'];
    const target = script({ params: [param('tags', { type: 'list', default: shared })] });
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (sent) => {
        fc.pre(!Object.hasOwn(sent, 'tags'));
        readParams(target, JSON.parse(JSON.stringify(sent)));
        expect(target.params.map((declared) => declared.default)).toEqual([['a']]);
      }),
    );
  });
});

describe('the stored params', () => {
  const target = script({ params: [param('key', { secret: true }), param('other')] });

  it('have a mask in place of every secret', () => {
    const params = { key: 'hunter2', other: 'x', free: 1 };
    expect(maskSecrets(target, params)).toEqual({ key: '***', other: 'x', free: 1 });
    expect(params.key).toBe('hunter2');
  });

  it('have no mask for a secret that was not sent', () => {
    expect(maskSecrets(target, { other: 'x' })).toEqual({ other: 'x' });
  });

  it('omit a secret that equals the default of the manifest, but not another value', () => {
    const preset = script({ params: [param('key', { secret: true, default: 'hunter2' })] });
    expect(maskSecrets(preset, readParams(preset, {}))).toEqual({});
    expect(maskSecrets(preset, readParams(preset, { key: 'other' }))).toEqual({ key: '***' });
  });

  it('mask secrets that are not strings too', () => {
    expect(maskSecrets(target, { key: { password: 'hunter2' } })).toEqual({ key: '***' });
  });
});
