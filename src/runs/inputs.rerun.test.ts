import { describe, expect, it } from 'vitest';

import { someScript } from '../../test/support/some-script.ts';
import type { MainInput, Param, Script } from '../scripts/script.ts';
import { AppError } from '../shared/errors.ts';
import type { Json, JsonObject } from '../shared/json.ts';
import { maskSecrets, readData, readParams, rerunInputs } from './inputs.ts';

const input = (name: string, rest: Partial<MainInput> = {}): MainInput => ({
  name,
  label: name,
  type: 'list',
  pick: null,
  exts: [],
  description: null,
  ...rest,
});

const param = (name: string, rest: Partial<Param> = {}): Param => ({
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
});

const script = (rest: Partial<Script> = {}) =>
  someScript({ name: '缩放图片', input: input('images'), ...rest });

/** The record of a run with these inputs. */
const recorded = (ran: Script, data?: Json, params?: JsonObject) => ({
  runId: 'run',
  data: readData(ran, data),
  params: maskSecrets(ran, readParams(ran, params)),
});

const nothing = { data: undefined, params: undefined };

function refusalOf(rerun: () => unknown): AppError {
  try {
    rerun();
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
  throw new Error('the rerun was not refused');
}

describe('a run is repeated with', () => {
  it.each<[string, Script, Json | undefined]>([
    ['an object', script(), { images: ['/a', '/图片'] }],
    ['a single text', script(), { images: '/a' }],
    ['a list', script(), ['/a', '/b']],
    ['nothing', script(), undefined],
    ['an empty object', script(), {}],
    ['a text input', script({ input: input('text', { type: 'str' }) }), ['hello']],
    ['an object without a declared input', script({ input: null }), { any: [1, { thing: null }] }],
    ['a list without a declared input', script({ input: null }), ['a', 1, null]],
    ['nothing without a declared input', script({ input: null }), undefined],
    ['an input named like something else', script({ input: input('输入') }), { 输入: ['x'] }],
  ])('its recorded data: %s', (_name, ran, data) => {
    const record = recorded(ran, data);
    expect(rerunInputs(record, ran, nothing).data).toEqual(record.data);
  });

  it('its recorded params, overridden by the sent ones', () => {
    const ran = script({ params: [param('quality', { type: 'int', default: 85 }), param('mode')] });
    const record = recorded(ran, [], { quality: 70, extra: { deep: [1] } });
    expect(rerunInputs(record, ran, nothing).params).toEqual({ quality: 70, extra: { deep: [1] } });
    const sent = { data: ['/b'], params: { mode: 'fast', quality: 10 } };
    expect(rerunInputs(record, ran, sent)).toEqual({
      data: { images: ['/b'] },
      params: { quality: 10, mode: 'fast', extra: { deep: [1] } },
    });
  });

  it('inputs that match the current manifest: new defaults, new types', () => {
    const record = recorded(script({ params: [param('a', { default: 'old' })] }));
    const now = script({ params: [param('a', { default: 'new' }), param('b', { default: 'more' })] });
    expect(rerunInputs(record, now, nothing).params).toEqual({ a: 'old', b: 'more' });
    const stricter = script({ params: [param('a', { type: 'int' })] });
    expect(refusalOf(() => rerunInputs(record, stricter, nothing)).code).toBe('params-invalid');
  });

  it('a renamed input only if its values are sent', () => {
    const record = recorded(script(), ['/a']);
    const now = script({ input: input('pictures') });
    const refused = refusalOf(() => rerunInputs(record, now, nothing));
    expect(refused.code).toBe('data-invalid');
    expect(refused.text.en).toContain('"images"');
    expect(refused.text.zh).toContain('"pictures"');
    expect(refused.hint?.en).toContain('{"data":{"pictures":["…"]}}');
    expect(rerunInputs(record, now, { ...nothing, data: ['/b'] }).data).toEqual({ pictures: ['/b'] });
    expect(rerunInputs(record, script({ input: null }), nothing).data).toEqual({ images: ['/a'] });
  });
});

describe('secrets', () => {
  const token = param('token', { secret: true });
  const secretive = script({ params: [token, param('口令', { secret: true }), param('plain')] });

  it('must be sent again, all of them, and the refusal shows how', () => {
    const record = recorded(secretive, [], { token: 'a', 口令: 'b', plain: 'c' });
    const refused = refusalOf(() => rerunInputs(record, secretive, nothing));
    expect(refused.code).toBe('secrets-needed');
    for (const text of Object.values(refused.text)) {
      expect(text).toContain('token');
      expect(text).toContain('口令');
      expect(text).not.toContain('plain');
    }
    expect(refused.hint?.zh).toContain('{"params":{"token":"…","口令":"…"}}');
    expect(refused.fields).toEqual(['params.token', 'params.口令']);
    const one = refusalOf(() => rerunInputs(record, secretive, { ...nothing, params: { token: 'x' } }));
    expect(one.text.en).not.toContain('token');
    const both = { ...nothing, params: { token: 'x', 口令: 'y' } };
    expect(rerunInputs(record, secretive, both).params).toEqual({ token: 'x', 口令: 'y', plain: 'c' });
  });

  it('that the run did not have are not required', () => {
    const record = recorded(secretive, [], { plain: 'c' });
    expect(rerunInputs(record, secretive, nothing).params).toEqual({ plain: 'c' });
  });

  it('are not replaced by a default, unless the run used the default', () => {
    const ran = script({ params: [{ ...token, default: 'standard' }] });
    const record = recorded(ran, [], { token: 'special' });
    expect(refusalOf(() => rerunInputs(record, ran, nothing)).code).toBe('secrets-needed');
    expect(rerunInputs(recorded(ran), ran, nothing).params).toEqual({ token: 'standard' });
  });

  it('are required if they are secret now, or were secret at the time of the run', () => {
    const before = script({ params: [param('token')] });
    const record = recorded(before, [], { token: 'was not one' });
    expect(refusalOf(() => rerunInputs(record, secretive, nothing)).code).toBe('secrets-needed');
    const masked = recorded(secretive, [], { token: 'was one' });
    for (const now of [before, script()]) {
      expect(refusalOf(() => rerunInputs(masked, now, nothing)).code).toBe('secrets-needed');
    }
  });

  it('are never their mask, even if the mask is sent', () => {
    const record = recorded(secretive, [], { token: 'a', plain: 'c' });
    for (const params of [{ token: '***' }, { token: 'x', plain: '***' }, { token: 'x', other: '***' }]) {
      expect(refusalOf(() => rerunInputs(record, secretive, { ...nothing, params })).code).toBe(
        'secrets-needed',
      );
    }
  });

  it('are refused as usual if params is not an object', () => {
    const record = recorded(secretive, [], { token: 'a' });
    const refused = refusalOf(() => rerunInputs(record, secretive, { ...nothing, params: ['x'] }));
    expect(refused.code).toBe('params-invalid');
  });
});
