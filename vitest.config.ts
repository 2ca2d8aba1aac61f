import { availableParallelism } from 'node:os';

import { defineConfig } from 'vitest/config';

import { chosenPart, filesOf, type Project } from './test/projects.ts';

const part = chosenPart();
const workers = Math.max(2, availableParallelism() - 1);

/** The projects run one after the other. */
const projects: { name: Project; isolate: boolean; maxWorkers: number }[] = [
  // A new process for each of several hundred small files would take longer than their tests.
  { name: 'unit', isolate: false, maxWorkers: workers },
  // These tests wait for other processes most of the time: fewer workers would leave a small machine idle.
  { name: 'service', isolate: true, maxWorkers: 2 * workers },
  { name: 'system', isolate: true, maxWorkers: workers },
];

export default defineConfig({
  test: {
    projects: projects
      .map((project, order) => ({ ...project, order, include: filesOf(project.name, part) }))
      .filter(({ include }) => include.length > 0)
      .map(({ name, isolate, maxWorkers, order, include }) => ({
        extends: true,
        test: { name, include, isolate, maxWorkers, sequence: { groupOrder: order } },
      })),
    reporters: ['default', './test/support/closing-line.ts'],
    // Real processes on a small machine: a test that waits for one must not fail because another is busy.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    expect: { poll: { timeout: 60_000 } },
    // Texts are compared in English, also where the machine speaks another language; a test may choose otherwise by LANG alone.
    env: { LANG: 'C.UTF-8', LC_MESSAGES: '', LC_ALL: '' },
    pool: 'forks',
    coverage: {
      provider: 'v8',
      include: ['src/**/*.ts'],
      exclude: ['src/**/*.test.ts'],
      reporter: ['text-summary'],
    },
  },
});
