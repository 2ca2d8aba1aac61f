import { spawn } from 'node:child_process';
import { copyFileSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';

import { tempFolder } from '../../test/support/hob.ts';
import { has } from '../../test/support/needs.ts';
import { parseProcessStat } from './process-stat.ts';

/** A line of the kernel for a process with this command. */
const statOf = (command: string) =>
  `4242 (${command}) S 17 42 7 34816 4250 4194304 1 2 3 4 5 6 7 8 20 0 1 0 987654 9000 100 18446744073709551615 0 0\n`;

const parsed = {
  state: 'S',
  parent: 17,
  group: 42,
  session: 7,
  startTicks: 987_654,
  threads: 1,
  isKernelThread: false,
  isEnding: false,
};

describe('the state of a process', () => {
  it('is read field by field', () => {
    expect(parseProcessStat(statOf('sleep'))).toEqual(parsed);
  });

  it.each(['tmux: server', '(sd-pam)', 'a) Z 1 1 1 1 (b', ')', '((((', 'two\nlines', '', ') R 1'])(
    'does not depend on the command: %j',
    (command) => {
      expect(parseProcessStat(statOf(command))).toEqual(parsed);
    },
  );

  it('does not depend on any random command', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 64 }), (command) => {
        expect(parseProcessStat(statOf(command))).toEqual(parsed);
      }),
    );
  });

  it('distinguishes kernel threads from programs', () => {
    const kthreadd = '2 (kthreadd) S 0 0 0 0 -1 2129984 0 0 0 0 0 0 0 0 20 0 1 0 4 0 0 18446744073709551615';
    const init = '1 (systemd) S 0 1 1 0 -1 4194560 9 9 9 9 9 9 9 9 20 0 1 0 4 0 0 18446744073709551615';
    expect(parseProcessStat(kthreadd)).toMatchObject({ isKernelThread: true, parent: 0, startTicks: 4 });
    expect(parseProcessStat(init)).toMatchObject({ isKernelThread: false, group: 1, session: 1 });
  });

  it('identifies zombies', () => {
    const line = '9 (sh <defunct>) Z 1 9 9 0 -1 4228108 0 0 0 0 0 0 0 0 20 0 1 0 77 0 0 0';
    expect(parseProcessStat(line)).toMatchObject({ state: 'Z', startTicks: 77 });
  });
});

describe.skipIf(!has('/proc', existsSync('/proc/self/stat')))('the state of a real process', () => {
  it('is correct for this process', () => {
    expect(parseProcessStat(readFileSync('/proc/self/stat', 'latin1'))).toMatchObject({
      parent: process.ppid,
      isKernelThread: false,
      isEnding: false,
    });
  });

  it('is found behind a misleading program name', async () => {
    const program = join(await tempFolder(), 'x) Z 1 1\n (');
    copyFileSync('/bin/sleep', program);
    const child = spawn(program, ['60'], { detached: true, stdio: 'ignore' });
    const ended = new Promise((resolve) => child.once('exit', resolve));
    onTestFinished(async () => {
      child.kill('SIGKILL');
      await ended;
    });
    const text = readFileSync(`/proc/${child.pid}/stat`, 'latin1');
    expect(text).toContain('(x) Z 1 1\n ()');
    expect(parseProcessStat(text)).toMatchObject({
      state: expect.stringMatching(/^[RSD]$/),
      parent: process.pid,
      group: child.pid,
      session: child.pid,
      isKernelThread: false,
      isEnding: false,
    });
  });
});
