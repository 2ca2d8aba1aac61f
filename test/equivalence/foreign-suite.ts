import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import type { TestModule } from '../support/cpython-modules.ts';
import { record } from '../support/figures.ts';
import { type Hob, launchHob } from '../support/hob.ts';
import { has } from '../support/needs.ts';
import { traceProcesses } from '../support/processes.ts';
import { patiently, scaled } from '../support/scale.ts';
import { writeScript } from '../support/scripts.ts';
import { allWait, runCounted } from './warmth.ts';

/** A test suite that others wrote. */
interface ForeignSuite {
  /** The name of the scenario whose figures it adds to. */
  readonly scenario: string;
  readonly title: string;
  /** A program in test/support that runs the modules in `params.names`, and writes the outcomes of their tests to `params.outcomes`. */
  readonly runner: string;
  /** The modules that this machine has. */
  readonly modules: readonly TestModule[];
  /** Comes before the names of the modules. */
  readonly prefix: string;
  /** Further lines of the runtime table. */
  readonly runtime?: string;
}

/** The distribution's own Python: its packages have test suites, too. */
export const systemPython = '/usr/bin/python3';

/** Less than a request may take, so that a module that hangs ends with an outcome. */
const timeoutSeconds = 100;

/** A test counts as different if it differs in each round. Only the first round shares the machine with another run. */
const rounds = 3;

/** Further cold runs. A test whose warm outcome occurs in a cold run too is unsteady, for example if it depends on memory addresses. */
const moreColdRuns = 40;

/** How the run of a module ended. Each test has one outcome, or one for each subtest that failed. */
interface ModuleRun {
  readonly end: Readonly<Record<string, unknown>>;
  readonly outcomes: Readonly<Record<string, readonly string[]>>;
  readonly tracebacks: Readonly<Record<string, readonly string[]>>;
}

interface Difference {
  readonly test: string;
  readonly cold: unknown;
  readonly warm: unknown;
  readonly traceback?: string | undefined;
}

const endOfRun = 'end of the run';

const scripts = ['cold', 'warm', 'idle'] as const;
type ScriptName = (typeof scripts)[number];

