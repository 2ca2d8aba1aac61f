import { expect, it } from 'vitest';

import { describeArgs, describeClient } from './describe-args.ts';

it('shows the arguments as JSON', () => {
  expect(describeArgs({ path: '/tmp/图', days: 3 })).toBe('{\n  "path": "/tmp/图",\n  "days": 3\n}');
});

it('cuts each long value, so that the others stay in sight', () => {
  const text = describeArgs({ note: 'x'.repeat(100_000), path: '/important' });
  expect(text).toContain('… (100000)');
  expect(text).toContain('"path": "/important"');
  expect(describeArgs({ list: Array.from({ length: 10_000 }, () => 'value') })).toHaveLength(4000);
});

it('shows characters that hide or reorder text as their codes', () => {
  const text = describeArgs({ 'a\u202eb': '\u200bhidden\u2028\u0000' });
  expect(text).toBe('{\n  "a\\u{202e}b": "\\u{200b}hidden\\u{2028}\\u0000"\n}');
});

it('shows the name of a program in one short line', () => {
  expect(describeClient('  claude-code\n\u202e(Hob) ')).toBe('claude-code (Hob)');
  expect(describeClient('n'.repeat(100))).toBe(`${'n'.repeat(59)}…`);
});
