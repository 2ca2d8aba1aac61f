import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

import { expect, it, onTestFinished } from 'vitest';

const module = new URL('../../build/cli/interrupt.js', import.meta.url).href;

/** Echoes each line with the exit code. The line `said` resolves the pending cleanup. */
const program = (onFirst: string) => `
import { createInterface } from 'node:readline';
import { catchInterrupt } from ${JSON.stringify(module)};
const interrupt = catchInterrupt();
let say;
const said = new Promise((resolve) => (say = resolve));
interrupt.signal.addEventListener('abort', () => {
  ${onFirst}
  console.log('heard');
});
createInterface(process.stdin).on('line', (line) => (line === 'said' ? say() : console.log(line, interrupt.exitCode)));
console.log('ready');
`;

async function start(onFirst = '') {
  const child = spawn(process.execPath, ['--input-type=module', '-e', program(onFirst)]);
  onTestFinished(() => void child.kill('SIGKILL'));
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  const line = async () => (await lines.next()).value;
  const ended = once(child, 'exit');
  expect(await line()).toBe('ready');
  return { child, line, ended };
}

it('catches the first signal and ends at the second', async () => {
  const { child, line, ended } = await start();
  child.kill('SIGTERM');
  expect(await line()).toBe('heard');
  child.stdin.write('code\n');
  expect(await line()).toBe('code 143');
  child.kill('SIGINT');
  expect(await ended).toEqual([null, 'SIGINT']);
});

it('delays the second signal until the cleanup after the first is done', async () => {
  const { child, line, ended } = await start('interrupt.waitForCleanup(said);');
  child.kill('SIGINT');
  expect(await line()).toBe('heard');
  child.kill('SIGINT');
  child.stdin.write('still here\n');
  expect(await line()).toBe('still here 130');
  child.stdin.write('said\n');
  expect(await ended).toEqual([null, 'SIGINT']);
});

it('does not wait long for a cleanup that never ends', async () => {
  const { child, line, ended } = await start('interrupt.waitForCleanup(said);');
  child.kill('SIGINT');
  expect(await line()).toBe('heard');
  child.kill('SIGTERM');
  expect(await ended).toEqual([null, 'SIGTERM']);
});

it('ends at the next signal once the cleanup is done', async () => {
  const { child, line, ended } = await start('interrupt.waitForCleanup(said);');
  child.kill('SIGINT');
  expect(await line()).toBe('heard');
  child.stdin.write('said\nstill here\n');
  expect(await line()).toBe('still here 130');
  child.kill('SIGINT');
  expect(await ended).toEqual([null, 'SIGINT']);
});
