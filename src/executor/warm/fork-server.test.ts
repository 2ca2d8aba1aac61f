import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
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
  readAll,
  seeThrough,
  type WarmScene,
} from '../../../test/support/warm-scene.ts';
import { isEnding, isSameProcess, startTicksOf } from '../run-processes.ts';
import { ForkServer, type ServerEnd, type WarmInterpreter } from './fork-server.ts';
import type { InterpreterSpec } from './host-command.ts';

const canFork = has('Python on Linux', findProgram('python3') !== null && existsSync('/proc/self/stat'));

const systemPython = '/usr/bin/python3';
/** Whether the distribution's Python has a module. A missing one is listed at the end of the tests. */
const hasModule = (name: string) => has(name, spawnSync(systemPython, ['-c', `import ${name}`]).status === 0);
const hasNumpy = hasModule('numpy');
const hasTorch = hasModule('torch');

/** Each script prints a line that is the same in each run, and one that is not. */
const heavyModules = [
  {
    name: 'pandas',
    preload: ['pandas'],
    isHere: hasModule('pandas'),
    text: `
import pandas
frame = pandas.DataFrame({"a": range(100000)})
print(frame.a.sum(), frame.sample(3, random_state=1).a.tolist())
print(frame.sample(3).a.tolist())
`,
  },
  {
    name: 'scipy',
    preload: ['scipy.linalg', 'scipy.stats'],
    isHere: hasModule('scipy'),
    text: `
import scipy.linalg, scipy.stats
print(scipy.linalg.det([[1.0, 2.0], [3.0, 4.5]]), scipy.stats.norm.rvs(random_state=1))
print(scipy.stats.norm.rvs())
`,
  },
  {
    name: 'PIL',
    preload: ['PIL.Image'],
    isHere: hasModule('PIL'),
    text: `
import io, os, PIL.Image
image, file = PIL.Image.linear_gradient("L").rotate(30), io.BytesIO()
image.save(file, "PNG")
print(PIL.Image.open(io.BytesIO(file.getvalue())).tobytes() == image.tobytes())
print(os.getpid())
`,
  },
  {
    name: 'torch',
    preload: ['torch'],
    isHere: hasTorch,
    text: `
import torch
numbers = torch.rand(500, 500, generator=torch.Generator().manual_seed(1), requires_grad=True)
product = numbers @ numbers
product.sum().backward()
print(product[0, 0].item(), numbers.grad[0, 0].item(), torch.get_num_threads())
print(torch.rand(1).item(), torch.initial_seed())
`,
  },
];

function startServer(scene: WarmScene, spec: Partial<InterpreterSpec> = {}) {
  const reported: ('ready' | ServerEnd)[] = [];
  const server = new ForkServer(scene.python(spec), programs.python, scene.processes, {
    ready: () => void reported.push('ready'),
    ended: (why) => void reported.push(why),
  });
  onTestFinished(() => server.close());
  const untilReported = async (word: 'ready' | ServerEnd) => {
    await until(`the server reports ${word}`, async () => reported.includes(word), 20_000);
  };
  const fork = async () => (await server.fork()) ?? fail();
  return { server, reported, untilReported, fork };
}

function fail(): WarmInterpreter {
  throw new Error('the server returned no child');
}

