import { describe, expect, it } from 'vitest';

import { parseExposition } from '../support/exposition.ts';

const head = '# HELP hob_a_total What.\n# TYPE hob_a_total counter\n';
const histogram = (...lines: string[]) => `# HELP hob_h What.\n# TYPE hob_h histogram\n${lines.join('\n')}\n`;

describe('the metrics parser', () => {
  it('reads valid metrics', () => {
    const text = parseExposition(`${head}hob_a_total{name="\\"a\\\\\\n"} 2\n`);
    expect(text.value('hob_a_total', { name: '"a\\\n' })).toBe(2);
  });

  it.each([
    ['a line without a line end', `${head}hob_a_total 1`],
    ['no help', '# TYPE hob_a_total counter\nhob_a_total 1\n'],
    ['no type', '# HELP hob_a_total What.\nhob_a_total 1\n'],
    ['a duplicate family', `${head}hob_a_total 1\n${head}`],
    ['a sample of another family', `${head}hob_b_total 1\n`],
    ['a duplicate series', `${head}hob_a_total{a="1",b="2"} 1\nhob_a_total{b="2",a="1"} 1\n`],
    ['a quote that is not escaped', `${head}hob_a_total{a="x"y"} 1\n`],
    ['an unknown escape', `${head}hob_a_total{a="\\t"} 1\n`],
    ['a line break in a label', `${head}hob_a_total{a="x\ny"} 1\n`],
    ['a counter below zero', `${head}hob_a_total -1\n`],
    ['a gauge that is named like a counter', '# HELP hob_a_total What.\n# TYPE hob_a_total gauge\n'],
    ['a value that is not a number', `${head}hob_a_total one\n`],
    ['no +Inf bucket', histogram('hob_h_bucket{le="1"} 1', 'hob_h_sum 1', 'hob_h_count 1')],
    ['a count that differs', histogram('hob_h_bucket{le="+Inf"} 1', 'hob_h_sum 1', 'hob_h_count 2')],
    [
      'buckets that do not add up',
      histogram('hob_h_bucket{le="1"} 2', 'hob_h_bucket{le="+Inf"} 1', 'hob_h_sum 1', 'hob_h_count 1'),
    ],
    ['no sum', histogram('hob_h_bucket{le="+Inf"} 1', 'hob_h_count 1')],
  ])('refuses %s', (_what, text) => {
    expect(() => parseExposition(text)).toThrow('invalid metrics text');
  });

  it('detects a counter that has decreased', () => {
    const [one, two] = [1, 2].map((count) => parseExposition(`${head}hob_a_total ${count}\n`));
    expect(() => one && two?.assertGrownFrom(one)).not.toThrow();
    expect(() => two && one?.assertGrownFrom(two)).toThrow('went from 2 to 1');
  });
});
