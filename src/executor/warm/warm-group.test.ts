import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { describe, expect, it, onTestFinished } from 'vitest';

import { findProgram, has } from '../../../test/support/needs.ts';
import { killEach } from '../../../test/support/processes.ts';
import { fileThere, until } from '../../../test/support/until.ts';
import {
  openHandles,
  openWarmScene,
  parentOf,
  programs,
  seeThrough,
  type WarmScene,
} from '../../../test/support/warm-scene.ts';
import type { InterpreterSpec } from './host-command.ts';
import { WarmGroup } from './warm-group.ts';

const canFork = has('Python on Linux', findProgram('python3') !== null && existsSync('/proc/self/stat'));

function openGroup(scene: WarmScene, spec: Partial<InterpreterSpec> = {}) {
  let nowMs = 1_000_000;
  let mayGrow = true;
  let isBusy = false;
  let busyChecks = 0;
  const group = new WarmGroup(scene.python(spec), {
    processes: scene.processes,
    programs,
    now: () => nowMs,
    mayGrow: () => mayGrow,
    isBusy() {
      busyChecks += 1;
      return isBusy;
    },
    changed: () => {},
  });
  onTestFinished(() => group.close());
  return {
    group,
    advance(ms: number) {
      nowMs += ms;
    },
    /** Makes the machine busy from now on. */
    keepBusy() {
      isBusy = true;
    },
    /** Waits until the machine was found busy this many times. */
    async untilPostponed(times: number) {
      const before = busyChecks;
      await until('the start is postponed', async () => busyChecks >= before + times);
    },
    forbid() {
      mayGrow = false;
    },
    async waits(count = 1) {
      await until(`${count} wait`, async () => group.describe().waiting >= count);
    },
    async discardWaiting() {
      while (group.describe().waiting > 0) (await group.take())?.discard();
    },
    /** Makes one interpreter wait for the next run. */
    async warmUp() {
      expect(await group.take()).toBeNull();
      await this.waits();
    },
  };
}