describe.skipIf(!canFork)('a fork server', () => {
  it('has children that execute their run even after the server was killed, with an unknown exit code', async () => {
    const scene = await openWarmScene();
    const { untilReported, fork, server } = startServer(scene);
    await untilReported('ready');
    const child = await fork();
    const pid = server.pid ?? 0;
    const startTicks = startTicksOf(pid);
    killEach([pid]);
    await until('the server has ended', async () => !isSameProcess(pid, startTicks));
    expect(child.give(await scene.order('import sys; print("late"); sys.exit(5)'))).toBe(true);
    expect(await seeThrough(child)).toEqual({
      code: null,
      signal: null,
      isUnseen: true,
      stdout: 'late\n',
      stderr: '',
    });
  });

  it('has children that each execute one run, and reports its output and exit code', async () => {
    const scene = await openWarmScene();
    const { untilReported, fork, server } = startServer(scene);
    await untilReported('ready');
    const before = openHandles();
    for (const [text, expected] of [
      ['print("out")', { code: 0, signal: null, stdout: 'out\n', stderr: '' }],
      ['import sys; sys.exit(3)', { code: 3, signal: null, stdout: '', stderr: '' }],
      ['import sys; sys.exit("text")', { code: 1, signal: null, stdout: '', stderr: 'text\n' }],
      ['import os; os._exit(4)', { code: 4, signal: null, stdout: '', stderr: '' }],
      ['import os; os.kill(os.getpid(), 9)', { code: null, signal: 'SIGKILL', stdout: '', stderr: '' }],
    ] as const) {
      const child = await fork();
      expect(parentOf(child.pid)).toBe(server.pid);
      expect(child.give(await scene.order(text))).toBe(true);
      expect(await seeThrough(child)).toEqual(expected);
    }
    expect(openHandles()).toBe(before);
  });

  it('closes the pipes of discarded and killed children', async () => {
    const scene = await openWarmScene();
    const { untilReported, fork } = startServer(scene);
    await untilReported('ready');
    (await fork()).discard();
    const killed = await fork();
    killEach([killed.pid]);
    // A killed child may still receive its run for a moment, but does not read it any more.
    killed.give(await scene.order('print("not me")'));
    await killed.exited;
    readAll(killed.stdout);
    readAll(killed.stderr);
    const before = openHandles();
    for (let count = 0; count < 20; count++) {
      const child = await fork();
      expect(child.give(await scene.order(`print(${count})`))).toBe(true);
      expect(await seeThrough(child)).toEqual({ code: 0, signal: null, stdout: `${count}\n`, stderr: '' });
    }
    expect(openHandles()).toBe(before);
  });

  it('has children that end normally although they forbid opening files', async () => {
    const scene = await openWarmScene();
    const { untilReported, fork } = startServer(scene);
    await untilReported('ready');
    const text = `
import sys
def forbid(event, args):
    if event in ("open", "os.listdir"): raise RuntimeError(event)
sys.addaudithook(forbid)
print("done")
`;
    const child = await fork();
    expect(child.give(await scene.order(text))).toBe(true);
    expect(await seeThrough(child)).toEqual({ code: 0, signal: null, stdout: 'done\n', stderr: '' });
  });

  it('reports the exit of a child when the kernel does, and not before', async () => {
    const scene = await openWarmScene();
    const { untilReported, fork, server } = startServer(scene);
    await untilReported('ready');
    const child = await fork();
    const serverPid = server.pid ?? 0;
    process.kill(serverPid, 'SIGSTOP');
    onTestFinished(() => void process.kill(serverPid, 'SIGCONT'));
    let hasEnded = false;
    void child.exited.then(() => {
      hasEnded = true;
    });
    expect(child.give(await scene.order('import sys; sys.exit(259)'))).toBe(true);
    await until('its server can collect it', async () => isEnding(child.pid));
    expect(hasEnded).toBe(false);
    process.kill(serverPid, 'SIGCONT');
    expect(await seeThrough(child)).toEqual({ code: 3, signal: null, stdout: '', stderr: '' });
  });

  it('has children that do not load the preloaded modules again', async () => {
    const scene = await openWarmScene();
    const { untilReported, fork } = startServer(scene);
    await untilReported('ready');
    const text = `
import sys
import _frozen_importlib_external as importlib
importlib.SourceFileLoader.get_code = lambda loader, name: print("loads", name)
import argparse, json, sqlite3, urllib.request
from email.mime.text import MIMEText
print("json" in sys.modules)
`;
    const child = await fork();
    child.give(await scene.order(text));
    expect(await seeThrough(child)).toMatchObject({ code: 0, stdout: 'True\n', stderr: '' });
  });

  it('reports the exit code of its last child even if it was closed before', async () => {
    const scene = await openWarmScene();
    for (let count = 0; count < 5; count++) {
      const { untilReported, fork, server, reported } = startServer(scene);
      await untilReported('ready');
      const children = [await fork(), await fork()];
      for (const child of children) child.give(await scene.order('import sys; sys.exit(7)'));
      server.close();
      for (const child of children)
        expect(await seeThrough(child)).toEqual({ code: 7, signal: null, stdout: '', stderr: '' });
      expect(reported).toEqual(['ready', 'gone']);
    }
    await scene.noneLeft();
  });

  it('leaves a child running that has a run when it is killed, with an unknown exit code', async () => {
    const scene = await openWarmScene();
    const { untilReported, fork, server, reported } = startServer(scene);
    await untilReported('ready');
    const child = await fork();
    const [began, go] = [join(scene.folder, 'began'), join(scene.folder, 'go')];
    const order = await scene.order(
      `import os, time\nopen(${JSON.stringify(began)}, "w")\nwhile not os.path.exists(${JSON.stringify(go)}): time.sleep(0.01)\nprint("after")`,
    );
    child.give(order);
    await fileThere(began);
    killEach([server.pid ?? 0]);
    await untilReported('gone');
    await writeFile(go, '');
    expect(await seeThrough(child)).toEqual({
      code: null,
      signal: null,
      isUnseen: true,
      stdout: 'after\n',
      stderr: '',
    });
    expect(reported).toEqual(['ready', 'gone']);
    await scene.noneLeft();
  });

  it('leaves children without a run when it is killed, which end when they are discarded', async () => {
    const scene = await openWarmScene();
    const before = openHandles();
    const { untilReported, fork, server } = startServer(scene);
    await untilReported('ready');
    const [first, second] = [await fork(), await fork()];
    killEach([server.pid ?? 0]);
    await untilReported('gone');
    expect(await server.fork()).toBeNull();
    first.discard();
    second.discard();
    await Promise.all([first.exited, second.exited]);
    await scene.noneLeft();
    await until('no handle is left', async () => openHandles() <= before);
  });

  it('returns null for all requests when it is killed, and leaves no pipe', async () => {
    const scene = await openWarmScene();
    const before = openHandles();
    const { untilReported, server } = startServer(scene);
    await untilReported('ready');
    process.kill(server.pid ?? 0, 'SIGSTOP');
    const forks = [server.fork(), server.fork()];
    expect(openHandles()).toBeGreaterThanOrEqual(before + 12);
    killEach([server.pid ?? 0]);
    expect(await Promise.all(forks)).toEqual([null, null]);
    await until('no handle is left', async () => openHandles() <= before);
  });

  it('reports a child that was killed before it had a run', async () => {
    const scene = await openWarmScene();
    const { untilReported, fork } = startServer(scene);
    await untilReported('ready');
    const child = await fork();
    killEach([child.pid]);
    expect((await child.exited).signal).toBe('SIGKILL');
    expect(child.give(await scene.order(''))).toBe(false);
    child.discard();
  });

  it('does not give a run to a child that was killed a moment ago', async () => {
    const scene = await openWarmScene();
    const { untilReported, fork } = startServer(scene);
    await untilReported('ready');
    for (const signal of ['SIGKILL', 'SIGTERM'] as const) {
      const child = await fork();
      const order = await scene.order('');
      process.kill(child.pid, signal);
      expect(child.give(order)).toBe(false);
      child.discard();
      expect((await child.exited).signal).toBe(signal);
    }
  });

  it('refuses an order that is longer than a pipe can hold', async () => {
    const scene = await openWarmScene();
    const { untilReported, fork } = startServer(scene);
    await untilReported('ready');
    const child = await fork();
    expect(child.give(await scene.order('', { args: ['x'.repeat(5000)] }))).toBe(false);
    child.discard();
    expect((await child.exited).code).toBe(0);
  });

  it('reports that it cannot fork when its modules run threads', async () => {
    const scene = await openWarmScene();
    const text =
      'import threading, time\nthreading.Thread(target=time.sleep, args=(600,), daemon=True).start()\n';
    await writeFile(join(scene.folder, 'with_thread.py'), text);
    const { untilReported } = startServer(scene, {
      preload: ['with_thread'],
      env: { PYTHONPATH: scene.folder },
    });
    await untilReported('threads');
    await scene.noneLeft();
  });

  it.skipIf(!hasNumpy)('forks although numpy has threads, which numpy ends for a fork', async () => {
    const scene = await openWarmScene();
    const { untilReported, fork } = startServer(scene, { file: systemPython, preload: ['numpy'] });
    await untilReported('ready');
    const text = `
import os, sys
loaded = "numpy" in sys.modules
import numpy
a = numpy.arange(250000.0).reshape(500, 500)
print(loaded, int((a @ a)[1, 1]), numpy.random.rand())
`;
    const outputs: string[] = [];
    for (let count = 0; count < 2; count++) {
      const child = await fork();
      child.give(await scene.order(text));
      const { code, stdout, stderr } = await seeThrough(child);
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      outputs.push(stdout);
    }
    expect(outputs[0]).toMatch(/^True 51958749750 0\.\d+\n$/);
    expect(outputs[1]).not.toBe(outputs[0]);
  });

  it.for(heavyModules)(
    'forks $name, with the results of a cold start and other random numbers',
    async ({ preload, isHere, text }, { skip }) => {
      skip(!isHere);
      const scene = await openWarmScene();
      const { untilReported, fork } = startServer(scene, { file: systemPython, preload });
      await untilReported('ready');
      const loaded = `import sys\nloaded = ${JSON.stringify(preload[0])} in sys.modules\n`;
      const order = await scene.order(`${loaded}${text}print(loaded)\n`);
      const cold = spawnSync(systemPython, [order.entry], { encoding: 'utf8' });
      expect(cold).toMatchObject({ status: 0, stderr: '' });
      const outputs = [cold.stdout];
      for (let count = 0; count < 2; count++) {
        const child = await fork();
        child.give(order);
        const { code, stdout, stderr } = await seeThrough(child);
        expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
        outputs.push(stdout);
      }
      const lines = outputs.map((output) => output.trim().split('\n'));
      expect(new Set(lines.map(([steady]) => steady)).size).toBe(1);
      expect(new Set(lines.map(([, random]) => random)).size).toBe(3);
      expect(lines.map(([, , isLoaded]) => isLoaded)).toEqual(['False', 'True', 'True']);
    },
  );

  it.for([
    ['has a random number generator of numpy', 'import numpy\nkept = numpy.random.default_rng()\n', hasNumpy],
    ['sets the seed of numpy', 'import numpy\nnumpy.random.seed(3)\n', hasNumpy],
    ['sets the seed of torch', 'import torch\ntorch.manual_seed(3)\n', hasTorch],
    [
      'has a random number generator of torch with a random seed',
      'import torch\nkept = torch.Generator()\nkept.seed()\n',
      hasTorch,
    ],
    [
      'has started threads of torch',
      'import torch\ntorch.set_num_threads(3)\nkept = torch.rand(3000000).exp()\n',
      hasTorch,
    ],
  ] as const)('does not fork a module that %s', async ([_what, text, isHere], { skip }) => {
    skip(!isHere);
    const scene = await openWarmScene();
    await writeFile(join(scene.folder, 'with_numbers.py'), text);
    const { untilReported } = startServer(scene, {
      file: systemPython,
      preload: ['with_numbers'],
      env: { PYTHONPATH: scene.folder },
    });
    await untilReported('threads');
    await scene.noneLeft();
  });

  it('reports that it is unfit when its modules start programs, and kills those', async () => {
    const scene = await openWarmScene();
    const text = 'import subprocess\nkept = subprocess.Popen(["sleep", "600"])\n';
    await writeFile(join(scene.folder, 'with_child.py'), text);
    const { untilReported } = startServer(scene, {
      preload: ['with_child'],
      env: { PYTHONPATH: scene.folder },
    });
    await untilReported('unfit');
    await scene.noneLeft();
  });

  it('ends when it is closed while a module never finishes loading', async () => {
    const scene = await openWarmScene();
    const began = join(scene.folder, 'began');
    const text = `open(${JSON.stringify(began)}, "w")\nimport time\ntime.sleep(600)\n`;
    await writeFile(join(scene.folder, 'waits.py'), text);
    const { server, reported } = startServer(scene, {
      preload: ['waits'],
      env: { PYTHONPATH: scene.folder },
    });
    await fileThere(began);
    server.close();
    await scene.noneLeft();
    expect(reported).toEqual(['gone']);
  });

  it.each([
    ['does not exist', '/nowhere/python3', 'gone'],
    ['is another program', '/bin/true', 'gone'],
  ] as const)('ends when the interpreter %s', async (_what, file, why) => {
    const scene = await openWarmScene();
    const { untilReported, server } = startServer(scene, { file });
    await untilReported(why);
    expect(await server.fork()).toBeNull();
  });

  it('ends when its environment is too large for the system', async () => {
    const scene = await openWarmScene();
    const { untilReported } = startServer(scene, { env: { LARGE: 'x'.repeat(200_000) } });
    await untilReported('gone');
  });

  it('reports that it is stale when a module that it has loaded has changed', async () => {
    const scene = await openWarmScene();
    const module = join(scene.folder, 'lib', 'versioned.py');
    await mkdir(join(scene.folder, 'lib'));
    await writeFile(module, 'version = 1\n');
    const { untilReported, server } = startServer(scene, {
      preload: ['versioned'],
      env: { PYTHONPATH: join(scene.folder, 'lib'), PYTHONDONTWRITEBYTECODE: '1' },
    });
    await untilReported('ready');
    await writeFile(module, 'version = 22\n');
    expect(await server.fork()).toBeNull();
    await untilReported('stale');
  });

  it('reports that it is stale when the folder for packages of the user appears', async () => {
    const scene = await openWarmScene();
    const { untilReported, server } = startServer(scene, {
      env: { PYTHONUSERBASE: join(scene.folder, 'user') },
    });
    await untilReported('ready');
    const packages = spawnSync(scene.python().file, ['-m', 'site', '--user-site'], {
      encoding: 'utf8',
      env: { PYTHONUSERBASE: join(scene.folder, 'user') },
    }).stdout;
    await mkdir(packages.trim(), { recursive: true });
    expect(await server.fork()).toBeNull();
    await untilReported('stale');
  });

  it('exits by itself, with all waiting children, when its control handle is closed', async () => {
    const scene = await openWarmScene();
    const { untilReported, fork, server } = startServer(scene);
    await untilReported('ready');
    const child = await fork();
    const pid = server.pid ?? 0;
    const startTicks = startTicksOf(pid);
    child.discard();
    server.close();
    await until('the server has ended', async () => !isSameProcess(pid, startTicks));
    await scene.noneLeft();
  });
});
