import { spawn, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { pythonEnv } from './programs.mjs';

const source = fileURLToPath(new URL('../support/floor.c', import.meta.url));

/** Compiles the program that measures the system without a service. Without a compiler, prints a line and returns null. */
export function buildFloor(folder, say) {
  const program = join(folder, 'floor');
  const { status } = spawnSync('cc', ['-O2', '-o', program, source], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  if (status === 0) return program;
  say('no C compiler found: the floor is not measured');
  return null;
}

/** Runs a command repeatedly for the given time, in `callers` processes at once. Returns the milliseconds of each run. */
export async function measureFloor(program, { file, args, cwd }, { callers, ms }) {
  const began = performance.now();
  const outputs = await Promise.all(
    Array.from({ length: callers }, () => outputOf(program, [String(ms), file, ...args], cwd)),
  );
  const elapsedMs = performance.now() - began;
  const times = outputs
    .flatMap((text) => text.trim().split('\n'))
    .map((microseconds) => Number(microseconds) / 1000);
  return { times, elapsedMs };
}

function outputOf(file, args, cwd) {
  return new Promise((resolve, reject) => {
    const child = spawn(file, args, {
      cwd,
      env: { ...process.env, ...pythonEnv },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const parts = [];
    child.stdout.on('data', (chunk) => parts.push(chunk));
    child.once('error', reject);
    child.once('close', (code) => {
      if (code === 0) resolve(Buffer.concat(parts).toString());
      else reject(new Error(`the measurement of the floor failed: exit code ${code}`));
    });
  });
}
