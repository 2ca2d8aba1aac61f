import { expect, it } from 'vitest';

import { describeArgs, describeClient } from './describe-args.ts';

it('shows the arguments as JSON', () => {
  expect(describeArgs({ path: '/tmp/图', days: 3 })).toBe('{\n  "path": "/tmp/图",\n  "days": 3\n}');
});

it('shows no arguments as an empty object', () => {
  expect(describeArgs({})).toBe('{}');
});

it('shows the start and the end of a long text', () => {
  const text = describeArgs({ command: `echo ${'a'.repeat(100_000)} && rm -rf /`, path: '/important' });
  expect(text).toMatch(
    /^\{\n {2}"command": "echo a+ … \(\+99417\) … a+ && rm -rf \/",\n {2}"path": "\/important"\n\}$/,
  );
});

it('shows every argument beside long lists and objects', () => {
  const list = ['first', ...Array.from({ length: 10_000 }, () => 'value'), 'last'];
  const deep = Object.fromEntries(list.map((value, index) => [`${'k'.repeat(1000)}${index}`, value]));
  const text = describeArgs({ list, deep, path: '/important' });
  for (const shown of ['"first"', '"last"', '"deep": {', '"path": "/important"'])
    expect(text).toContain(shown);
  expect(text.match(/… \(\+\d+\) …/g)).toHaveLength(2);
  expect(text.length).toBeLessThan(4200);
});

it('shows the end of a long name, and a part of each of very many arguments', () => {
  const names = Array.from({ length: 200 }, (_, index) => `${'n'.repeat(1000)}${index}`);
  const text = describeArgs(Object.fromEntries(names.map((name) => [name, 'v'.repeat(1000)])));
  for (const index of names.keys()) expect(text).toContain(`n${index}": "v`);
});

it('does not cut a character into halves', () => {
  const gifts = '🎁'.repeat(1000);
  for (const note of [gifts, `x${gifts}`, [...gifts]])
    for (const text of [describeArgs({ note }), describeArgs({ note: [note, 'x'] })]) {
      expect(text).toContain('…');
      expect(text).not.toContain('\\ud');
      expect(Buffer.from(text).toString()).toBe(text);
    }
});

it('shows characters that hide or reorder text as their codes', () => {
  const text = describeArgs({ 'a\u202eb': '\u200bhidden\u2028\u0000' });
  expect(text).toBe('{\n  "a\\u{202e}b": "\\u{200b}hidden\\u{2028}\\u0000"\n}');
});

it('shows the name of a program in one short line', () => {
  expect(describeClient('  claude-code\n\u202e(Hob) ')).toBe('claude-code (Hob)');
  expect(describeClient('n'.repeat(100))).toBe(`${'n'.repeat(59)}…`);
});
