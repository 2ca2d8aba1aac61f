import { describe, expect, it } from 'vitest';

import { pathOf, readFields, readHeaders } from './api.ts';

const files: Readonly<Record<string, string>> = { 'a.txt': 'text\n', '-': 'piped' };
const read = async (path: string) => files[path] ?? '';
const texts = (...fields: string[]) =>
  readFields(
    fields.map((text) => ({ text, isTyped: false })),
    read,
  );
const values = (...fields: string[]) =>
  readFields(
    fields.map((text) => ({ text, isTyped: true })),
    read,
  );

describe('the fields of a body', () => {
  it('are null if there are none', async () => {
    expect(await texts()).toBeNull();
  });

  it('are texts with -f', async () => {
    expect(await texts('a=1', 'b=true', 'c=', 'd=x=y', 'e=@a.txt')).toEqual({
      a: '1',
      b: 'true',
      c: '',
      d: 'x=y',
      e: '@a.txt',
    });
  });

  it('are JSON values with -F, or else texts', async () => {
    const fields = await values('a=1.5', 'b=true', 'c=null', 'd=word', 'e=["x",{"y":2}]', 'f="1"');
    expect(fields).toEqual({ a: 1.5, b: true, c: null, d: 'word', e: ['x', { y: 2 }], f: '1' });
  });

  it('can be read from a file or stdin with -F', async () => {
    expect(await values('a=@a.txt', 'b=@-', 'c=@@home')).toEqual({ a: 'text\n', b: 'piped', c: '@home' });
  });

  it('can be inside objects and lists', async () => {
    expect(await values('a[b]=1', 'a[c][d]=2', 'e[]=3', 'e[]=4', 'f[][g]=5')).toEqual({
      a: { b: 1, c: { d: 2 } },
      e: [3, 4],
      f: [{ g: 5 }],
    });
  });

  it('can have any name', async () => {
    expect(JSON.stringify(await values('__proto__[a]=1'))).toBe('{"__proto__":{"a":1}}');
  });

  it.each(['a', '=1', 'a[=1', 'a]=1', '[b]=1'])('are refused: %s', async (field) => {
    await expect(texts(field)).rejects.toThrow(/Invalid field/);
  });

  it('are refused if they contradict each other', async () => {
    await expect(values('a=1', 'a[b]=2')).rejects.toThrow('The field a[b] contradicts an earlier field');
    await expect(values('a[]=1', 'a[b]=2')).rejects.toThrow(/contradicts/);
  });
});

it.each([
  ['/api/runs?limit=2', '/api/runs?limit=2'],
  ['runs', '/api/runs'],
  ['api/runs', '/api/runs'],
  ['/metrics', '/metrics'],
  ['/api/scripts/a b', '/api/scripts/a%20b'],
])('the address %s is the path %s', (address, path) => {
  expect(pathOf(address)).toBe(path);
});

it('headers have a name and a value', () => {
  expect(readHeaders(['Accept-Language: zh', 'X-Empty:'])).toEqual({
    'accept-language': 'zh',
    'x-empty': '',
  });
  expect(() => readHeaders(['no colon'])).toThrow(/Invalid header/);
  expect(() => readHeaders(['X-Order: 订单'])).toThrow(/Invalid header/);
});
