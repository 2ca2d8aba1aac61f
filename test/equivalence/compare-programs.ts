import { afterAll, beforeAll, expect, it } from 'vitest';

import { countLeft, type Observation } from './observe.ts';
import type { Program } from './programs.ts';
import { openStage, type Stage } from './stage.ts';

/**
 * One test for each program: warm it does what it does cold. `drawing` prints what nobody can foresee, and must print something
 * else each time.
 */
export function comparePrograms(programs: readonly Program[], drawing: Program): void {
  let stage: Stage;
  const warm = new Map<Program, Observation[]>();
  beforeAll(async () => {
    stage = await openStage([...programs, drawing]);
  });
  afterAll(() => stage.close());

  it('draws other random numbers each time', async () => {
    const drawn = [stage.cold(drawing), await stage.runWarm(drawing), await stage.runWarm(drawing)];
    const numbers = drawn.flatMap(({ seen }) => seen.stdout.trim().split('\n'));
    expect(numbers.length).toBeGreaterThan(drawn.length);
    expect(new Set(numbers).size).toBe(numbers.length);
  });

  for (const program of inOrder(programs)) {
    it(titleOf(program), async () => {
      const cold = stage.cold(program);
      // Whatever a program fails of, it is not a mistake in itself.
      expect(cold.seen.record.exit_code, cold.seen.stderr).toBe(program.exit ?? cold.seen.record.exit_code);
      const observed = [await stage.runWarm(program)];
      // Python scripts that were run before are compiled ahead of their next run.
      if (program.language === 'python' && program.expect === 'warm')
        observed.push(await stage.runWarmAgain(program));
      warm.set(program, observed);
      for (const { seen } of observed) {
        if (program.differs === null || !stage.isWarm) expect(seen).toEqual(cold.seen);
        else expect(seen).not.toEqual(cold.seen);
      }
    });
  }

  it('leaves as many processes running warm as cold', async () => {
    const left: Record<string, number> = {};
    const expected: Record<string, number> = {};
    for (const [program, observed] of warm) {
      const cold = await countLeft(stage.hob, stage.cold(program).runId);
      for (const [at, { runId }] of observed.entries()) {
        const which = `${program.name}, run ${at + 1}`;
        left[which] = await countLeft(stage.hob, runId);
        expected[which] = cold;
      }
    }
    expect(left).toEqual(expected);
    expect(Math.max(...Object.values(left))).toBe(1);
  });
}

/** Whether a run is counted is not waited for where it may or may not be: those come last, so that they confuse nobody. */
function inOrder(programs: readonly Program[]): Program[] {
  const order = ['warm', 'cold', 'either'];
  return [...programs].sort((one, other) => order.indexOf(one.expect) - order.indexOf(other.expect));
}

function titleOf({ name, differs }: Program): string {
  const what = `that ${name.replaceAll('-', ' ')}`;
  return differs === null
    ? `${what} does the same warm and cold`
    : `${what} does not do so alike, for ${differs}`;
}
