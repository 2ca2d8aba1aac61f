import { describe } from 'vitest';

import { comparePrograms } from './compare-programs.ts';
import { plainProgram, readPrograms } from './programs.ts';

const drawing = plainProgram(
  'draws-random-numbers',
  'main.py',
  `
import os, random, secrets, tempfile, uuid
print(random.random())
print(random.Random().random())
print(random.SystemRandom().random())
print(secrets.token_hex())
print(uuid.uuid4())
print(os.urandom(16).hex())
print(tempfile.mktemp())
`,
);
const programs = await readPrograms('python');

describe('a Python program', () => comparePrograms(programs, { drawing: [drawing], mostLeft: 1 }));
