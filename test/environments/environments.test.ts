import { mkdir, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

import { describe, expect, it, vi } from 'vitest';

import type { Script } from '../../src/scripts/script.ts';
import { isAlive } from '../../src/shared/process-stat.ts';
import { EnvironmentScene, outputOf } from '../support/environment-scene.ts';
import { tempFolder } from '../support/hob.ts';
import { SeededRandom } from '../support/random.ts';
import { until } from '../support/until.ts';
import { makeWheel } from '../support/wheels.ts';

// The tools take seconds for the smallest package, and several times as long on a busy machine.
vi.setConfig({ testTimeout: 120_000 });

const dayMs = 24 * 60 * 60 * 1000;

/** A build backend that writes its process id and waits for permission to continue. */
const slowBackend = `
import os, time, zipfile
def build_wheel(folder, *rest, **more):
    place = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    with open(os.path.join(place, "draft"), "w") as file: file.write(str(os.getpid()))
    os.rename(os.path.join(place, "draft"), os.path.join(place, "waits"))
    while not os.path.exists(os.path.join(place, "go")): time.sleep(0.05)
    name = "slow_one-1.0-py3-none-any.whl"
    with zipfile.ZipFile(os.path.join(folder, name), "w") as archive:
        archive.writestr("slow_one/__init__.py", 'version = "1.0"')
        archive.writestr("slow_one-1.0.dist-info/METADATA", "Metadata-Version: 2.1\\nName: slow_one\\nVersion: 1.0\\n")
        archive.writestr("slow_one-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\\nGenerator: x\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n")
        archive.writestr("slow_one-1.0.dist-info/RECORD", "")
    return name
`;

async function needing(scene: EnvironmentScene, name: string): Promise<Script> {
  const script = await scene.script(name, {
    'requirements.txt': '--no-index\n--find-links wheels\ntiny_one\n',
  });
  await makeWheel(join(script.folder, 'wheels'), 'tiny_one', '1.0');
  return script;
}

/** The last build that was started. */
async function lastBuild(scene: EnvironmentScene, count = 1) {
  return until('a build was started', async () => scene.builds[count - 1]);
}

describe('a build of an environment', () => {
  it('is shared by all waiting callers, who get the same run', async () => {
    const scene = await EnvironmentScene.open();
    const script = await needing(scene, 'popular');
    const buildRunIds: string[] = [];
    const waiting = ['a', 'b', 'c'].map((runId) =>
      scene.ensure(script, { runId, onBuild: (buildRunId) => buildRunIds.push(buildRunId) }),
    );
    const prepared = await Promise.all(waiting);
    expect(prepared.map(({ kind }) => kind)).toEqual(['python', 'python', 'python']);
    expect(scene.builds).toHaveLength(1);
    expect(['a', 'b', 'c']).toContain(scene.builds[0]?.request.waitingRunId);
    const { runId } = await lastBuild(scene);
    expect(buildRunIds).toEqual([runId, runId, runId]);
  });

  it('fails for all waiting callers, and is tried again for the next', async () => {
    const scene = await EnvironmentScene.open();
    const script = await scene.script('failing', { 'requirements.txt': '--no-index\ntiny_none\n' });
    const both = await Promise.all([scene.refusal(script), scene.refusal(script)]);
    expect(both[0]).toEqual(both[1]);
    expect(scene.builds).toHaveLength(1);
    await scene.refusal(script);
    expect(scene.builds).toHaveLength(2);
  });

  it('does not start for a caller that has already left', async () => {
    const scene = await EnvironmentScene.open();
    const script = await needing(scene, 'left');
    const leaving = new AbortController();
    const waiting = scene.ensure(script, { runId: 'gone', signal: leaving.signal });
    leaving.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
    await scene.ensure(script, { runId: 'here' });
    expect(scene.builds.map(({ request }) => request.waitingRunId)).toEqual(['here']);
  });

  it('continues when no caller waits for it any more', async () => {
    const scene = await EnvironmentScene.open();
    const script = await needing(scene, 'abandoned');
    const leaving = new AbortController();
    const reason = new Error('cancelled');
    const waiting = scene.ensure(script, { signal: leaving.signal, onBuild: () => leaving.abort(reason) });
    await expect(waiting).rejects.toBe(reason);
    await scene.python(script);
    expect(scene.builds).toHaveLength(1);
  });

  it('that is stopped leaves nothing, and the waiting callers get an error', async () => {
    const scene = await EnvironmentScene.open();
    const script = await needing(scene, 'stopped');
    const waiting = scene.refusal(script);
    const build = await lastBuild(scene);
    await until('the tool is running', async () => build.log().includes('$ '));
    build.process.kill('SIGTERM');
    expect((await waiting).en).toContain('The build was interrupted.');
    expect(await readdir(scene.folder)).toEqual([]);
    await scene.python(script);
  });

  it('that cannot be started is refused to all waiting callers', async () => {
    const inTheWay = join(await tempFolder(), 'file');
    await writeFile(inTheWay, '');
    const scene = await EnvironmentScene.open({ folder: join(inTheWay, 'environments') });
    const script = await scene.script('nowhere', {
      'main.py': '# /// script\n# dependencies = ["tiny_one"]\n# ///\n',
    });
    await expect(scene.ensure(script)).rejects.toThrow(/ENOTDIR/);
  });

  it('notices that its inputs changed meanwhile', async () => {
    const scene = await EnvironmentScene.open();
    const script = await needing(scene, 'hasty');
    const waiting = scene.refusal(script);
    const build = await lastBuild(scene);
    await until('the tool is running', async () => build.log().includes('$ '));
    await writeFile(
      join(script.folder, 'requirements.txt'),
      '--no-index\n--find-links wheels\ntiny_one>=1\n',
    );
    expect((await waiting).en).toContain('changed while the environment was being built');
    await scene.python(script);
  });

  it('is never used as complete if its builder is killed, at any moment', async () => {
    const random = new SeededRandom();
    const scene = await EnvironmentScene.open();
    const script = await needing(scene, 'killed');
    for (let count = 1; count <= 8; count++) {
      const waiting = scene.ensure(script);
      const build = await lastBuild(scene, count);
      await pause(random.between(0, 2500));
      build.process.kill('SIGKILL');
      const prepared = await waiting;
      if (prepared.kind === 'python') {
        // The build finished before the kill, so the environment must be complete.
        expect(await outputOf(prepared.python, ['-c', 'import tiny_one; print(tiny_one.version)'])).toBe(
          '1.0',
        );
        await scene.environments.remove(prepared.key);
        continue;
      }
      expect(prepared.kind, `seed ${random.seed}`).toBe('unavailable');
      for (const view of await scene.environments.list()) expect(view.state).toBe('damaged');
    }
    const { python } = await scene.python(script);
    expect(await outputOf(python, ['-c', 'import tiny_one; print(tiny_one.version)'])).toBe('1.0');
  });

  it('is not damaged by a tool that continues after its builder was killed', async () => {
    const scene = await EnvironmentScene.open();
    const script = await scene.script('orphan', {
      'requirements.txt': '--no-index\n./lib\n',
      'lib/pyproject.toml': '[build-system]\nrequires = []\nbuild-backend = "slow"\nbackend-path = ["."]\n',
      'lib/slow.py': slowBackend,
    });
    // Outside of the inputs of the environment.
    const [waits, go] = [join(script.folder, 'waits'), join(script.folder, 'go')];
    const waiting = scene.refusal(script);
    const build = await lastBuild(scene);
    const tool = Number(
      await until('the tool is running', () => readFile(waits, 'utf8').catch(() => undefined)),
    );
    build.process.kill('SIGKILL');
    const { en, zh } = await waiting;
    expect(en).toContain('Run the script again.');
    expect(zh).toContain('请重新运行');
    expect(isAlive(tool)).toBe(true);
    await rm(waits);
    const second = scene.python(script);
    await until('the next tool is running', () => readFile(waits, 'utf8').catch(() => undefined));
    await writeFile(go, '');
    const { python } = await second;
    await until('the first tool has ended', async () => !isAlive(tool));
    expect(await outputOf(python, ['-c', 'import slow_one; print(slow_one.version)'])).toBe('1.0');
    expect(await scene.python(script)).toMatchObject({ python });
    expect(scene.builds).toHaveLength(2);
  });

  it('that an earlier service started is awaited, and not started again', async () => {
    const scene = await EnvironmentScene.open();
    const script = await needing(scene, 'inherited');
    const first = scene.ensure(script);
    await until('the tool is running', async () => (await lastBuild(scene)).log().includes('$ '));
    const later = await EnvironmentScene.open({ folder: scene.folder });
    later.environments.start();
    const prepared = await later.ensure(script);
    expect(prepared).toEqual(await first);
    expect(later.builds[0]?.log()).toContain('The other build has finished; the environment is ready');
  });
});

it('two versions of a script with the same requirements are listed once', async () => {
  const scene = await EnvironmentScene.open();
  const script = await needing(scene, 'updated');
  await scene.python(script);
  const before = await needing(scene, 'updated-before');
  scene.scripts.splice(scene.scripts.indexOf(before), 1, { ...before, id: script.id });
  expect((await scene.environments.list()).map(({ scripts }) => scripts)).toEqual([
    [{ id: script.id, name: 'updated' }],
  ]);
});

describe('an unused environment', () => {
  it('is removed at the start if it is incomplete and its builder is gone', async () => {
    const scene = await EnvironmentScene.open();
    const script = await needing(scene, 'kept');
    const { key } = await scene.python(script);
    const half = 'a'.repeat(32);
    await mkdir(join(scene.folder, half, 'b-12345678', 'env'), { recursive: true });
    await mkdir(join(scene.folder, '.removing-1-0-x', 'env'), { recursive: true });
    const [old, awaited] = [`${half}.asked`, `${'b'.repeat(32)}.asked`];
    for (const name of [old, awaited]) await writeFile(join(scene.folder, name), '');
    await utimes(join(scene.folder, old), 1, 1);
    await writeFile(join(scene.folder, half, `building-${process.pid}-1`), '');
    expect(await scene.environments.list()).toMatchObject([
      { key: expect.any(String), state: expect.any(String) },
      { key: expect.any(String), state: expect.any(String) },
    ]);
    scene.environments.start();
    await scene.environments.close();
    // The files that a queued build will install are still there.
    expect((await readdir(scene.folder)).sort()).toEqual([key, awaited].sort());
  });

  it('is pruned after its time, but never one that a script needs, even if the clock is wrong', async () => {
    let now = new Date();
    const scene = await EnvironmentScene.open({ now: () => now });
    const [kept, changed] = [await needing(scene, 'kept'), await needing(scene, 'changed')];
    await writeFile(
      join(changed.folder, 'requirements.txt'),
      '--no-index\n--find-links wheels\ntiny_one>=1\n',
    );
    const { key, python } = await scene.python(kept);
    const old = await scene.python(changed);
    await writeFile(join(changed.folder, 'requirements.txt'), '# nothing any more\n');
    const look = async (atMs: number) => {
      now = new Date(atMs);
      scene.environments.start();
      await scene.environments.close();
      return (await readdir(scene.folder)).sort();
    };
    const start = now.getTime();
    expect(await look(start + 6 * dayMs)).toEqual([key, old.key].sort());
    expect(await look(start + 8 * dayMs)).toEqual([key]);
    expect(await look(start + 100_000 * dayMs)).toEqual([key]);
    expect(await scene.python(kept)).toMatchObject({ key, python });
  });

  it('has its age counted from its last use, which is recorded once an hour', async () => {
    let now = new Date();
    const scene = await EnvironmentScene.open({ now: () => now });
    const script = await needing(scene, 'used');
    const { key, python } = await scene.python(script);
    const used = async () => (await scene.environments.list())[0]?.usedAt;
    const first = await used();
    now = new Date(now.getTime() + 30 * 60 * 1000);
    await scene.python(script);
    expect(await used()).toBe(first);
    now = new Date(now.getTime() + 2 * 60 * 60 * 1000);
    await scene.python(script);
    expect(await used()).toBe(now.toISOString());
    // An old mark, for a script that is gone.
    scene.scripts.length = 0;
    const marker = join(dirname(dirname(dirname(dirname(python)))), 'environment.json');
    await utimes(marker, new Date(0), new Date(0));
    const later = await EnvironmentScene.open({ folder: scene.folder });
    later.environments.start();
    await later.environments.close();
    expect(await readdir(scene.folder)).not.toContain(key);
  });

  it('can be removed by hand, and reports the freed space', async () => {
    const scene = await EnvironmentScene.open();
    const script = await needing(scene, 'removed');
    const { key } = await scene.python(script);
    const view = await scene.environments.remove(key);
    expect(view).toMatchObject({ key, state: 'ready' });
    expect(view?.bytes).toBeGreaterThan(1000);
    expect(await scene.environments.remove(key)).toBeNull();
    expect(await scene.environments.remove('../scripts')).toBeNull();
    expect(await readdir(script.folder)).toContain('requirements.txt');
    expect(await readdir(scene.folder)).toEqual([]);
    await scene.python(script);
    await rm(scene.folder, { recursive: true });
    expect(await scene.environments.list()).toEqual([]);
  });

  it('is not removed while it is being built', async () => {
    const scene = await EnvironmentScene.open();
    const script = await needing(scene, 'building');
    const waiting = scene.python(script);
    const build = await lastBuild(scene);
    await until('the tool is running', async () => build.log().includes('$ '));
    const [view] = await scene.environments.list();
    expect(view).toMatchObject({ state: 'building', kind: 'python' });
    await expect(scene.environments.remove(view?.key ?? '')).rejects.toMatchObject({
      code: 'environment-in-use',
    });
    await waiting;
  });

  it('is not removed while a run uses it, or a run of a script that needs it has not ended', async () => {
    let now = new Date();
    const scene = await EnvironmentScene.open({ unusedMs: 1000, now: () => now });
    const script = await needing(scene, 'used');
    const { key } = await scene.python(script);
    const inUse = { code: 'environment-in-use' };
    scene.scriptsInUse.add(script.id);
    await expect(scene.environments.remove(key)).rejects.toMatchObject(inUse);
    scene.scriptsInUse.clear();

    await scene.ensure(script, { runId: 'a-run' });
    scene.liveRuns.add('a-run');
    await expect(scene.environments.remove(key)).rejects.toMatchObject(inUse);
    // The script has changed, and the run continues with its environment.
    scene.scripts.length = 0;
    now = new Date(now.getTime() + 3_600_000);
    scene.environments.start();
    await scene.environments.close();
    expect(await scene.environments.list()).toMatchObject([{ key }]);
    scene.liveRuns.clear();
    expect(await scene.environments.remove(key)).toMatchObject({ key });
  });
});
