import { describe, expect, it } from 'vitest';

import type { JsonObject } from '../../shared/json.ts';
import { fingerprint } from './keyed-runs.ts';

const key = 'order-4711';
const scriptId = '2F0C5C5E-8F43-4B0E-9D0E-3F2D6A1F7C11';
const of = (fields: JsonObject, rest: Partial<Parameters<typeof fingerprint>[0]> = {}) =>
  fingerprint({ key, scriptId, kind: 'json', fields: { script_id: scriptId, ...fields }, ...rest });

describe('the stored form of a key and its request', () => {
  it('is the same for equal bodies, in any order of fields and any case of the id', () => {
    const one = of({ sync: true, params: { a: 1, b: { c: [1, { d: null, e: 'x' }] } } });
    const other = fingerprint({
      key,
      scriptId: scriptId.toLowerCase(),
      kind: 'json',
      fields: {
        params: { b: { c: [1, { e: 'x', d: null }] }, a: 1 },
        script_id: scriptId.toLowerCase(),
        sync: true,
      },
    });
    expect(other).toEqual(one);
    expect(one.scriptId).toBe(scriptId.toLowerCase());
  });

  const bodies: [string, JsonObject][] = [
    ['another value', { params: { a: 2 } }],
    ['another type of value', { params: { a: '1' } }],
    ['another name', { params: { b: 1 } }],
    ['one more field', { params: { a: 1 }, sync: false }],
    ['another order in a list', { params: { a: 1 }, data: ['y', 'x'] }],
    ['a list in place of an object', { params: [1] }],
    ['another nesting', { params: { a: 1, data: ['x', 'y'] } }],
    ['nothing', {}],
  ];
  it('differs for all different bodies', () => {
    const all = [
      of({ params: { a: 1 } }),
      of({ params: { a: 1 }, data: ['x', 'y'] }),
      ...bodies.map(([, fields]) => of(fields)),
      of({ params: { a: 1 } }, { kind: 'form' }),
    ];
    expect(new Set(all.map(({ bodyMac }) => bodyMac)).size).toBe(all.length);
  });

  it('reveals neither the key, nor the body without the key', () => {
    const body = { params: { token: 'hunter2' } };
    const use = of(body);
    expect(JSON.stringify(use)).not.toContain(key);
    expect(of(body, { key: 'order-4712' }).bodyMac).not.toBe(use.bodyMac);
    expect(of(body, { key: 'order-4712' }).keyHash).not.toBe(use.keyHash);
    expect(of({}).keyHash).toBe(use.keyHash);
  });

  it('treats names with a meaning in JavaScript like any other', () => {
    const fields = (name: string): JsonObject => Object.assign(Object.create(null), { [name]: 'x' });
    const macs = ['__proto__', 'constructor', 'toString', '10', '9'].map(
      (name) => of({}, { kind: 'form', fields: fields(name) }).bodyMac,
    );
    expect(new Set(macs).size).toBe(5);
  });
});
