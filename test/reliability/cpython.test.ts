import { spawnSync } from 'node:child_process';

import { compareForeignSuite, systemPython } from '../equivalence/foreign-suite.ts';
import { cpythonModules, type TestModule } from '../support/cpython-modules.ts';

/** Any version of Python has more of these modules. With fewer, this machine lacks the test suite: Python itself brings a few. */
const leastModules = 40;

compareForeignSuite({
  scenario: 'cpython',
  title: "a module of CPython's tests",
  runner: 'cpython-tests.py',
  modules: modulesHere(),
  prefix: 'test.',
});

/** Other versions of Python have other modules. */
function modulesHere(): TestModule[] {
  const print = `
import sys
from importlib.util import find_spec
print(*[name for name in sys.argv[1:] if find_spec("test") and find_spec("test." + name)])
`;
  const { status, stdout } = spawnSync(
    systemPython,
    ['-c', print, ...cpythonModules.map(({ name }) => name)],
    { encoding: 'utf8' },
  );
  const here = status === 0 ? stdout.split(/\s/) : [];
  const modules = cpythonModules.filter(({ name }) => here.includes(name));
  return modules.length < leastModules ? [] : modules;
}