describe.skipIf(!canFork)('interpreters of one kind', () => {
  it('are started after the first run, which has an ordinary start, and each is given once', async () => {
    const scene = await openWarmScene();
    const { group, waits } = openGroup(scene);
    expect(group.isEmpty).toBe(true);
    expect(await group.take()).toBeNull();
    await waits();
    const [first, second] = [await group.take(), await group.take()];
    expect(first?.pid).toBeGreaterThan(0);
    expect(second?.pid).toBeGreaterThan(0);
    expect(second?.pid).not.toBe(first?.pid);
    first?.discard();
    second?.discard();
  });

  it('are as many as were missing, and one less when none was missing for a while', async () => {
    const scene = await openWarmScene();
    const harness = openGroup(scene);
    const { group } = harness;
    await harness.warmUp();
    await harness.waits(1);
    const taken = await Promise.all([group.take(), group.take(), group.take()]);
    for (const each of taken) each?.discard();
    await harness.waits(3);
    harness.advance(31_000);
    await group.review();
    expect(group.describe().waiting).toBe(2);
    await group.review();
    expect(group.describe().waiting).toBe(2);
  });

  it('that were killed are not replaced until the next run forks one', async () => {
    const scene = await openWarmScene();
    const harness = openGroup(scene);
    const { group } = harness;
    await harness.warmUp();
    await harness.waits(1);
    const pids = await scene.pids();
    const waiting = pids.filter((pid) => pids.includes(parentOf(pid)));
    killEach(waiting);
    await until('no interpreter waits', async () => group.describe().waiting === 0);
    const next = await group.take();
    expect(next?.give(await scene.order('print(1)'))).toBe(true);
    if (next !== null) expect((await seeThrough(next)).stdout).toBe('1\n');
  });

  it('are not provided when their server is killed while a run waits for one', async () => {
    const scene = await openWarmScene();
    const before = openHandles();
    const harness = openGroup(scene);
    const { group } = harness;
    await harness.warmUp();
    const pids = await scene.pids();
    const [server = 0] = pids.filter((pid) => !pids.includes(parentOf(pid)));
    process.kill(server, 'SIGSTOP');
    await harness.discardWaiting();
    const taken = group.take();
    killEach([server]);
    expect(await taken).toBeNull();
    await scene.noneLeft();
    // The server is started again after a pause.
    expect(await group.take()).toBeNull();
    expect(group.isEmpty).toBe(true);
    harness.advance(1001);
    await harness.warmUp();
    group.close();
    await scene.noneLeft();
    await until('no handle is left', async () => openHandles() <= before);
  });

  it('are not provided when their server does not answer', async () => {
    const scene = await openWarmScene();
    const harness = openGroup(scene);
    const { group } = harness;
    await harness.warmUp();
    const pids = await scene.pids();
    const [server = 0] = pids.filter((pid) => !pids.includes(parentOf(pid)));
    process.kill(server, 'SIGSTOP');
    await harness.discardWaiting();
    expect(await group.take()).toBeNull();
    // When the server continues, it finds its channel closed.
    process.kill(server, 'SIGCONT');
    await scene.noneLeft();
  });

  it('can be started again at once after all were ended, because that was no failure', async () => {
    const scene = await openWarmScene();
    const before = openHandles();
    const harness = openGroup(scene);
    const { group } = harness;
    for (let count = 0; count < 3; count++) {
      await harness.warmUp();
      group.retire();
      expect(group.memoryBytes).toBe(0);
      await scene.noneLeft();
      await until('none is being started', async () => group.isEmpty);
    }
    await until('no handle is left', async () => openHandles() <= before);
  });

  it.each(['python', 'node.js'] as const)(
    'in %s that are being started when all are ended end, too',
    async (language) => {
      const scene = await openWarmScene();
      const before = openHandles();
      const file = language === 'python' ? {} : { file: process.execPath };
      const harness = openGroup(scene, { language, ...file });
      const { group } = harness;
      expect(await group.take()).toBeNull();
      await until('one is being started', async () => (await scene.pids()).length > 0);
      group.retire();
      expect(group.describe().waiting).toBe(0);
      await scene.noneLeft();
      await until('no handle is left', async () => openHandles() <= before);
    },
  );

  it('are never started after the group was closed, even if a run waited meanwhile', async () => {
    const scene = await openWarmScene();
    const harness = openGroup(scene);
    const { group } = harness;
    await harness.warmUp();
    const taken = [group.take(), group.take(), group.take()];
    group.close();
    for (const each of await Promise.all(taken)) each?.discard();
    await until('none is being started', async () => group.isEmpty);
    expect(await group.take()).toBeNull();
    expect(group.isEmpty).toBe(true);
    await scene.noneLeft();
  });

  it('are started separately when their modules run threads, and execute a run as well', async () => {
    const scene = await openWarmScene();
    const text =
      'import threading, time\nmark = 5\nthreading.Thread(target=time.sleep, args=(600,), daemon=True).start()\n';
    await writeFile(join(scene.folder, 'with_thread.py'), text);
    const harness = openGroup(scene, { preload: ['with_thread'], env: { PYTHONPATH: scene.folder } });
    const { group } = harness;
    await harness.warmUp();
    expect(group.describe()).toMatchObject({ isForked: false, waiting: 1 });
    const taken = await group.take();
    expect(taken?.give(await scene.order('import with_thread\nprint(with_thread.mark)'))).toBe(true);
    if (taken !== null) expect(await seeThrough(taken)).toMatchObject({ code: 0, stdout: '5\n', stderr: '' });
  });

  it('are postponed for a moment when the machine is busy, and not forever when it stays busy', async () => {
    const scene = await openWarmScene();
    const text =
      'import threading, time\nthreading.Thread(target=time.sleep, args=(600,), daemon=True).start()\n';
    await writeFile(join(scene.folder, 'with_thread.py'), text);
    const harness = openGroup(scene, { preload: ['with_thread'], env: { PYTHONPATH: scene.folder } });
    await harness.warmUp();
    harness.keepBusy();
    for (let round = 0; round < 2; round++) {
      (await harness.group.take())?.discard();
      await harness.untilPostponed(3);
      harness.advance(999);
      await harness.untilPostponed(3);
      expect(harness.group.describe().waiting).toBe(0);
      harness.advance(1);
      await harness.waits();
    }
  });

  it('are not left running when they are started separately and a module never finishes loading', async () => {
    const scene = await openWarmScene();
    const began = join(scene.folder, 'began');
    const text = `import os, threading, time
threading.Thread(target=time.sleep, args=(600,), daemon=True).start()
if os.path.exists(${JSON.stringify(began)}): open(${JSON.stringify(`${began}-2`)}, "w"); time.sleep(600)
open(${JSON.stringify(began)}, "w")
`;
    await writeFile(join(scene.folder, 'second_hangs.py'), text);
    const { group } = openGroup(scene, { preload: ['second_hangs'], env: { PYTHONPATH: scene.folder } });
    expect(await group.take()).toBeNull();
    await fileThere(`${began}-2`);
    group.retire();
    await scene.noneLeft();
    await until('none is being started', async () => group.isEmpty);
  });

  it('are not started when there is no memory for them', async () => {
    const scene = await openWarmScene();
    const harness = openGroup(scene);
    harness.forbid();
    expect(await harness.group.take()).toBeNull();
    await until('the start was refused', async () => harness.group.isEmpty);
    expect(await scene.pids()).toEqual([]);
  });

  it('are not retried without a pause when they cannot be started', async () => {
    const scene = await openWarmScene();
    const harness = openGroup(scene, { file: '/bin/false' });
    const { group } = harness;
    for (const pauseMs of [1000, 2000, 4000]) {
      expect(await group.take()).toBeNull();
      expect(group.isEmpty).toBe(false);
      await until('it has failed', async () => group.isEmpty);
      harness.advance(pauseMs - 1);
      expect(await group.take()).toBeNull();
      expect(group.isEmpty).toBe(true);
      harness.advance(1);
    }
  });
});
