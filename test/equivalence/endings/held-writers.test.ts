import { describe } from 'vitest';

import { comparePrograms } from '../compare-programs.ts';
import { readHeldWriters } from './matrix.ts';

const programs = await readHeldWriters();

describe('a Python program with unwritten data', () =>
  comparePrograms(programs, { drawing: [], mostLeft: 0 }));
