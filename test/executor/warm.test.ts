import { execFile, spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { appendFile, mkdir, rm, writeFile } from 'node:fs/promises';
import { freemem } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { executorPid, type Hob, startHob, tempFolder } from '../support/hob.ts';
import { findProgram, has } from '../support/needs.ts';
import { startTraced } from '../support/processes.ts';
import { python, writeScript } from '../support/scripts.ts';
import { until } from '../support/until.ts';
import { pythonFile } from '../support/warm-scene.ts';
import {
  childrenOf,
  makeWarm,
  openWarmService,
  runWarm,
  untilWaiting,
  type WarmService,
  warmOf,
} from '../support/warm-service.ts';

const isHere = has('Python on Linux', process.platform === 'linux' && findProgram('python3') !== null);
const hasScipy = has('scipy', spawnSync('/usr/bin/python3', ['-c', 'import scipy']).status === 0);

const entries = {
  python: ['main.py', 'import sys\nprint("python", len(sys.argv))\n'],
  'node.js': ['main.mjs', 'console.log("node", process.argv.length)\n'],
  typescript: ['main.ts', 'const count: number = process.argv.length;\nconsole.log("typescript", count)\n'],
} as const;

/** A minimal virtual environment, and its site-packages folder. */
async function makeVenv(folder: string): Promise<string> {
  await promisify(execFile)(pythonFile, ['-m', 'venv', '--without-pip', join(folder, '.venv')]);
  const [version = ''] = readdirSync(join(folder, '.venv', 'lib'));
  return join(folder, '.venv', 'lib', version, 'site-packages');
}

const stdoutOf = async (hob: Hob, id: string, rest = {}) => (await hob.run(id, rest)).body.stdout;

describe.skipIf(!isHere)('a warm start', () => {
  let service: WarmService;
  beforeAll(async () => {
    // Enough memory that no kind is evicted for another.
    service = await openWarmService('warm_memory_mb = 4000\n');
  });
  afterAll(() => service.close());

  it.each(['python', 'node.js', 'typescript'] as const)(
    'happens from the second run of a %s script on',
    async (language) => {
      const { hob, add } = service;
      const [name, text] = entries[language];
      const runtime = `env = { KIND = "${language}" }`;
      const id = await add(language, { language, entry: [name, text], runtime });
      const before = await warmOf(hob);
      const cold = (await hob.run(id)).body;
      expect(cold.exit_code).toBe(0);
      const interpreters = await untilWaiting(hob, before.interpreters.length + 1);
      expect(interpreters.at(-1)).toMatchObject({
        language: language === 'python' ? 'python' : 'node.js',
        forked: language === 'python',
        preload: [],
      });
      const warm = (await hob.run(id)).body;
      expect({ ...warm, result: null }).toEqual({ ...cold, result: null });
      expect(await warmOf(hob)).toMatchObject({ hits: before.hits + 1, misses: before.misses + 1 });
    },
  );

  it('is shared by scripts of the same kind, and by no others', async () => {
    const { hob, add } = service;
    const text = 'import os\nprint(os.environ.get("KIND"), os.path.basename(os.getcwd()))\n';
    const write = (name: string, kind: string) =>
      add(name, { language: 'python', entry: ['main.py', text], runtime: `env = { KIND = "${kind}" }` });
    const before = await warmOf(hob);
    const ids: Record<string, string> = {
      'zero plain': await write('plain', 'zero'),
      'zero alike': await write('alike', 'zero'),
      'one first': await write('first', 'one'),
      'two second': await write('second', 'two'),
    };
    for (const round of ['cold', 'warm']) {
      for (const [said, id] of Object.entries(ids)) expect(await stdoutOf(hob, id)).toBe(`${said}\n`);
      if (round === 'cold') await untilWaiting(hob, before.interpreters.length + 3);
    }
    const { hits } = await warmOf(hob);
    expect(hits - before.hits).toBeGreaterThanOrEqual(4);
  });

  it('does not happen if the script forbids it, if no interpreter may wait, or with a given hash seed', async () => {
    const scripts = await tempFolder();
    const entry: [string, string] = ['main.py', 'print(hash("hob"))\n'];
    const never = await writeScript(scripts, 'never', { language: 'python', entry, runtime: 'warm = false' });
    const seeded = await writeScript(scripts, 'seeded', {
      language: 'python',
      entry,
      runtime: 'env = { PYTHONHASHSEED = "42" }',
    });
    const plain = await writeScript(scripts, 'plain', { language: 'python', entry });
    const hob = await startHob({ scripts: [scripts] });
    for (let count = 0; count < 2; count++) await hob.run(never);
    const first = await stdoutOf(hob, seeded);
    expect(await stdoutOf(hob, seeded)).toBe(first);
    expect(await warmOf(hob)).toMatchObject({ hits: 0, misses: 0, interpreters: [] });
    await runWarm(hob, plain);
    // Warm interpreters exist now, with another seed.
    expect(await stdoutOf(hob, seeded)).toBe(first);

    const none = await startHob({ scripts: [scripts], settings: 'warm_memory_mb = 0\n' });
    for (let count = 0; count < 3; count++) await none.run(plain);
    expect(await warmOf(none)).toMatchObject({ hits: 0, misses: 0, budget_bytes: 0, interpreters: [] });
    expect(await childrenOf(await executorPid(none.home))).toEqual([]);
  });

  it('stays within its memory limit', async () => {
    const scripts = await tempFolder();
    const ids: string[] = [];
    for (const [language, entry] of Object.entries(entries))
      ids.push(await writeScript(scripts, language, { language, entry: [...entry] }));
    for (const kind of ['a', 'b'])
      ids.push(
        await writeScript(scripts, kind, {
          language: 'python',
          entry: [...entries.python],
          runtime: `env = { KIND = "${kind}" }`,
        }),
      );
    const hob = await startHob({ scripts: [scripts], settings: 'warm_memory_mb = 60\n' });
    await Promise.all(ids.map((id) => hob.run(id)));
    await until('some wait, within the budget', async () => {
      const { interpreters, memory_bytes, budget_bytes } = await warmOf(hob);
      expect(budget_bytes).toBe(60_000_000);
      return (
        interpreters.some(({ waiting }) => waiting > 0) && memory_bytes > 0 && memory_bytes <= budget_bytes
      );
    });
    expect((await warmOf(hob)).interpreters.length).toBeLessThan(5);
    for (const id of ids) expect((await hob.run(id)).body.exit_code).toBe(0);
  });

  it('keeps no interpreter waiting that is unused for a while', async () => {
    const scripts = await tempFolder();
    const id = await writeScript(scripts, 'one', { language: 'python', entry: [...entries.python] });
    const { hob, trace } = await startTraced({ scripts: [scripts], settings: 'warm_idle_minutes = 0.01\n' });
    await hob.run(id);
    await untilWaiting(hob);
    await until('none waits', async () => (await warmOf(hob)).interpreters.length === 0);
    await until('none is there', async () => (await trace.scripts()).length === 0);
    expect(await stdoutOf(hob, id)).toBe('python 2\n');
  });

  it('fails to import a declared package that cannot be loaded, as a cold start does', async () => {
    const { hob, add } = service;
    const library = await tempFolder();
    await mkdir(join(library, 'broken'));
    await writeFile(join(library, 'broken', 'part.py'), '');
    await writeFile(join(library, 'broken', '__init__.py'), 'import broken.part\nraise ImportError("no")\n');
    const id = await add('declares-broken', {
      language: 'python',
      entry: ['main.py', 'try:\n    import broken\nexcept ImportError as error:\n    print(error)\n'],
      runtime: `preload = ["broken"]\nenv = { PYTHONPATH = ${JSON.stringify(library)} }`,
    });
    expect((await runWarm(hob, id)).body.stdout).toBe('no\n');
  });

  it('has loaded the modules that the script declares', async () => {
    const { hob, add } = service;
    const id = await add('declares', {
      language: 'python',
      entry: ['main.py', 'import sys\nprint("sched" in sys.modules)\nimport sched\nprint(sched.__name__)\n'],
      runtime: 'preload = ["sched"]',
    });
    expect((await runWarm(hob, id)).body.stdout).toBe('True\nsched\n');
    expect((await warmOf(hob)).interpreters).toContainEqual(
      expect.objectContaining({ preload: ['sched'], forked: true }),
    );
  });

  it.skipIf(!hasScipy)('forks numpy and scipy, with the results and threads of a cold run', async () => {
    const scripts = await tempFolder();
    const text = `
import hashlib, os
import numpy, scipy.linalg
numbers = numpy.random.RandomState(3).rand(600, 600)
solved = scipy.linalg.solve(numbers, numbers @ numbers)
print(hashlib.sha256(solved.tobytes()).hexdigest(), len(os.listdir("/proc/self/task")))
print(numpy.random.rand())
`;
    const id = await writeScript(scripts, 'scipy', {
      language: 'python',
      entry: ['main.py', text],
      runtime: 'preload = ["scipy.linalg"]',
    });
    const env = { PATH: '/usr/bin:/bin' };
    const hob = await startHob({ scripts: [scripts], settings: 'warm_memory_mb = 1000\n', env });
    const outputs = [await stdoutOf(hob, id)];
    for (let count = 0; count < 2; count++) outputs.push((await runWarm(hob, id)).body.stdout);
    const lines = outputs.map((output) => String(output).split('\n'));
    expect(lines[0]?.[0]).toMatch(/^[0-9a-f]{64} \d+$/);
    expect(new Set(lines.map(([steady]) => steady)).size).toBe(1);
    expect(new Set(lines.map(([, random]) => random)).size).toBe(3);
    expect((await warmOf(hob)).interpreters).toMatchObject([{ preload: ['scipy.linalg'], forked: true }]);
  });

  it('uses one process per interpreter for a package that runs a thread', async () => {
    const { hob, add, scripts } = service;
    const id = await add('threaded-one', {
      language: 'python',
      entry: [
        'main.py',
        'import threaded, threading\nprint(threaded.answers.get(), threading.active_count())\n',
      ],
      runtime: 'preload = ["threaded"]',
    });
    const packages = await makeVenv(join(scripts, 'threaded-one'));
    await mkdir(join(packages, 'threaded'));
    await writeFile(
      join(packages, 'threaded', '__init__.py'),
      'import queue, threading\nanswers = queue.Queue()\ndef work():\n    while True: answers.put("alive")\nanswers.maxsize = 1\nthreading.Thread(target=work, daemon=True).start()\n',
    );
    const cold = await stdoutOf(hob, id);
    expect(cold).toBe('alive 2\n');
    expect((await runWarm(hob, id)).body.stdout).toBe(cold);
    expect((await warmOf(hob)).interpreters).toContainEqual(
      expect.objectContaining({ preload: ['threaded'], forked: false }),
    );
  });

  it('sees changes in its environment', async () => {
    const { hob, add, scripts } = service;
    const id = await add('changing', {
      language: 'python',
      entry: [
        'main.py',
        'import sys, versioned\nprint(versioned.version, "/more" in sys.path, hasattr(sys, "hooked"))\n',
      ],
      runtime: 'preload = ["versioned"]',
    });
    const packages = await makeVenv(join(scripts, 'changing'));
    const write = (version: string) => writeFile(join(packages, 'versioned.py'), `version = "${version}"\n`);
    await write('1.0');
    expect((await runWarm(hob, id)).body.stdout).toBe('1.0 False False\n');
    await makeWarm(hob, id);
    await write('1.1.0');
    expect(await stdoutOf(hob, id)).toBe('1.1.0 False False\n');
    expect((await runWarm(hob, id)).body.stdout).toBe('1.1.0 False False\n');
    await writeFile(join(packages, 'more.pth'), 'import sys; sys.path.append("/more")\n');
    expect(await stdoutOf(hob, id)).toBe('1.1.0 True False\n');
    await makeWarm(hob, id);
    await appendFile(join(packages, 'more.pth'), 'import sys; sys.hooked = True\n');
    expect(await stdoutOf(hob, id)).toBe('1.1.0 True True\n');
    await makeWarm(hob, id);
    // A new environment in its place, with only the same name.
    await rm(join(scripts, 'changing', '.venv'), { recursive: true });
    await makeVenv(join(scripts, 'changing'));
    await write('2.0');
    expect(await stdoutOf(hob, id)).toBe('2.0 False False\n');
    await makeWarm(hob, id);
    await appendFile(
      join(scripts, 'changing', '.venv', 'pyvenv.cfg'),
      'include-system-site-packages = false\n',
    );
    expect(await stdoutOf(hob, id)).toBe('2.0 False False\n');
  });

  it('passes a lock on when the process of its holder is gone, however much memory that had', async () => {
    const { hob, add, scripts } = service;
    // Three processes could hold this at the same time if the lock was passed on too early.
    const heldBytes = freemem() > 12e9 ? 3 * 2 ** 30 : 2 ** 30;
    const id = await add('holder', {
      language: 'python',
      runtime: 'lock = "gpu"',
      entry: [
        'main.py',
        `import os
before = open("pid").read() if os.path.exists("pid") else ""
print(os.path.exists("/proc/" + before) if before else "first")
with open("pid", "w") as file: file.write(str(os.getpid()))
held = bytearray(${heldBytes})
for at in range(0, len(held), 4096): held[at] = 1
`,
      ],
    });
    await makeWarm(hob, id);
    const before = await warmOf(hob);
    expect(await Promise.all([1, 2, 3].map(() => stdoutOf(hob, id)))).toEqual(Array(3).fill('False\n'));
    expect((await warmOf(hob)).hits).toBeGreaterThan(before.hits);
    await rm(join(scripts, 'holder'), { recursive: true });
  });

  it('runs the current version of the entry', async () => {
    const { hob, add, scripts } = service;
    for (const [language, name, say] of [
      ['python', 'main.py', 'print'],
      ['node.js', 'main.cjs', 'console.log'],
    ] as const) {
      const id = await add(`entry-${language}`, { language, entry: [name, `${say}("old")\n`] });
      await makeWarm(hob, id);
      await writeFile(join(scripts, `entry-${language}`, name), `${say}("new")\n`);
      expect((await runWarm(hob, id)).body.stdout).toBe('new\n');
      await rm(join(scripts, `entry-${language}`, name));
      expect((await hob.run(id)).status).not.toBe(500);
      await rm(join(scripts, `entry-${language}`), { recursive: true });
      const { status, body } = await hob.run(id);
      expect([404, 409, 200]).toContain(status);
      if (status === 200) expect(body.success).toBe(false);
      await add(`entry-${language}`, { id, language, entry: [name, `${say}("back")\n`] });
      await until('it is back', async () => (await hob.run(id)).body.stdout === 'back\n');
    }
  });

  it('is replaced by a cold start if the paths are too long for the message', async () => {
    const { hob, add } = service;
    const scripts = await tempFolder();
    const plain = await add('short', { language: 'python', entry: [...entries.python] });
    const text =
      'import os, sys\nprint(len(os.getcwd()) > 2000, sys.argv[0] == os.path.abspath("main.py"))\n';
    const long = join(...Array.from({ length: 12 }, () => 'x'.repeat(200)));
    await mkdir(join(scripts, long), { recursive: true });
    const other = await startHob({ scripts: [join(scripts, long)] });
    const id = await writeScript(join(scripts, long), 'long', {
      language: 'python',
      entry: ['main.py', text],
    });
    await until('it is known', async () => (await other.run(id)).status === 200);
    await untilWaiting(other);
    const before = await warmOf(other);
    expect(await stdoutOf(other, id)).toBe('True True\n');
    const after = await warmOf(other);
    expect(after.hits).toBe(before.hits);
    expect(after.misses).toBe(before.misses + 1);
    expect((await runWarm(hob, plain)).body.stdout).toBe('python 2\n');
  });

  it('has the limits and the umask of a cold one, and is identified by its run', async () => {
    const { hob, add } = service;
    const id = await add('limited', {
      language: 'python',
      entry: python(`import resource
limits = [resource.getrlimit(each) for each in range(12)]
mask = os.umask(0); os.umask(mask)
cookies = [each for each in open("/proc/self/environ").read().split("\\0") if each.startswith("HOB_RUN_ID=")]
print(limits, mask, os.getpgrp() == os.getpid(), os.getsid(0) == os.getpid(), sorted(os.listdir("/proc/self/fd")))
print(cookies == ["HOB_RUN_ID=" + env["run_id"]], os.environ["HOB_RUN_ID"] == env["run_id"])
`),
    });
    const cold = await stdoutOf(hob, id);
    expect(cold).toMatch(/True True\n$/);
    expect((await runWarm(hob, id)).body.stdout).toBe(cold);
  });
});
