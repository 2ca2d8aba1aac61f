import { describe, expect, it } from 'vitest';
import type { Param } from '../contract/types.ts';
import { paramValue } from './param-value.ts';
import { exitCodes, UserError } from './user-error.ts';

function param(type: string, choices: string[] = []): Param {
  return {
    name: 'it',
    label: 'it',
    type,
    required: false,
    choices,
    choice_labels: {},
    secret: false,
    when: null,
    description: null,
  };
}

describe('the value of a param', () => {
  it.each([
    ['int', ['-12'], -12],
    ['float', [' 1e3 '], 1000],
    ['bool', ['YES'], true],
    ['bool', ['off'], false],
    ['bool', ['是'], true],
    ['str', [' 12 '], ' 12 '],
    ['str', [''], ''],
    ['list', ['a, b,,中'], ['a', 'b', '', '中']],
    ['list', ['["a,b", 1]'], ['a,b', 1]],
    ['list', ['a,b', '[c'], ['a,b', '[c']],
    ['list', [''], []],
    ['dict', ['{"a": null}'], { a: null }],
    ['any', ['12'], 12],
    ['any', ['12 monkeys'], '12 monkeys'],
  ])('of type %s: %j becomes %j', (type, texts, value) => {
    expect(paramValue(param(type), texts)).toEqual(value);
  });

  it.each([
    ['int', ['1.5']],
    ['int', ['']],
    ['int', ['1', '2']],
    ['float', ['Infinity']],
    ['float', ['a']],
    ['bool', ['perhaps']],
    ['list', ['[a']],
    ['dict', ['[]']],
    ['dict', ['a=1']],
    ['str', ['medium']],
  ])('of type %s: %j is refused', (type, texts) => {
    const value = () => paramValue(param(type, ['fast', 'slow']), texts);
    expect(value).toThrow(UserError);
    expect(value).toThrow(expect.objectContaining({ exitCode: exitCodes.usage }));
  });
});
