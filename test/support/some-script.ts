import { type Script, undeclared } from '../../src/scripts/script.ts';

/** The description of a script without files, for tests that run none. */
export const someScript = (rest: Partial<Script> = {}): Script => ({
  ...undeclared,
  id: '2f0c5c5e-8f43-4b0e-9d0e-3f2d6a1f7c11',
  name: 'some script',
  folder: '/scripts/some',
  manifestPath: '/scripts/some/script.toml',
  runtime: {
    language: 'python',
    languageVersion: null,
    entry: 'main.py',
    terminal: 'always',
    timeoutMs: null,
    concurrency: null,
    lock: null,
    retries: null,
    survivors: 'keep',
    notifyOn: 'never',
    env: {},
    binaries: [],
    requireModels: false,
    preload: [],
    mayStartWarm: true,
  },
  ...rest,
});
