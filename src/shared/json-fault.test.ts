import { describe, expect, it } from 'vitest';

import { whereNotJson } from './json-fault.ts';

function faultOf(text: string): string {
  try {
    JSON.parse(text);
  } catch (error) {
    return whereNotJson(error);
  }
  throw new Error('it is JSON');
}

describe('where a text stopped being JSON', () => {
  it('is told where the parser knows it', () => {
    expect(faultOf('{"a": 1 "b"')).toMatch(/^: .* at position 8/);
    expect(faultOf('{"a": "\n"}')).toMatch(/^: .* at position 7/);
  });

  it('is the end of a text that was cut', () => {
    expect(faultOf('{"a":')).toBe(': Unexpected end of JSON input');
  });

  it.each([
    'hunter2',
    '{"token": hunter2}',
    '{"token": "x"} hunter2',
    "{'token': 'hunter2'}",
    '{"token": "hunter2',
    '{"token": "\\hunter2"}',
    'hunter2 in JSON at position 7',
    'Unexpected end of JSON input hunter2',
  ])('never quotes the text: %s', (text) => {
    expect(() => JSON.parse(text)).toThrow();
    expect(faultOf(text)).not.toContain('hunter');
  });

  it('is not known for anything else', () => {
    expect(whereNotJson(new Error('something at position 3'))).toBe('');
  });
});
