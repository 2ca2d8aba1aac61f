import { existsSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { describe, expect, it, onTestFinished } from 'vitest';

import { findProgram, has } from '../../../test/support/needs.ts';
import { until } from '../../../test/support/until.ts';
import {
  openHandles,
  openWarmScene,
  programs,
  seeThrough,
  type WarmScene,
} from '../../../test/support/warm-scene.ts';
import { WarmPool } from './warm-pool.ts';

const canFork = has('Python on Linux', findProgram('python3') !== null && existsSync('/proc/self/stat'));

const mebibyte = 1024 * 1024;
const plenty = { memoryBytes: 1024 * mebibyte, idleMs: 60_000 };

function openPool(scene: WarmScene) {
  let nowMs = 1_000_000;
  let isShort = false;
  const pool = new WarmPool({
    processes: scene.processes,
    programs,
    onChange: () => {},
    isBusy: () => false,
    isShort: () => isShort,
    now: () => nowMs,
  });
  onTestFinished(() => pool.close());
  return {
    pool,
    advance(ms: number) {
      nowMs += ms;
    },
    setShort(is: boolean) {
      isShort = is;
    },
    async waits(kinds = 1) {
      await until(
        `interpreters of ${kinds} kinds wait`,
        async () => {
          const waiting = pool.state.kinds.filter((kind) => kind.waiting > 0 && kind.memoryBytes > 0);
          return waiting.length === kinds;
        },
        20_000,
      );
    },
  };
}

describe.skipIf(!canFork)('the pool of interpreters', () => {
  it('has no interpreters until it gets its limits', async () => {
    const scene = await openWarmScene();
    const { pool } = openPool(scene);
    expect(await pool.start(await scene.run(''))).toBeNull();
    expect(pool.state).toEqual({ hits: 0, misses: 0, memoryBytes: 0, isShortOfMemory: false, kinds: [] });
  });

  it('gives the second run of a kind to a waiting interpreter, and counts hits and misses', async () => {
    const scene = await openWarmScene();
    const { pool, waits } = openPool(scene);
    pool.allow(plenty);
    expect(await pool.start(await scene.run(''))).toBeNull();
    await waits();
    const spec = await scene.run('import os; print(os.environ["HOB_RUN_ID"], os.getcwd())');
    const taken = await pool.start(spec);
    if (taken === null) throw new Error('the run did not get a warm interpreter');
    expect((await seeThrough(taken)).stdout).toBe(`${spec.runId} ${scene.folder}\n`);
    expect(pool.state).toMatchObject({ hits: 1, misses: 1 });
    expect(pool.state.memoryBytes).toBeGreaterThan(mebibyte);
  });

  it('does not count runs that cannot use it', async () => {
    const scene = await openWarmScene();
    const { pool } = openPool(scene);
    pool.allow(plenty);
    await pool.start(await scene.run('', { env: { PYTHONHASHSEED: '1' } }));
    await pool.start(await scene.run('', { warm: null }));
    expect(pool.state).toMatchObject({ hits: 0, misses: 0, kinds: [] });
  });

  it('leaves a run in a missing folder to an ordinary start, which reports the error', async () => {
    const scene = await openWarmScene();
    const { pool, waits } = openPool(scene);
    pool.allow(plenty);
    await pool.start(await scene.run(''));
    await waits();
    const cwd = join(scene.folder, 'gone');
    await mkdir(cwd);
    const spec = await scene.run('', { cwd });
    await rm(cwd, { recursive: true });
    expect(await pool.start(spec)).toBeNull();
    expect(pool.state.kinds[0]?.waiting).toBeGreaterThan(0);
  });

  it('ends interpreters that no run has needed for a while', async () => {
    const scene = await openWarmScene();
    const { pool, waits, advance } = openPool(scene);
    pool.allow(plenty);
    await pool.start(await scene.run(''));
    await waits();
    advance(plenty.idleMs + 1);
    pool.allow(plenty);
    expect(pool.state).toMatchObject({ memoryBytes: 0, kinds: [] });
    await scene.noneLeft();
  });

  it('ends all while the machine is short of memory, starts none, and reports when memory is sufficient again', async () => {
    const scene = await openWarmScene();
    const { pool, waits, advance, setShort } = openPool(scene);
    pool.allow(plenty);
    await pool.start(await scene.run(''));
    await waits();
    setShort(true);
    advance(1001);
    pool.allow(plenty);
    expect(pool.state).toMatchObject({ memoryBytes: 0, isShortOfMemory: true, kinds: [] });
    await scene.noneLeft();
    expect(await pool.start(await scene.run(''))).toBeNull();
    await until('none is started', async () => pool.state.kinds.length === 0);
    expect(await scene.pids()).toEqual([]);
    setShort(false);
    advance(1001);
    pool.allow(plenty);
    expect(pool.state.isShortOfMemory).toBe(false);
  });

  it('ends all when the memory limit becomes zero, even while a run waits', async () => {
    const scene = await openWarmScene();
    const { pool, waits } = openPool(scene);
    pool.allow(plenty);
    await pool.start(await scene.run(''));
    await waits();
    const starts = Promise.all(
      [1, 2, 3, 4].map(async () => pool.start(await scene.run('import time; time.sleep(600)'))),
    );
    pool.allow({ memoryBytes: 0, idleMs: 0 });
    const runs = (await starts).filter((each) => each !== null);
    for (const { pid } of runs) process.kill(pid, 'SIGKILL');
    await Promise.all(runs.map(({ exited }) => exited));
    await scene.noneLeft();
    expect(pool.state.kinds).toEqual([]);
  });

  it('makes room for a needed kind by ending the one that was used least recently', async () => {
    const scene = await openWarmScene();
    const { pool, waits, advance } = openPool(scene);
    // Enough for one kind of Python, but not for two.
    const budget = { memoryBytes: 40 * mebibyte, idleMs: 600_000 };
    pool.allow(budget);
    const kind = (name: string) => scene.run('', { env: { KIND: name } });
    await pool.start(await kind('a'));
    await waits();
    // A recently used kind is not ended in favour of another.
    await pool.start(await kind('b'));
    await until('none is being started', async () => pool.state.kinds.length === 1);
    advance(10_001);
    await pool.start(await kind('b'));
    await until('the other is ended', async () => {
      const [first] = pool.state.kinds;
      return pool.state.kinds.length === 1 && first?.waiting === 1 && first.memoryBytes > 0;
    });
    expect(pool.state.memoryBytes).toBeLessThanOrEqual(budget.memoryBytes);
    const taken = await pool.start(await kind('b'));
    expect(taken).not.toBeNull();
    await taken?.exited;
  });

  it('does not start two kinds at once that exceed the limit together', async () => {
    const scene = await openWarmScene();
    const { pool, waits } = openPool(scene);
    pool.allow({ memoryBytes: 40 * mebibyte, idleMs: 600_000 });
    const kinds = await Promise.all(['a', 'b', 'c'].map((name) => scene.run('', { env: { KIND: name } })));
    await Promise.all(kinds.map((spec) => pool.start(spec)));
    await waits(1);
    expect(pool.state.kinds).toHaveLength(1);
  });

  it('does not start a kind again that turned out to be too large', async () => {
    const scene = await openWarmScene();
    const { pool } = openPool(scene);
    await writeFile(join(scene.folder, 'large_module.py'), 'kept = b"x" * (100 * 1024 * 1024)\n');
    const run = async () => {
      const spec = await scene.run('', { env: { PYTHONPATH: scene.folder } });
      const { entry = '' } = spec.warm ?? {};
      return pool.start({
        ...spec,
        warm: { language: 'python', options: [], entry, preload: ['large_module'] },
      });
    };
    const limits = { memoryBytes: 64 * mebibyte, idleMs: 600_000 };
    pool.allow(limits);
    await run();
    await until(
      'its memory has been measured',
      async () => pool.state.memoryBytes > limits.memoryBytes,
      20_000,
    );
    pool.allow(limits);
    await scene.noneLeft();
    await run();
    await until('none is started', async () => pool.state.kinds.length === 0);
    expect(await scene.pids()).toEqual([]);
  });

  it('leaves no handle and no pipe once it is closed, and can be closed twice', async () => {
    const scene = await openWarmScene();
    const before = openHandles();
    const { pool, waits } = openPool(scene);
    pool.allow(plenty);
    await pool.start(await scene.run(''));
    const node = await scene.run('', { file: process.execPath });
    const entry = node.args[0] ?? '';
    await pool.start({ ...node, warm: { language: 'node.js', options: [], entry, preload: [] } });
    await waits(2);
    pool.close();
    pool.close();
    await scene.noneLeft();
    await until('no handle is left', async () => openHandles() <= before);
  });

  it('keeps a limited number of kinds, the most recent ones', async () => {
    const scene = await openWarmScene();
    const { pool } = openPool(scene);
    pool.allow(plenty);
    for (let count = 0; count < 20; count++)
      await pool.start(await scene.run('', { file: '/bin/false', env: { KIND: String(count) } }));
    expect(pool.state.kinds.length).toBeLessThanOrEqual(16);
    expect(pool.state.misses).toBe(20);
  });
});
