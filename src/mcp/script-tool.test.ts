import { describe, expect, it } from 'vitest';

import { someScript } from '../../test/support/some-script.ts';
import type { Param, Script } from '../scripts/script.ts';
import type { AgentScript } from './offers.ts';
import { readArguments, scriptTool } from './script-tool.ts';

const param = (fields: Partial<Param> & { name: string }): Param => ({
  label: fields.name,
  type: 'str',
  isTypeDeclared: true,
  default: undefined,
  required: false,
  choices: [],
  choiceLabels: {},
  secret: false,
  when: null,
  description: null,
  ...fields,
});

const asked = (fields: Partial<Script>, isAsked = false): AgentScript => {
  const script = someScript(fields);
  const choice = { scriptId: script.id, isOffered: null, isAsked: null };
  return { script, toolName: 'tool', isPackaged: false, isOffered: true, isAsked, choice };
};

const images = {
  name: 'images',
  label: 'Images',
  type: 'list',
  pick: 'files',
  exts: ['.png', '.jpg'],
  description: null,
} as const;

describe('the tool of a script', () => {
  it('describes the main input and the params with their types, choices and defaults', () => {
    const { inputSchema } = scriptTool(
      asked({
        input: images,
        params: [
          param({ name: 'quality', type: 'int', default: 85, description: 'How good' }),
          param({ name: 'mode', choices: ['a', 'b'], choiceLabels: { a: 'Fast' }, required: true }),
          param({ name: 'level', type: 'float', required: true, when: { field: 'mode', eq: 'a' } }),
          param({ name: 'free', type: 'any', isTypeDeclared: false }),
          param({ name: 'guessed', type: 'int', isTypeDeclared: false, default: 1 }),
        ],
      }),
    );
    expect(inputSchema).toEqual({
      type: 'object',
      properties: {
        images: {
          type: 'array',
          items: { type: 'string' },
          description: 'Images. Absolute paths of files (.png, .jpg).',
        },
        quality: { type: 'integer', default: 85, description: 'How good' },
        mode: { type: 'string', enum: ['a', 'b'], description: 'a: Fast.' },
        level: { type: 'number', description: 'Used only if mode is "a".' },
        free: {},
        guessed: { type: 'number', default: 1 },
      },
      required: ['mode'],
      additionalProperties: false,
    });
  });

  it.each([
    ['int', { type: 'integer', enum: [1, 2] }],
    ['float', { type: 'number', enum: [1, 2] }],
    ['list', { type: 'array', items: { enum: ['1', '2'] } }],
    ['bool', { type: 'boolean' }],
    ['str', { type: 'string', enum: ['1', '2'] }],
  ] as const)('offers the choices of a param of the type %s as values of that type', (type, expected) => {
    const { inputSchema } = scriptTool(asked({ params: [param({ name: 'x', type, choices: ['1', '2'] })] }));
    expect(inputSchema.properties).toEqual({ x: expected });
  });

  it('leaves out choices and defaults that no call could send', () => {
    const { inputSchema } = scriptTool(
      asked({
        params: [
          param({ name: 'size', type: 'int', choices: ['1', 'large'], default: '' }),
          param({ name: 'half', type: 'int', choices: ['1', '1.5'], default: 1 }),
          param({ name: 'mode', choices: ['a'], default: '' }),
        ],
      }),
    );
    expect(inputSchema.properties).toEqual({
      size: { type: 'integer' },
      half: { type: 'integer', default: 1 },
      mode: { type: 'string', enum: ['a'] },
    });
  });

  it('gives each param an argument of its own', () => {
    const tool = asked({
      input: images,
      params: [param({ name: 'images' }), param({ name: 'images_param' })],
    });
    expect(Object.keys(Object(scriptTool(tool).inputSchema.properties))).toEqual([
      'images',
      'images_param_param',
      'images_param',
    ]);
    expect(readArguments(tool, { images: ['/a'], images_param: 'b', images_param_param: 'c' })).toEqual({
      data: { images: ['/a'] },
      params: { images: 'c', images_param: 'b' },
    });
  });

  it('promises no types of the result, except those that Hob checks', () => {
    const outputs = [
      { name: 'paths', type: 'list', description: 'What was written' },
      { name: 'words', type: 'int', description: null },
    ];
    expect(scriptTool(asked({ outputs })).outputSchema).toEqual({
      type: 'object',
      description:
        'paths (usually list): What was written. words (usually int). stdout: what the script printed, if it wrote no result. run_id: pass it to hob_wait if the run continues.',
      properties: { code: { type: 'integer' }, msg: { type: 'string' } },
      required: ['msg'],
      additionalProperties: true,
    });
  });

  it('has no argument for a secret param', () => {
    const tool = asked({ params: [param({ name: 'key', secret: true, required: true })] });
    expect(scriptTool(tool).inputSchema).toEqual({
      type: 'object',
      properties: {},
      additionalProperties: false,
    });
    expect(() => readArguments(tool, { key: 'x' })).toThrow('has no argument "key"');
  });

  it('says which secret a call lacks', () => {
    const key = { name: 'key', secret: true, required: true };
    const needs = asked({ params: [param(key)] });
    expect(() => readArguments(needs, {})).toThrow('needs the secret "key", which an agent cannot send');
    const depends = asked({
      params: [param({ name: 'mode', default: 'a' }), param({ ...key, when: { field: 'mode', eq: 'a' } })],
    });
    expect(() => readArguments(depends, {})).toThrow('needs the secret "key"');
    expect(readArguments(depends, { mode: 'b' }).params).toEqual({ mode: 'b' });
    expect(readArguments(asked({ params: [param({ ...key, default: 'x' })] }), {}).params).toEqual({
      key: 'x',
    });
  });

  it('reads the arguments as data and params', () => {
    const tool = asked({
      input: images,
      params: [param({ name: 'quality', type: 'int', default: 85 }), param({ name: 'images' })],
    });
    expect(readArguments(tool, { images: ['/a b/中文.png'], images_param: 'x', quality: null })).toEqual({
      data: { images: ['/a b/中文.png'] },
      params: { quality: 85, images: 'x' },
    });
    expect(readArguments(tool, { images: '/one' }).data).toEqual({ images: ['/one'] });
    expect(readArguments(tool, {}).data).toEqual({ images: [] });
  });

  it.each([
    [{ qualty: 1 }, 'has no argument "qualty". It has these: images, quality'],
    [{ quality: 'high' }, 'params.quality must be'],
    [{ images: [1] }, 'data.images must be an array of strings'],
    [{ constructor: 1 }, 'has no argument "constructor"'],
  ])('refuses %j', (args, message) => {
    const tool = asked({ input: images, params: [param({ name: 'quality', type: 'int' })] });
    expect(() => readArguments(tool, args)).toThrow(message);
  });

  it('says that the user is asked', () => {
    expect(scriptTool(asked({ description: 'Deletes.' }, true)).description).toBe(
      'Deletes.\n\nThe user is asked before it runs.',
    );
  });

  it('shortens a long description between two characters', () => {
    const { description } = scriptTool(asked({ description: '😀'.repeat(3000) }));
    expect(description.length).toBeLessThanOrEqual(2000);
    expect(description).toMatch(/^(?:😀)+…$/u);
  });
});
