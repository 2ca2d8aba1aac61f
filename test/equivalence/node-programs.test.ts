import { describe } from 'vitest';

import { comparePrograms } from './compare-programs.ts';
import { plainProgram, readPrograms } from './programs.ts';

const drawing = plainProgram(
  'draws-random-numbers',
  'main.cjs',
  `
const { randomBytes, randomUUID, webcrypto } = require('node:crypto');
console.log(Math.random());
console.log(randomUUID());
console.log(randomBytes(16).toString('hex'));
console.log(webcrypto.randomUUID());
`,
);
const programs = await readPrograms('node');

describe('a program of Node', () => comparePrograms(programs, { drawing: [drawing], mostLeft: 1 }));
