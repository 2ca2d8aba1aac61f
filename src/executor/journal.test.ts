import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it, onTestFinished } from 'vitest';

import { tempFolder } from '../../test/support/hob.ts';
import { has } from '../../test/support/needs.ts';
import { startShell } from '../../test/support/shells.ts';
import { endWithoutProcess, type RunEnd } from '../execution/messages.ts';
import { inherit, Journal, type Legacy, parseJournal } from './journal.ts';
import { startTicksOf } from './run-processes.ts';

const hasProc = has('/proc', existsSync('/proc/self/stat'));

const bootId = hasProc ? readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim() : '';
const compactAboveBytes = 1024 * 1024;

const endOf = (runId: string, exitCode = 0): RunEnd => ({ ...endWithoutProcess(runId, 'exit'), exitCode });
/** As long as a real run id. */
const runIdOf = (index: number) => `4f6c1f1e-0000-4000-8000-${String(index).padStart(12, '0')}`;
const started = (runId: string, pid = 4242) => ({ runId, pid, startTicks: 99 });

/** An executor of this boot that has ended. */
const author = { bootId, pid: 2 ** 30, startTicks: 1, cgroups: '/sys/fs/cgroup/hob-1' };

const linesOf = (...lines: object[]) => lines.map((line) => `${JSON.stringify(line)}\n`).join('');

async function openJournal() {
  const folder = await tempFolder();
  const journal = new Journal(folder, 'one', null);
  const path = join(folder, 'one-runs.jsonl');
  return { folder, journal, path, read: () => parseJournal(readFileSync(path, 'utf8')) };
}

describe.skipIf(!hasProc)('the journal', () => {
  it('lists the runs that have not ended, and their processes', async () => {
    const { journal, read } = await openJournal();
    journal.starting('a');
    journal.starting('b');
    journal.started(started('b'));
    expect(read()).toMatchObject({
      inFlight: [{ runId: 'a', pid: 0, startTicks: 0 }, started('b')],
      unheard: [],
      cgroups: null,
    });
  });

  it('keeps an end until it is acknowledged', async () => {
    const { journal, read } = await openJournal();
    for (const runId of ['a', 'b', 'c']) journal.started(started(runId));
    const ends = [endOf('a', 3), endOf('b', 4)] as const;
    for (const end of ends) journal.ended(end);
    expect(read()).toMatchObject({ inFlight: [started('c')], unheard: ends });
    journal.heard('a');
    expect(read()).toMatchObject({ inFlight: [started('c')], unheard: [ends[1]] });
    journal.heard('b');
    journal.heard('b');
    journal.heard('never there');
    expect(read().unheard).toEqual([]);
  });

  it('keeps the newest version of an end that is written again', async () => {
    const { journal, read } = await openJournal();
    journal.ended(endOf('a'));
    journal.ended({ ...endOf('a'), leftRunning: 2 });
    expect(read().unheard).toMatchObject([{ runId: 'a', leftRunning: 2 }]);
  });

  it('is written at the time of the event, and readable only by its user', async () => {
    const { journal, path } = await openJournal();
    const before = statSync(path);
    expect(before.mode & 0o777).toBe(0o600);
    journal.starting('a');
    expect(statSync(path).size).toBeGreaterThan(before.size);
  });

  it('never overwrites an existing one', async () => {
    const { folder } = await openJournal();
    expect(() => new Journal(folder, 'one', null)).toThrow('EEXIST');
  });

  it('is removed when its executor ends', async () => {
    const { journal, path } = await openJournal();
    journal.starting('a');
    journal.ended(endOf('a'));
    journal.heard('a');
    await journal.close();
    expect(existsSync(path)).toBe(false);
  });

  it('is kept when it contains an end that is not acknowledged', async () => {
    const { journal, read } = await openJournal();
    journal.ended(endOf('a'));
    await journal.close();
    expect(read().unheard).toMatchObject([{ runId: 'a' }]);
  });

  it('is rewritten without finished runs when it gets large, and loses nothing else', async () => {
    const { folder, journal, path, read } = await openJournal();
    journal.starting('about to start');
    journal.started(started('long'));
    journal.ended(endOf('unheard', 9));
    let largest = 0;
    for (let index = 0, isSmaller = false; !isSmaller && largest < 2 * compactAboveBytes; index++) {
      journal.started(started(`${index}`));
      journal.ended(endOf(`${index}`));
      journal.heard(`${index}`);
      const { size } = statSync(path);
      isSmaller = size < largest;
      largest = Math.max(largest, size);
    }
    expect(largest).toBeGreaterThan(compactAboveBytes - 1000);
    expect(statSync(path).size).toBeLessThan(2000);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder)).toEqual(['one-runs.jsonl']);
    expect(read()).toMatchObject({
      isAuthorAlive: true,
      inFlight: [{ runId: 'about to start' }, started('long')],
      unheard: [{ runId: 'unheard', exitCode: 9 }],
    });
    // Later lines are written to the new file.
    journal.ended(endOf('long'));
    expect(read()).toMatchObject({
      inFlight: [{ runId: 'about to start' }],
      unheard: [{}, { runId: 'long' }],
    });
  });

  it('is not rewritten repeatedly when none of its runs is finished', async () => {
    const { journal, path, read } = await openJournal();
    for (let index = 0; index < 10_000; index++) journal.ended(endOf(`${index}`));
    expect(statSync(path).size).toBeGreaterThan(2 * compactAboveBytes);
    expect(read().unheard).toHaveLength(10_000);
    const inode = statSync(path).ino;
    journal.ended(endOf('one more'));
    expect(statSync(path).ino).toBe(inode);
  });
});

