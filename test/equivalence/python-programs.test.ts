import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { readPrograms } from './programs.ts';
import { openStage, type Stage } from './stage.ts';

const programs = await readPrograms('python');

describe('a Python program', () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await openStage(programs);
  }, 180_000);
  afterAll(() => stage.close());

  for (const program of programs) {
    it(`that ${program.name.replaceAll('-', ' ')} does the same warm and cold`, async () => {
      const cold = stage.cold.get(program.name);
      expect(cold?.record.exit_code).toBe(program.exit);
      expect(await stage.runWarm(program)).toEqual(cold);
    });
  }
});
