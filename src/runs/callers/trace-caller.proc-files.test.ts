import { spawn } from 'node:child_process';
import { once } from 'node:events';

import { describe, expect, it, onTestFinished } from 'vitest';

import { has } from '../../../test/support/needs.ts';
import { childrenByParent, childrenOf, listProcesses, readStat, readVariable } from './trace-caller.ts';

function launch(env: Record<string, string> = {}): number {
  const child = spawn('/bin/cat', { env, stdio: ['pipe', 'ignore', 'ignore'] });
  const ended = once(child, 'exit');
  onTestFinished(async () => {
    child.stdin.end();
    await ended;
  });
  return child.pid ?? 0;
}

describe.runIf(has('/proc', process.platform === 'linux'))('the files of processes', () => {
  it.each([
    ['the lists of children', childrenOf],
    ['the parents of all processes', childrenByParent],
  ])('list the children of a process by %s', async (_how, find) => {
    const children = [launch(), launch()];
    const found = await find([process.pid, children[0] ?? 0]);
    const expected = children.map((pid) => ({ pid, parent: process.pid }));
    expect(found).toEqual(expect.arrayContaining(expected));
    expect(await find(children)).toEqual([]);
  });

  it('contain the variables with which a process started', async () => {
    const pid = launch({ FIRST: 'x=y', SECOND: '' });
    expect(await readVariable(pid, 'FIRST')).toBe('x=y');
    expect(await readVariable(pid, 'SECOND')).toBe('');
    expect(await readVariable(pid, 'IRST')).toBeNull();
  });

  it('return nothing for a process that does not exist', async () => {
    const pid = 2 ** 22 + 1;
    expect(await listProcesses()).not.toContain(pid);
    expect(await readStat(pid)).toBeNull();
    expect(await readVariable(pid, 'PATH')).toBeNull();
    expect(await childrenOf([pid])).toEqual([]);
  });

  it('contain the parent of a process', async () => {
    expect(await readStat(launch())).toMatchObject({ parent: process.pid });
  });
});