/** Adds a test for each module: its tests must have the same outcomes warm and cold. */
export function compareForeignSuite({
  scenario,
  title,
  runner,
  modules: all,
  prefix,
  runtime = '',
}: ForeignSuite): void {
  let base: string;
  let hob: Hob;
  const trace = traceProcesses();
  const ids = new Map<ScriptName, string>();

  async function runModule(script: ScriptName, { name, parts }: TestModule): Promise<ModuleRun> {
    const folder = await mkdtemp(join(base, 'current-'));
    const outcomes = join(base, `${script}.json`);
    const names = parts.length === 0 ? [prefix + name] : parts.map((part) => `${prefix}${name}.${part}`);
    try {
      const { status, body } = await hob.run(ids.get(script) ?? '', { params: { names, folder, outcomes } });
      if (status !== 200) throw new Error(`${name} did not run: ${JSON.stringify(body)}`);
      const end = { success: body.success, exit_code: body.exit_code, timed_out: body.timed_out };
      const text = await readFile(outcomes, 'utf8').catch(() => '{"outcomes":{},"tracebacks":{}}');
      return { end, ...JSON.parse(text) };
    } finally {
      await rm(outcomes, { force: true });
      await rm(folder, { recursive: true, force: true });
    }
  }

  /** Fails if the run got no warm interpreter. Cold runs count neither as hits nor as misses, and may run at the same time. */
  async function runWarm(module: TestModule): Promise<ModuleRun> {
    await allWait(hob);
    const { wasWarm, result } = await runCounted(hob, () => runModule('warm', module));
    if (!wasWarm) throw new Error(`${module.name} started cold`);
    return result;
  }

  /** The first run of its kind starts cold, and makes the service start interpreters. */
  async function warmUp(): Promise<void> {
    for (let attempt = 0; attempt < 20; attempt++) {
      const { wasWarm } = await runCounted(hob, () => runModule('idle', { name: 'nothing', parts: [] }));
      if (wasWarm) return;
      await allWait(hob);
    }
    throw new Error('no interpreter waited for a run');
  }

  describe.runIf(has(`the tests of ${scenario}`, all.length > 0))(title, () => {
    const modules = all.slice(0, scaled(3, all.length));
    const seen = { modules: 0, tests: 0, differences: 0, unsteady: new Set<string>() };

    beforeAll(async () => {
      base = await mkdtemp(join(tmpdir(), 'hob-test-'));
      const program = await readFile(fileURLToPath(new URL(`../support/${runner}`, import.meta.url)), 'utf8');
      for (const script of scripts) {
        const id = await writeScript(join(base, 'scripts'), script, {
          language: 'python',
          entry: ['main.py', script === 'idle' ? '' : program],
          runtime: `timeout = ${timeoutSeconds}\nwarm = ${script !== 'cold'}\n${runtime}`,
        });
        ids.set(script, id);
      }
      const home = join(base, 'home');
      await mkdir(home);
      hob = await launchHob({
        home,
        scripts: [join(base, 'scripts')],
        env: { ...trace.env, PATH: '/usr/bin:/bin' },
      });
      await warmUp();
    });

    afterAll(async () => {
      await hob.stop();
      await trace.noneLeft();
      await rm(base, { recursive: true, force: true, maxRetries: 5 });
    });

    it.each(modules)('has the same outcomes warm and cold: $name', patiently, async (module) => {
      const [cold, warm] = await Promise.all([runModule('cold', module), runWarm(module)]);
      expect(Object.keys(cold.outcomes), JSON.stringify(cold.end)).not.toEqual([]);
      let different = differencesOf(cold, warm);
      for (let round = 1; round < rounds && different.length > 0; round++) {
        for (const { test } of different) seen.unsteady.add(`${module.name}: ${test}`);
        const again = differencesOf(await runModule('cold', module), await runWarm(module));
        different = different.flatMap(({ test }) => again.filter((each) => each.test === test));
      }
      for (let more = 0; more < moreColdRuns && different.length > 0; more++) {
        const cold = await runModule('cold', module);
        const outcomeOf = (test: string) => (test === endOfRun ? cold.end : cold.outcomes[test]);
        different = different.filter(
          ({ test, warm }) => JSON.stringify(outcomeOf(test)) !== JSON.stringify(warm),
        );
      }
      for (const { test } of different) seen.unsteady.delete(`${module.name}: ${test}`);
      seen.modules += 1;
      seen.tests += Object.keys(cold.outcomes).length;
      seen.differences += different.length;
      expect(different).toEqual([]);
    });

    it('counts what was compared', () => {
      for (const test of seen.unsteady)
        process.stderr.write(`differed once, and agreed when run again: ${test}\n`);
      record({ scenario, what: 'modules run warm and cold', value: seen.modules, unit: '' });
      record({ scenario, what: 'test cases compared', value: seen.tests, unit: '' });
      record({
        scenario,
        what: 'test cases that differed once and agreed when repeated',
        value: seen.unsteady.size,
        unit: '',
      });
      record({
        scenario,
        what: 'test cases and module exit codes that differ',
        value: seen.differences,
        unit: '',
        bound: { exactly: 0 },
      });
    });
  });
}

function differencesOf(cold: ModuleRun, warm: ModuleRun): Difference[] {
  const tests = new Set([...Object.keys(cold.outcomes), ...Object.keys(warm.outcomes)]);
  const different: Difference[] = [...tests]
    .map((test) => ({ test, cold: cold.outcomes[test], warm: warm.outcomes[test] }))
    .filter((each) => JSON.stringify(each.cold) !== JSON.stringify(each.warm))
    .map((each) => ({
      ...each,
      traceback: (warm.tracebacks[each.test] ?? cold.tracebacks[each.test])?.join('\n'),
    }));
  if (JSON.stringify(cold.end) !== JSON.stringify(warm.end))
    different.push({ test: endOfRun, cold: cold.end, warm: warm.end });
  return different;
}
