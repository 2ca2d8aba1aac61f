import { describe } from 'vitest';

import { comparePrograms } from '../compare-programs.ts';
import { readPrograms } from '../programs.ts';
import { readCPrograms } from './c-programs.ts';
import { readHeldFiles } from './matrix.ts';

const programs = [
  ...(await readHeldFiles()),
  ...(await readPrograms('endings/programs')),
  ...(await readCPrograms()),
];

describe('the end of a Python program', () => comparePrograms(programs, { drawing: [], mostLeft: 0 }));
