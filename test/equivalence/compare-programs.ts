import { afterAll, beforeAll, expect, it } from 'vitest';

import { countLeft, type Observation } from './observe.ts';
import type { Program } from './programs.ts';
import { openStage, type Stage } from './stage.ts';

interface Comparison {
  /** Programs whose every line of output must differ from all lines of their other runs. */
  readonly drawing: readonly Program[];
  /** The most processes that one of the programs leaves running. */
  readonly mostLeft: number;
}

/** One test for each program: warm it does the same as cold. */
export function comparePrograms(programs: readonly Program[], { drawing, mostLeft }: Comparison): void {
  let stage: Stage;
  const warm = new Map<Program, Observation>();
  beforeAll(async () => {
    stage = await openStage([...programs, ...drawing]);
  });
  afterAll(() => stage.close());

  for (const program of drawing) {
    it(`that ${program.name.replaceAll('-', ' ')} prints others each time`, async () => {
      const drawn = [stage.cold(program), await stage.runWarm(program), await stage.runWarm(program)];
      const numbers = drawn.flatMap(({ seen }) => seen.stdout.trim().split('\n'));
      expect(numbers.length).toBeGreaterThan(drawn.length);
      expect(new Set(numbers).size).toBe(numbers.length);
    });
  }

  for (const program of inOrder(programs)) {
    it(titleOf(program), async () => {
      const cold = stage.cold(program);
      // Whatever a program fails of, it is not a mistake in itself.
      expect(cold.seen.record.exit_code, cold.seen.stderr).toBe(program.exit ?? cold.seen.record.exit_code);
      const observed = await stage.runWarm(program);
      warm.set(program, observed);
      if (program.differs === null || !stage.isWarm) expect(observed.seen).toEqual(cold.seen);
      else expect(observed.seen).not.toEqual(cold.seen);
    });
  }

  it('leaves as many processes running warm as cold', async () => {
    const left: Record<string, number> = {};
    const expected: Record<string, number> = {};
    for (const [program, observed] of warm) {
      // Its child may end before the count or after it.
      if (program.awaits !== null) continue;
      expected[program.name] = await countLeft(stage.hob, stage.cold(program).runId);
      left[program.name] = await countLeft(stage.hob, observed.runId);
    }
    expect(left).toEqual(expected);
    expect(Math.max(...Object.values(left))).toBe(mostLeft);
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
