import { afterAll, beforeAll, expect, it } from 'vitest';

import { countLeft, type Observation } from './observe.ts';
import type { Program } from './programs.ts';
import { openStage, type Stage } from './stage.ts';

interface Comparison {
  /** Programs that must print different lines in every run. */
  readonly drawing: readonly Program[];
  /** The largest number of processes that one of the programs leaves running. */
  readonly mostLeft: number;
}

/** One test per program: warm it does the same as cold. */
export function comparePrograms(programs: readonly Program[], { drawing, mostLeft }: Comparison): void {
  let stage: Stage;
  const warm = new Map<Program, Observation>();
  beforeAll(async () => {
    stage = await openStage([...programs, ...drawing]);
  });
  afterAll(() => stage.close());

  for (const program of drawing) {
    it(`that ${program.name.replaceAll('-', ' ')} prints different lines in every run`, async () => {
      const drawn = [stage.cold(program), await stage.runWarm(program), await stage.runWarm(program)];
      const numbers = drawn.flatMap(({ seen }) => seen.stdout.trim().split('\n'));
      expect(numbers.length).toBeGreaterThan(drawn.length);
      expect(new Set(numbers).size).toBe(numbers.length);
    });
  }

  for (const program of inOrder(programs)) {
    it(titleOf(program), async () => {
      const cold = stage.cold(program);
      // A wrong exit code means that the program itself has a mistake.
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
      // The child of such a program may exit before or after the count.
      if (program.awaits !== null) continue;
      expected[program.name] = await countLeft(stage.hob, stage.cold(program).runId);
      left[program.name] = await countLeft(stage.hob, observed.runId);
    }
    expect(left).toEqual(expected);
    expect(Math.max(...Object.values(left))).toBe(mostLeft);
  });
}

/** Sorts programs that may be warm or cold last. Their runs are not awaited in the counters, and would distort later counts. */
function inOrder(programs: readonly Program[]): Program[] {
  const order = ['warm', 'cold', 'either'];
  return [...programs].sort((one, other) => order.indexOf(one.expect) - order.indexOf(other.expect));
}

function titleOf({ name, differs }: Program): string {
  const what = `that ${name.replaceAll('-', ' ')}`;
  return differs === null
    ? `${what} does the same warm and cold`
    : `${what} differs between warm and cold: ${differs}`;
}
