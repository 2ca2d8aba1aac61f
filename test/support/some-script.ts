import type { Script } from '../../src/scripts/script.ts';

/** A script that is described and not there, for tests that run none. */
export const someScript = (rest: Partial<Script> = {}): Script => ({
  id: '2f0c5c5e-8f43-4b0e-9d0e-3f2d6a1f7c11',
  name: 'some script',
  version: null,
  description: null,
  icon: null,
  folder: '/scripts/some',
  manifestPath: '/scripts/some/script.toml',
  rootTable: 'service',
  runtime: {
    language: 'python',
    languageVersion: null,
    entry: 'main.py',
    terminal: 'always',
    timeoutMs: null,
    concurrency: null,
    lock: null,
    survivors: 'keep',
    notifyOn: 'never',
    env: {},
    binaries: [],
    requireModels: false,
  },
  input: null,
  params: [],
  outputs: [],
  isNode: false,
  models: [],
  dependencies: [],
  ...rest,
});
