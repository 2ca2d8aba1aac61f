import { describe, expect, it } from 'vitest';

import { judge } from './claims.mjs';
import { missingModules, programsFor } from './programs.mjs';

describe('a program with declared modules', () => {
  it('lacks every module that its interpreter cannot import', () => {
    const program = { ...programsFor()['numpy-pandas'], interpreter: '/bin/false' };
    expect(missingModules(program)).toEqual(['numpy', 'pandas']);
    expect(missingModules({ ...program, interpreter: '/bin/true' })).toEqual([]);
  });

  it('has a limit that is not judged without its figure', () => {
    const [claim] = judge({}).filter(({ what }) => what.includes('numpy and pandas'));
    expect(claim).toMatchObject({ bound: { atMost: 0.5 }, isMet: null });
  });
});
