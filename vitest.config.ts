import { availableParallelism } from 'node:os';

import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'web/src/**/*.test.ts', 'test/**/*.test.ts', '{bench,tools}/**/*.test.mjs'],
    reporters: ['default', './test/support/closing-line.ts'],
    // Real processes on a small machine: a test that waits for one must not fail because another is busy.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    expect: { poll: { timeout: 60_000 } },
    // Texts are compared in English, also where the machine speaks another language; a test may choose otherwise by LANG alone.
    env: { LANG: 'C.UTF-8', LC_MESSAGES: '', LC_ALL: '' },
    pool: 'forks',
    // Most tests wait for other processes most of the time: one at a time would leave a small machine idle.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    coverage: {
      provider: 'v8',
      include: ['src/**/*.ts'],
      exclude: ['src/**/*.test.ts'],
      reporter: ['text-summary'],
    },
  },
});
