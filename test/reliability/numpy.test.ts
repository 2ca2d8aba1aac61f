import { spawnSync } from 'node:child_process';

import { compareForeignSuite, systemPython } from '../equivalence/foreign-suite.ts';

/** The first three are quick, and run with the other tests. */
const names = [
  'fft.tests.test_helper',
  'core.tests.test_abc',
  'random.tests.test_seed_sequence',
  'linalg.tests.test_linalg',
  'fft.tests.test_pocketfft',
  'random.tests.test_random',
  'random.tests.test_generator_mt19937',
  'random.tests.test_direct',
  'core.tests.test_numeric',
  'core.tests.test_ufunc',
  'core.tests.test_umath',
  'core.tests.test_dtype',
  'core.tests.test_datetime',
  'core.tests.test_errstate',
  'core.tests.test_mem_overlap',
  'core.tests.test_memmap',
  'core.tests.test_mem_policy',
  'core.tests.test_nditer',
  'core.tests.test_regression',
  'core.tests.test_print',
  'lib.tests.test_function_base',
  'lib.tests.test_io',
  'lib.tests.test_format',
  'ma.tests.test_core',
  'polynomial.tests.test_polynomial',
];

const hasTests = spawnSync(systemPython, ['-c', 'import hypothesis, numpy, pytest']).status === 0;

compareForeignSuite({
  scenario: 'numpy',
  title: "a module of numpy's tests",
  runner: 'numpy-tests.py',
  modules: hasTests ? names.map((name) => ({ name, parts: [] })) : [],
  prefix: 'numpy.',
  runtime: 'preload = ["numpy"]',
});
