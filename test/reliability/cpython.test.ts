import { execFileSync } from 'node:child_process';

import { compareForeignSuite, systemPython } from '../equivalence/foreign-suite.ts';
import { cpythonModules, type TestModule } from '../support/cpython-modules.ts';

compareForeignSuite({
  scenario: 'cpython',
  title: "a module of CPython's tests",
  runner: 'cpython-tests.py',
  modules: modulesHere(),
  prefix: 'test.',
});

/** Other versions of Python have other modules. None: this machine lacks the test suite. */
function modulesHere(): TestModule[] {
  const print = `
import sys
from importlib.util import find_spec
print(*[name for name in sys.argv[1:] if find_spec("test") and find_spec("test." + name)])
`;
  try {
    const here = execFileSync(systemPython, ['-c', print, ...cpythonModules.map(({ name }) => name)], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).split(/\s/);
    return cpythonModules.filter(({ name }) => here.includes(name));
  } catch {
    return [];
  }
}
