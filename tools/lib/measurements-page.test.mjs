import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { benchmarkTitles, claimsTable, measurementsPage, reliabilityTitles } from './measurements-page.mjs';
import { root } from './prepare.mjs';
import { alignedText, tableText } from './tables.mjs';

const performance = {
  when: '2026-01-02',
  machine: { cpu: 'Some CPU', cores: 2, memory_gib: 24, kernel: 'linux 6.1', node: 'v20.20.2' },
  tables: [{ title: 'Calls', columns: ['script', 'Hob', 'webhook'], rows: [['sh', 1.5, null]] }],
  claims: [
    { what: 'quick', bound: { atMost: 2 }, measured: 1.5, isMet: true },
    { what: 'many', bound: { atLeast: 3 }, measured: 2.99, isMet: false },
    { what: 'small', bound: { atMost: 4 }, measured: null, isMet: null },
  ],
  scene: {
    command: 'npm run bench -- performance',
    python: '3.11.7',
    sh: '/usr/bin/sh',
    webhook: '2.8.0',
    load_before: 0.1,
    client_cpu_ms: 0.05,
  },
};

/** The part of the page that compares Hob with another service. */
function performancePage(data) {
  const page = measurementsPage({ performance: data, benchmarks: {}, reliability: {} });
  return page.slice(0, page.indexOf('## Large amounts'));
}

describe('the comparison on the page of measurements', () => {
  it('shows date, machine, versions and command of the measurement', () => {
    const page = performancePage({ performance });
    for (const fact of ['2026-01-02', 'Some CPU, 2 cores', '24 GiB', 'linux 6.1', 'Node v20.20.2'])
      expect(page).toContain(fact);
    for (const fact of ['Python 3.11.7', 'webhook 2.8.0', 'npm run bench -- performance'])
      expect(page).toContain(fact);
  });

  it('shows missed limits like met ones', () => {
    const page = performancePage({ performance });
    expect(page).toContain('| quick | at most 2 | 1.5 | met |');
    expect(page).toContain('| many | at least 3 | 2.99 | **not met** |');
    expect(page).toContain('| small | at most 4 |  | not measured |');
  });

  it('says that webhook was not available', () => {
    const without = { ...performance, scene: { ...performance.scene, webhook: null } };
    expect(performancePage({ performance: without })).toContain('webhook was not available');
  });

  it('shows the processor time of other machines if it is known', () => {
    const scene = { ...performance.scene, stolen_percent: 7.5 };
    expect(performancePage({ performance: { ...performance, scene } })).toContain(
      'Other machines on the same host took 7.5 % of the processor time.',
    );
    expect(performancePage({ performance })).not.toContain('Other machines');
  });

  it('shows how many turns were repeated and discarded', () => {
    const scene = { ...performance.scene, turns: 105, turns_again: 3, turns_left_out: 1 };
    expect(performancePage({ performance: { ...performance, scene } })).toContain(
      '105 turns: 3 repeated, 1 discarded.',
    );
    expect(performancePage({ performance })).not.toContain('turns: ');
  });

  it('says that nothing was measured yet', () => {
    expect(performancePage({})).toContain('Not measured yet.');
  });
});

describe('the other results on the page of measurements', () => {
  const { when, machine } = performance;

  it('have the tables, the limits and the size of the history of a benchmark', () => {
    const history = {
      when,
      machine,
      runs: 1_000_000,
      tables: performance.tables,
      claims: performance.claims,
    };
    const page = measurementsPage({ performance: {}, benchmarks: { history }, reliability: {} });
    expect(page).toContain('The long history had 1,000,000 runs.');
    expect(page).toContain('| sh | 1.5 |  |');
    expect(page).toContain('| many | at least 3 | 2.99 | **not met** |');
  });

  it('have the figures and the limits of a reliability scenario', () => {
    const figures = [
      { what: 'lost', value: 0, unit: '', bound: { exactly: 0 } },
      { what: 'memory', value: 12.5, unit: 'MiB', bound: { atMost: 20 } },
      { what: 'kills', value: 3, unit: '' },
    ];
    const flood = { when, machine, share: 0.1, figures };
    const page = measurementsPage({ performance: {}, benchmarks: {}, reliability: { flood } });
    expect(page).toContain('10 % of the long version.');
    expect(page).toContain('| lost | 0 | 0 |');
    expect(page).toContain('| memory | 12.5 MiB | at most 20 MiB |');
    expect(page).toContain('| kills | 3 |  |');
  });

  it('have a section in docs/method.md', () => {
    const method = readFileSync(join(root, 'docs', 'method.md'), 'utf8');
    for (const title of [...Object.values(benchmarkTitles), ...Object.values(reliabilityTitles)])
      expect(method).toContain(`### ${title}\n`);
  });
});

describe('a table', () => {
  it('has an empty cell for an unknown value', () => {
    expect(tableText(performance.tables[0])).toEqual([
      '| script | Hob | webhook |',
      '| --- | --- | --- |',
      '| sh | 1.5 |  |',
    ]);
  });

  it('is aligned for a terminal, numbers to the right', () => {
    const rows = [
      ['sh', 1.5],
      ['python', 10],
    ];
    expect(alignedText({ columns: ['script', 'ms'], rows })).toEqual([
      'script   ms',
      'sh      1.5',
      'python   10',
    ]);
    expect(alignedText(claimsTable(performance.claims))[1]).toBe('quick   at most 2        1.5  met');
  });
});
