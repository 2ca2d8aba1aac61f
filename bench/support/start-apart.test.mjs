import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

import { expect, it } from 'vitest';

const program = new URL('./start-apart.mjs', import.meta.url).href;
/** Starts a process that waits forever with inherited output, and prints its id. */
const bench = `
  const { startApart } = await import(${JSON.stringify(program)});
  const child = startApart(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: ['ignore', 1, 2] });
  console.log(child.pid);
`;

it.skipIf(process.platform === 'win32')('stops its services when the bench is interrupted', async () => {
  const outer = spawn(process.execPath, ['--input-type=module', '-e', bench], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [pid] = await once(createInterface({ input: outer.stdout }), 'line');
  // It leads its own group, and therefore its own session: signals to the group of the bench do not reach it.
  expect(() => process.kill(-Number(pid), 0)).not.toThrow();
  outer.kill('SIGINT');
  // Both processes hold the output, so it closes when the last of them ends.
  const [code] = await once(outer, 'close');
  expect(code).toBe(130);
});
