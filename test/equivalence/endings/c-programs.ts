import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import { findProgram, has } from '../../support/needs.ts';
import { type Program, readPrograms } from '../programs.ts';

/** The programs that load a C library, each with that library in its folder. Empty if there is no C compiler. */
export async function readCPrograms(): Promise<Program[]> {
  const compiler = findProgram('cc');
  if (!has('a C compiler', compiler !== null) || compiler === null) return [];
  const library = await compile(compiler);
  const programs = await readPrograms('endings/c-programs');
  return programs.map((program) => ({
    ...program,
    files: new Map([...program.files, ['at-exit.so', library]]),
  }));
}

async function compile(compiler: string): Promise<Buffer> {
  const folder = await mkdtemp(join(tmpdir(), 'hob-test-'));
  try {
    const source = fileURLToPath(new URL('at-exit.c', import.meta.url));
    const library = join(folder, 'at-exit.so');
    await promisify(execFile)(compiler, ['-shared', '-fPIC', '-o', library, source]);
    return await readFile(library);
  } finally {
    await rm(folder, { recursive: true });
  }
}
