import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

import { expect, it } from 'vitest';

const program = new URL('./start-apart.mjs', import.meta.url).href;
/** Starts a process that waits for ever, with its own output, and says which one. */
const bench = `
  const { startApart } = await import(${JSON.stringify(program)});
  const child = startApart(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: ['ignore', 1, 2] });
  console.log(child.pid);
`;

it.skipIf(process.platform === 'win32')('ends what it started with a bench that is interrupted', async () => {
  const outer = spawn(process.execPath, ['--input-type=module', '-e', bench], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [pid] = await once(createInterface({ input: outer.stdout }), 'line');
  // It leads a group, and with it a session, of its own: what is sent to that of the bench does not reach it.
  expect(() => process.kill(-Number(pid), 0)).not.toThrow();
  outer.kill('SIGINT');
  // Both have the output, so it is closed when the last of them is gone.
  const [code] = await once(outer, 'close');
  expect(code).toBe(130);
});