describe.skipIf(!hasProc)('the journal of an ended executor', () => {
  it('is read up to an incomplete last line', () => {
    const text = linesOf({ author }, { started: started('a') }, { ended: endOf('b') });
    for (const rest of ['{', '{"started":{"runId":"c","pi', '{"heard":"b"', '\0\0\0', 'null', '[]', '7']) {
      expect(parseJournal(text + rest)).toEqual({
        isAuthorAlive: false,
        inFlight: [started('a')],
        unheard: [endOf('b')].map((end) => ({ ...end, endedAtMs: expect.any(Number) })),
        cgroups: author.cgroups,
      });
    }
  });

  it('contains no running run after a reboot, but ends that are not acknowledged', () => {
    const other = { ...author, bootId: '11111111-2222-3333-4444-555555555555' };
    const text = linesOf({ author: other }, { started: started('a') }, { ended: endOf('b') });
    expect(parseJournal(text)).toMatchObject({
      isAuthorAlive: false,
      inFlight: [],
      unheard: [{ runId: 'b' }],
    });
  });

  it('is not attributed to a living process with the same id, before or after a reboot', () => {
    const { pid } = process;
    const startTicks = startTicksOf(pid);
    const isAlive = (changes: object) =>
      parseJournal(linesOf({ author: { ...author, pid, startTicks, ...changes } })).isAuthorAlive;
    expect(isAlive({})).toBe(true);
    expect(isAlive({ startTicks: startTicks - 1 })).toBe(false);
    expect(isAlive({ bootId: '11111111-2222-3333-4444-555555555555' })).toBe(false);
  });

  it('is empty when its author was not written', () => {
    const nothing = { isAuthorAlive: false, inFlight: [], unheard: [], cgroups: null };
    expect(parseJournal('')).toEqual(nothing);
    expect(parseJournal(linesOf({ started: started('a') }))).toEqual(nothing);
  });
});

