import { describe, expect, it } from 'vitest';

import type { Param } from '../../api/wire.ts';
import { draftOf } from './draft.ts';
import { type FormValues, inputField, makeCall, refusedField, valuesOfRun } from './make-call.ts';

const id = '60000000-8f43-4b0e-9d0e-3f2d6a1f7c11';

function param(name: string, type: string, rest: Partial<Param> = {}): Param {
  return {
    name,
    label: name,
    type,
    required: false,
    choices: [],
    choice_labels: {},
    secret: false,
    when: null,
    description: null,
    ...rest,
  };
}

const images = {
  name: 'images',
  label: 'Images',
  type: 'list' as const,
  pick: 'files' as string | null,
  exts: [],
  description: null,
};

function send(params: Param[], drafts: FormValues['drafts'] = {}) {
  const made = makeCall({ id, input: null, params }, { input: '', drafts });
  return 'call' in made ? (made.call.params ?? {}) : Object.fromEntries(made.fieldErrors);
}

describe('makeCall', () => {
  it.each<[Param, string | boolean, unknown]>([
    [param('p', 'str'), ' a ', ' a '],
    [param('p', 'int'), ' -5 ', -5],
    [param('p', 'float'), '1e3', 1000],
    [param('p', 'bool'), true, true],
    [param('p', 'list'), 'a b\n\n c\n', ['a b', 'c']],
    [param('p', 'list'), '[1, {"a": null}]', [1, { a: null }]],
    [param('p', 'list'), 'a\n[b]', ['a', '[b]']],
    [param('p', 'dict'), '{"键": [1]}', { 键: [1] }],
    [param('p', 'any'), '5', 5],
    [param('p', 'any'), 'five', 'five'],
    [param('p', 'str', { default: 'x' }), '', ''],
    [param('p', 'list', { default: ['x'] }), '', []],
  ])('converts a draft to the type of its parameter: %j %j', (one, draft, value) => {
    expect(send([one], { p: draft })).toEqual({ p: value });
  });

  it('leaves out empty fields', () => {
    const params = ['str', 'int', 'float', 'list', 'dict', 'any'].map((type) => param(type, type));
    expect(send(params)).toEqual({});
    expect(send([param('n', 'int', { default: 3 })], { n: '' })).toEqual({});
  });

  it('sends the shown defaults', () => {
    const defaults: [string, unknown][] = [
      ['str', 'x'],
      ['int', 85],
      ['bool', true],
      ['list', ['a', 1]],
      ['dict', { a: 1 }],
      ['any', '5'],
    ];
    const params = defaults.map(([type, value]) => param(type, type, { default: value }));
    expect(send(params)).toEqual(Object.fromEntries(defaults));
  });

  it.each<[Param, string, string]>([
    [param('p', 'int'), '1.5', 'Enter a whole number, such as 85'],
    [param('p', 'int'), '9007199254740993', 'This number is too large'],
    [param('p', 'float'), 'Infinity', 'Enter a number, such as 0.5'],
    [param('p', 'dict'), '{"a": 1,\n}', 'Invalid JSON: see line 2, column 1'],
    [param('p', 'dict'), '[1]', 'Enter a JSON object, such as {"a": 1}'],
    [param('p', 'dict'), '{', 'Invalid JSON: the text ends too early'],
    [param('p', 'list'), '[1,2', 'Invalid JSON: the text ends too early'],
    [param('p', 'list'), '[\n  1,\n', 'Invalid JSON: the text ends too early'],
    [
      param('p', 'list'),
      '[a]\n[b]',
      'Invalid JSON: see line 1, column 2. Write an entry that starts with “[” as ["[…"]',
    ],
    [param('p', 'str', { required: true }), '  ', 'This field is required'],
    [param('p', 'str', { choices: ['a', 'b'] }), 'c', 'Must be one of: a, b'],
  ])('rejects an invalid draft: %j %j', (one, draft, en) => {
    expect(send([one], { p: draft })).toMatchObject({ p: { en } });
  });

  it('leaves out parameters whose condition is not met, even required ones', () => {
    const mode = param('mode', 'str', { default: 'lossy', choices: ['lossy', 'lossless'] });
    const quality = param('quality', 'int', { required: true, when: { field: 'mode', eq: 'lossy' } });
    const fine = param('fine', 'bool', { when: { field: 'quality', eq: 100 } });
    const all = [mode, quality, fine];
    expect(send(all, { quality: '100' })).toEqual({ mode: 'lossy', quality: 100, fine: false });
    expect(send(all, { quality: '90' })).toEqual({ mode: 'lossy', quality: 90 });
    expect(send(all, { mode: 'lossless', quality: '100' })).toEqual({ mode: 'lossless' });
    expect(send(all)).toHaveProperty('quality.en', 'This field is required');
  });

  it('reads the main input line by line, and removes quotes around paths', () => {
    const data = (input: typeof images, text: string) => {
      const made = makeCall({ id, input, params: [] }, { input: text, drafts: {} });
      return 'call' in made ? (made.call.data?.images ?? []) : [...made.fieldErrors.keys()];
    };
    expect(data(images, '/a b\n"/c"\n\n\'/d\'')).toEqual(['/a b', '/c', '/d']);
    expect(data(images, '')).toEqual([]);
    expect(data({ ...images, pick: null }, '"x"')).toEqual(['"x"']);
    expect(data(images, '["two\\nlines"]')).toEqual(['two\nlines']);
    expect(data(images, '[1]')).toEqual([inputField]);
    expect(data(images, '["/a"')).toEqual([inputField]);
  });
});

describe('valuesOfRun', () => {
  it('leads to the same call again', () => {
    const values = {
      s: 'a\nb',
      n: -1.5,
      b: false,
      l: [' x', '', 'y\nz'],
      d: { 键: [null] },
      a: '5',
      k: '***',
    };
    const params = [
      param('s', 'str'),
      param('n', 'float'),
      param('b', 'bool', { default: true }),
      param('l', 'list'),
      param('d', 'dict'),
      param('a', 'any'),
      param('k', 'str', { secret: true, label: 'Key' }),
    ];
    const input = { ...images, pick: null };
    const run = { data: { images: ['[x]', 'y'] }, params: { ...values, grown: 1 } };
    const filled = valuesOfRun({ input, params }, run);
    const { k, ...rest } = values;
    expect(makeCall({ id, input, params }, filled.values)).toEqual({
      call: { script_id: id, data: run.data, params: rest },
    });
    expect({ secrets: filled.secrets, leftOut: filled.leftOut }).toEqual({
      secrets: ['Key'],
      leftOut: ['grown'],
    });
    expect(k).toBe('***');
  });

  it('shows a list with one entry per line if possible', () => {
    expect(draftOf({ type: 'list' }, ['a', 'b c'])).toBe('a\nb c');
    expect(draftOf({ type: 'list' }, ['[a]'])).toBe('["[a]"]');
  });
});

describe('refusedField', () => {
  const params = ['size', 'size_max', '质量'].map((name) => param(name, 'int'));

  it.each([
    ['params.size must be int, not "x"', 'size'],
    ['params.size_max must be int, not "x"', 'size_max'],
    ['params.质量 应为 int，而不是 "x"', '质量'],
    ['缺少必填参数 params.size_max（int）', 'size_max'],
    ['data.images must be a list of texts', inputField],
    ['The queue is full', null],
  ])('%s is about the field %j', (message, field) => {
    expect(refusedField(message, { input: images, params })).toBe(field);
  });
});
