import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { describe, expect, it, onTestFinished } from 'vitest';

import { findProgram, has } from '../../../test/support/needs.ts';
import { killEach } from '../../../test/support/processes.ts';
import { fileThere, until } from '../../../test/support/until.ts';
import {
  openWarmScene,
  parentOf,
  programs,
  seeThrough,
  type WarmScene,
} from '../../../test/support/warm-scene.ts';
import { WarmGroup } from './warm-group.ts';
import type { InterpreterSpec } from './warm-interpreter.ts';

const canFork = has('Python on Linux', findProgram('python3') !== null && existsSync('/proc/self/stat'));

function openGroup(scene: WarmScene, spec: Partial<InterpreterSpec> = {}) {
  let nowMs = 1_000_000;
  let mayGrow = true;
  let isBusy = false;
  let looks = 0;
  const group = new WarmGroup(scene.python(spec), {
    fifos: scene.fifos,
    programs,
    now: () => nowMs,
    mayGrow: () => mayGrow,
    isBusy() {
      looks += 1;
      return isBusy;
    },
    changed: () => {},
  });
  onTestFinished(() => group.close());
  return {
    group,
    pass(ms: number) {
      nowMs += ms;
    },
    /** Has the machine busy from now on, with whatever. */
    occupy() {
      isBusy = true;
    },
    /** Waits until it was found busy so often. */
    async isPutOff(times: number) {
      const before = looks;
      await until('it is put off', async () => looks >= before + times);
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
    /** Has one waiting for the next run. */
    async warmUp() {
      expect(await group.take()).toBeNull();
      await this.waits();
    },
  };
}

describe.skipIf(!canFork)('interpreters of one kind', () => {
  it('are started after the first run, which is cold, and each is given once', async () => {
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

  it('wait in the number in which they were missed, and one less when they are not missed for a while', async () => {
    const scene = await openWarmScene();
    const scenery = openGroup(scene);
    const { group } = scenery;
    await scenery.warmUp();
    await scenery.waits(1);
    const taken = await Promise.all([group.take(), group.take(), group.take()]);
    for (const each of taken) each?.discard();
    await scenery.waits(3);
    scenery.pass(31_000);
    await group.review();
    expect(group.describe().waiting).toBe(2);
    await group.review();
    expect(group.describe().waiting).toBe(2);
  });

  it('that were killed are missed by nobody: the next run has one made', async () => {
    const scene = await openWarmScene();
    const scenery = openGroup(scene);
    const { group } = scenery;
    await scenery.warmUp();
    await scenery.waits(1);
    const pids = await scene.processes();
    const waiting = pids.filter((pid) => pids.includes(parentOf(pid)));
    killEach(waiting);
    await until('it is missed', async () => group.describe().waiting === 0);
    const next = await group.take();
    expect(next?.give(await scene.order('print(1)'))).toBe(true);
    if (next !== null) expect((await seeThrough(next)).stdout).toBe('1\n');
  });

  it('are nobody’s when their server is killed while a run waits for one', async () => {
    const scene = await openWarmScene();
    const before = scene.handles();
    const scenery = openGroup(scene);
    const { group } = scenery;
    await scenery.warmUp();
    const pids = await scene.processes();
    const [server = 0] = pids.filter((pid) => !pids.includes(parentOf(pid)));
    process.kill(server, 'SIGSTOP');
    await scenery.discardWaiting();
    const taken = group.take();
    killEach([server]);
    expect(await taken).toBeNull();
    await scene.noneLeft();
    // It is back after a pause.
    expect(await group.take()).toBeNull();
    expect(group.isEmpty).toBe(true);
    scenery.pass(1001);
    await scenery.warmUp();
    group.close();
    await scene.noneLeft();
    await until('no handle is left', async () => scene.handles() <= before);
    expect(scene.names()).toEqual([]);
  });

  it('are nobody’s when their server does not answer', async () => {
    const scene = await openWarmScene();
    const scenery = openGroup(scene);
    const { group } = scenery;
    await scenery.warmUp();
    const pids = await scene.processes();
    const [server = 0] = pids.filter((pid) => !pids.includes(parentOf(pid)));
    process.kill(server, 'SIGSTOP');
    await scenery.discardWaiting();
    expect(await group.take()).toBeNull();
    // It hears that it is not needed when it goes on.
    process.kill(server, 'SIGCONT');
    await scene.noneLeft();
  });

  it('are ended all, and can be started again at once: that was no failure', async () => {
    const scene = await openWarmScene();
    const before = scene.handles();
    const scenery = openGroup(scene);
    const { group } = scenery;
    for (let count = 0; count < 3; count++) {
      await scenery.warmUp();
      group.retire();
      expect(group.memoryBytes).toBe(0);
      await scene.noneLeft();
      await until('nothing is on its way', async () => group.isEmpty);
    }
    await until('no handle is left', async () => scene.handles() <= before);
    expect(scene.names()).toEqual([]);
  });

  it.each(['python', 'node.js'] as const)(
    'in %s that are on their way when all are ended end, too',
    async (language) => {
      const scene = await openWarmScene();
      const before = scene.handles();
      const file = language === 'python' ? {} : { file: process.execPath };
      const scenery = openGroup(scene, { language, ...file });
      const { group } = scenery;
      expect(await group.take()).toBeNull();
      await until('one is on its way', async () => (await scene.processes()).length > 0);
      group.retire();
      expect(group.describe().waiting).toBe(0);
      await scene.noneLeft();
      await until('no handle is left', async () => scene.handles() <= before);
      expect(scene.names()).toEqual([]);
    },
  );

  it('are none any more after they were closed, also for a run that waited meanwhile', async () => {
    const scene = await openWarmScene();
    const scenery = openGroup(scene);
    const { group } = scenery;
    await scenery.warmUp();
    const taken = [group.take(), group.take(), group.take()];
    group.close();
    for (const each of await Promise.all(taken)) each?.discard();
    await until('nothing is on its way', async () => group.isEmpty);
    expect(await group.take()).toBeNull();
    expect(group.isEmpty).toBe(true);
    await scene.noneLeft();
  });

  it('are started one by one when their modules run threads, and take a run as well', async () => {
    const scene = await openWarmScene();
    const text =
      'import threading, time\nmark = 5\nthreading.Thread(target=time.sleep, args=(600,), daemon=True).start()\n';
    await writeFile(join(scene.folder, 'with_thread.py'), text);
    const scenery = openGroup(scene, { preload: ['with_thread'], env: { PYTHONPATH: scene.folder } });
    const { group } = scenery;
    await scenery.warmUp();
    expect(group.describe()).toMatchObject({ isForked: false, waiting: 1 });
    const taken = await group.take();
    expect(taken?.give(await scene.order('import with_thread\nprint(with_thread.mark)'))).toBe(true);
    if (taken !== null) expect(await seeThrough(taken)).toMatchObject({ code: 0, stdout: '5\n', stderr: '' });
  });

  it('are put off for a moment when the machine is busy, and not for ever when it stays so', async () => {
    const scene = await openWarmScene();
    const text =
      'import threading, time\nthreading.Thread(target=time.sleep, args=(600,), daemon=True).start()\n';
    await writeFile(join(scene.folder, 'with_thread.py'), text);
    const scenery = openGroup(scene, { preload: ['with_thread'], env: { PYTHONPATH: scene.folder } });
    await scenery.warmUp();
    scenery.occupy();
    for (let round = 0; round < 2; round++) {
      (await scenery.group.take())?.discard();
      await scenery.isPutOff(3);
      scenery.pass(999);
      await scenery.isPutOff(3);
      expect(scenery.group.describe().waiting).toBe(0);
      scenery.pass(1);
      await scenery.waits();
    }
  });

  it('are not left behind when they are started one by one and load something that never ends', async () => {
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
    await until('nothing is on its way', async () => group.isEmpty);
  });

  it('are not started when there is no memory for them', async () => {
    const scene = await openWarmScene();
    const scenery = openGroup(scene);
    scenery.forbid();
    expect(await scenery.group.take()).toBeNull();
    await until('that was decided', async () => scenery.group.isEmpty);
    expect(await scene.processes()).toEqual([]);
  });

  it('are not tried again and again when they cannot be', async () => {
    const scene = await openWarmScene();
    const scenery = openGroup(scene, { file: '/bin/false' });
    const { group } = scenery;
    for (const pauseMs of [1000, 2000, 4000]) {
      expect(await group.take()).toBeNull();
      expect(group.isEmpty).toBe(false);
      await until('it has failed', async () => group.isEmpty);
      scenery.pass(pauseMs - 1);
      expect(await group.take()).toBeNull();
      expect(group.isEmpty).toBe(true);
      scenery.pass(1);
    }
  });
});
