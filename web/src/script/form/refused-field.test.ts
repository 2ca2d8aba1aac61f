import { expect, it } from 'vitest';

import type { Param, Script } from '../../api/wire.ts';
import { inputField } from './make-call.ts';
import { refusedField } from './refused-field.ts';

const params = ['size', 'size_max', '质量'].map(
  (name): Param => ({
    name,
    label: name,
    type: 'int',
    required: false,
    choices: [],
    choice_labels: {},
    secret: false,
    when: null,
    description: null,
  }),
);
const input: Script['input'] = {
  name: 'images',
  label: 'Images',
  type: 'list',
  pick: null,
  exts: [],
  description: null,
};

it.each([
  ['params.size must be int, not "x"', 'size'],
  ['params.size_max must be int, not "x"', 'size_max'],
  ['params.质量 应为 int，而不是 "x"', '质量'],
  ['缺少必填参数 params.size_max（int）', 'size_max'],
  ['data.images must be a list of texts', inputField],
  ['The queue is full', null],
])('%s is about the field %j', (message, field) => {
  expect(refusedField(message, { input, params })).toBe(field);
});