describe.skipIf(!hasProc)('inheriting', () => {
  const textOf = (runId: string) => linesOf({ author }, { started: started(runId) });

  async function take(folder: string): Promise<Legacy[]> {
    const taken: Legacy[] = [];
    await inherit(folder, async (legacy) => {
      taken.push(legacy);
    });
    return taken;
  }

  it('passes on what each ended executor left, once', async () => {
    const folder = await tempFolder();
    writeFileSync(join(folder, 'x-runs.jsonl'), textOf('x'));
    writeFileSync(join(folder, 'y-runs.jsonl'), textOf('y'));
    writeFileSync(join(folder, 'executor.log'), 'not a journal');
    const taken = await take(folder);
    expect(taken.flatMap(({ inFlight }) => inFlight.map(({ runId }) => runId)).sort()).toEqual(['x', 'y']);
    expect(taken[0]).toEqual({ inFlight: [expect.anything()], unheard: [], cgroups: author.cgroups });
    expect(readdirSync(folder)).toEqual(['executor.log']);
    expect(await take(folder)).toEqual([]);
  });

  it('ignores the journal of a living executor', async () => {
    const { folder, journal, read } = await openJournal();
    journal.starting('a');
    expect(await take(folder)).toEqual([]);
    expect(read().inFlight).toHaveLength(1);
  });

  it('takes over from an executor that is a zombie', async () => {
    const shell = startShell('sleep 0 & echo dead $!; exec sleep 600');
    const pid = await shell.said('dead');
    const folder = await tempFolder();
    const text = linesOf({ author: { ...author, pid, startTicks: startTicksOf(pid) } });
    writeFileSync(join(folder, 'x-runs.jsonl'), text);
    while (parseJournal(text).isAuthorAlive) await new Promise((resolve) => setImmediate(resolve));
    expect(await take(folder)).toHaveLength(1);
  });

  it('keeps a journal that could not be taken over for the next attempt', async () => {
    const folder = await tempFolder();
    writeFileSync(join(folder, 'x-runs.jsonl'), textOf('x'));
    await expect(inherit(folder, () => Promise.reject(new Error('not now')))).rejects.toThrow('not now');
    expect(await take(folder)).toHaveLength(1);
  });
});

const canMount = has(
  'a small disk of its own (root on Linux)',
  process.platform === 'linux' && process.getuid?.() === 0,
);

describe.skipIf(!canMount)('on a full disk, the journal', () => {
  async function openOnSmallDisk(size: string) {
    const folder = await tempFolder();
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size},mode=700`, 'tmpfs', folder]);
    onTestFinished(() => {
      execFileSync('umount', ['-l', folder]);
    });
    const journal = new Journal(folder, 'one', null);
    const path = join(folder, 'one-runs.jsonl');
    return { folder, journal, path, read: () => parseJournal(readFileSync(path, 'utf8')) };
  }

  it('does not stop runs, and contains those that it could write', async () => {
    const { folder, journal, read } = await openOnSmallDisk('64k');
    journal.started(started('before'));
    try {
      writeFileSync(join(folder, 'filler'), Buffer.alloc(128 * 1024));
    } catch {
      // Full.
    }
    for (let index = 0; index < 1000; index++) {
      journal.started(started(`${index}`));
      journal.ended(endOf(`${index}`));
      journal.heard(`${index}`);
    }
    expect(read().inFlight).toContainEqual(started('before'));
    expect(read().isAuthorAlive).toBe(true);
    await journal.close();
  });

  it('contains what is written after the disk has space again', async () => {
    const { folder, journal, read } = await openOnSmallDisk('64k');
    try {
      writeFileSync(join(folder, 'filler'), Buffer.alloc(128 * 1024));
    } catch {
      // Full.
    }
    for (let index = 0; index < 100; index++) journal.started(started(`${index}`));
    rmSync(join(folder, 'filler'));
    journal.started(started('after'));
    expect(read().inFlight.some(({ runId }) => runId === 'after')).toBe(true);
  });

  it('is not truncated by a rewrite that does not fit on the disk', async () => {
    const { journal, read } = await openOnSmallDisk('1600k');
    let known = 0;
    for (let index = 0; index < 4000; index++) {
      journal.ended(endOf(runIdOf(index)));
      if (index % 100 !== 0) continue;
      const { length } = read().unheard;
      expect(length).toBeGreaterThanOrEqual(known);
      known = length;
    }
  });

  it('leaks no handle when it cannot be rewritten', async () => {
    const { folder, journal } = await openOnSmallDisk('1028k');
    const handles = () => readdirSync('/proc/self/fd').length;
    const before = handles();
    for (let index = 0; index < 4000; index++) journal.ended(endOf(runIdOf(index)));
    expect(handles()).toBeLessThanOrEqual(before + 2);
    expect(readdirSync(folder)).toEqual(['one-runs.jsonl']);
  });
});
