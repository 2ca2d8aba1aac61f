import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { listenTo } from '../support/event-client.ts';
import { projectRoot, tempFolder } from '../support/hob.ts';
import { findProgram, has } from '../support/needs.ts';
import type { ScriptOptions } from '../support/scripts.ts';
import { openSdkService, runAlone, type SdkService } from '../support/sdk-scene.ts';
import { runWarm, warmOf } from '../support/warm-service.ts';

const isHere = has('Python on Linux', process.platform === 'linux' && findProgram('python3') !== null);
const sdkFolder = join(projectRoot, 'sdk', 'python');
const tables = `
[[service.inputs]]
name = "图片"
type = "list"
[[service.params]]
name = "quality"
type = "int"
default = 85
[[service.params]]
name = "文字"
type = "str"
default = "你好"
`;

/** A script that is one function and uses nothing else. */
const script = (body: string) => ({
  language: 'python',
  entry: ['main.py', `import hob\n${body}`] as [string, string],
  tables,
});

describe.skipIf(!isHere)('hob in Python', () => {
  let service: SdkService;
  beforeAll(async () => {
    service = await openSdkService();
  });
  afterAll(() => service.close());

  const resultOf = async (name: string, body: string, rest: Record<string, unknown> = {}) => {
    const { body: answer } = await service.hob.run(await service.add(name, script(body)), rest);
    return answer;
  };

  it("returns the run's input and paths, warm as cold", async () => {
    const { hob, add, scripts } = service;
    const id = await add(
      '我的 script',
      script(`
run = hob.run()
assert run is hob.run()
run.ok("好", inputs=run.inputs, params=run.params, quality=run.params.quality, dir=run.script_dir, id=run.run_id,
       in_run=run.run_dir.endswith(run.run_id), mode=run.invoke_mode)
`),
    );
    const request = { data: { 图片: ['/tmp/甲 乙.png'] }, params: { quality: 3 } };
    const cold = await hob.run(id, request);
    const warm = await runWarm(hob, id, request);
    for (const { headers, body } of [cold, warm]) {
      expect(body).toMatchObject({ success: true, message: '好', stdout: '', stderr: '' });
      expect(body.result).toEqual({
        code: 0,
        msg: '好',
        inputs: ['/tmp/甲 乙.png'],
        params: { quality: 3, 文字: '你好' },
        quality: 3,
        dir: join(scripts, '我的 script'),
        id: headers.get('x-hob-run-id'),
        in_run: true,
        mode: 'node',
      });
    }
  });

  it('fails with a code and values, and ends the script after its cleanup', async () => {
    const answer = await resultOf(
      'fails',
      `
try:
    hob.run().fail("不行", code=42, where="/a")
finally:
    print("cleared up")
print("not reached")
`,
    );
    expect(answer).toMatchObject({ success: false, exit_code: 42, stdout: 'cleared up\n', message: '不行' });
    expect(answer.result).toEqual({ code: 42, msg: '不行', where: '/a' });
  });

  it('links other scripts, and reports their failures and refusals', async () => {
    const { child, failing, hidden } = service;
    const answer = await resultOf(
      'links',
      `
run = hob.run()
child = run.link("${child}", data=["a", "b c"], params={"quality": 1})
kinds = {}
for name, id in {"failing": "${failing}", "hidden": "${hidden}", "unknown": "x"}.items():
    result = run.link(id, check=False)
    kinds[name] = [result.ok, result.status, result.exit_code, result.result]
    try:
        run.link(id)
    except hob.LinkError as error:
        assert str(error) == result.message and error.result.status == result.status
    else:
        raise AssertionError(name)
run.ok(child=child.result["given"]["data"], params=child.result["given"]["params"], said=child.stdout, kinds=kinds)
`,
    );
    expect(answer.result).toMatchObject({
      child: { 文件: ['a', 'b c'] },
      params: { quality: 1 },
      said: '子 says\n',
      kinds: {
        failing: [false, 200, 3, { code: 7, msg: '坏了' }],
        hidden: [false, 403, -1, { code: -1, msg: expect.stringContaining('hidden') }],
        unknown: [false, 404, -1, { code: -1, msg: '脚本不存在: x' }],
      },
    });
  });

  it('notifies, finds models, and says how to get missing ones', async () => {
    const { hob, modelFolder } = service;
    const answer = await resultOf(
      'asks',
      `
run = hob.run()
run.notify("完成 了", type="success", duration=1)
refused = []
for ask in (lambda: run.notify("x", type="loud"), lambda: run.model_path("owner/missing")):
    try:
        ask()
    except hob.HobError as error:
        refused.append(str(error))
run.ok(path=run.model_path("owner/name"), refused=refused)
`,
    );
    expect(answer.result).toMatchObject({
      path: modelFolder,
      refused: [
        expect.stringContaining('notify_type'),
        expect.stringContaining('hob model pull owner/missing'),
      ],
    });
    const { items } = (await hob.get('/api/notifications')).body;
    expect(items).toContainEqual(expect.objectContaining({ notify_type: 'success', message: '完成 了' }));
  });

  it('reports progress: a tight loop costs nothing, the last report arrives, and a missing Hob is no failure', async () => {
    const { hob } = service;
    const client = await listenTo(`${hob.url}/api/events`);
    const answer = await resultOf(
      'progress',
      `
import time
run = hob.run()
began = time.monotonic()
for step in range(20000):
    run.progress(step / 20000, "第 %d 步" % step)
took = time.monotonic() - began
run.ok(took=took)
run.api_base = "http://127.0.0.1:1"
run._silent_until = 0
run.progress(1)
`,
    );
    expect(answer).toMatchObject({ success: true, result: { took: expect.any(Number) } });
    expect(Object(answer.result).took).toBeLessThan(2);
    const isLast = ({ type, data }: { type: string; data: Record<string, unknown> }) =>
      type === 'run.progress' && data.message === '第 19999 步';
    await client.until('the last report is there', ({ events }) => events.some(isLast));
  });

  it('makes a function a script, with arguments that match its type hints', async () => {
    const { hob, add } = service;
    const id = await add(
      'function',
      script(`
from typing import Dict, List, Literal, Optional
@hob.main
def work(图片: List[str], quality: int, ratio: float = 1.5, mode: Literal["a", "b"] = "a", name: Optional[str] = None,
         sizes: Optional[List[int]] = None, run=None, **others):
    return {"msg": "做完", "got": [图片, quality, ratio, mode, name, sizes, run.script_id, others]}
`),
    );
    const { body } = await hob.run(id, {
      data: ['甲 1', '乙'],
      params: { ratio: 2, mode: 'b', sizes: [1], 文字: 'x' },
    });
    expect(body.result).toEqual({
      code: 0,
      msg: '做完',
      got: [['甲 1', '乙'], 85, 2, 'b', null, [1], id, { 文字: 'x' }],
    });
    for (const [params, said] of [
      [{ ratio: 'fast' }, "The param ratio must be float, not 'fast'"],
      [{ ratio: true }, 'The param ratio must be float, not True'],
      [{ mode: 'c' }, "The param mode must be Literal['a', 'b'], not 'c'"],
      [{ sizes: ['x'] }, /^The param sizes must be List\[int\] or None, not \['x'\]$/],
      [{ name: 5 }, 'The param name must be str or None, not 5'],
    ] as const) {
      const { body: refused } = await hob.run(id, { params });
      expect(refused).toMatchObject({ exit_code: 1, result: { code: 1 }, stderr: '' });
      expect(refused.message).toMatch(said);
    }
  });

  it.each([
    ['nothing', 'def work(): pass', { code: 0, msg: 'ok' }, 0],
    ['a text', 'def work(): return "做完"', { code: 0, msg: '做完' }, 0],
    ['a code', 'def work(): return {"code": 9, "msg": "no"}', { code: 9, msg: 'no' }, 9],
    ['its own envelope', 'def work(run): run.ok(a=1)', { code: 0, msg: 'ok', a: 1 }, 0],
    ['by a coroutine', 'async def work(): return {"a": 1}', { code: 0, msg: 'ok', a: 1 }, 0],
    ['an exit', 'def work(): raise SystemExit(4)', { code: 4, msg: 'exit code 4' }, 4],
    ['an exit with a text', 'def work(): raise SystemExit("完了")', { code: 1, msg: '完了' }, 1],
    ['a missing param', 'def work(缺): pass', { code: 1, msg: 'The param 缺 is missing' }, 1],
    [
      'one input for many',
      'def work(图片: str): return 图片',
      { code: 1, msg: '图片 must be one value, not 2' },
      1,
    ],
  ])('turns %s into an envelope', async (name, body, envelope, exitCode) => {
    const answer = await resultOf(`returns ${name}`, `@hob.main\n${body}\n`, { data: ['a', 'b'] });
    expect(answer).toMatchObject({ result: envelope, exit_code: exitCode });
  });

  it('checks the type hints that it can read, even if it cannot read all', async () => {
    const folder = await tempFolder();
    const file = join(folder, 'main.py');
    const text =
      'import hob\n@hob.main\ndef main(path: str, times: int, logo: "Image" = None):\n    return path * times\n';
    await writeFile(file, text);
    const alone = (...args: string[]) =>
      runAlone(['python3', file, ...args], { cwd: folder, env: { PYTHONPATH: sdkFolder } });
    expect(JSON.parse((await alone('a', '--times', '2')).stdout)).toEqual({ code: 0, msg: 'aa' });
    expect(JSON.parse((await alone('a', '--times', 'abc')).stdout)).toEqual({
      code: 1,
      msg: "The param times must be int, not 'abc'",
    });
  });

  it('distinguishes wrong arguments from a Hob that does not answer, and hides the run token in the address', async () => {
    const answer = await resultOf(
      'wrong',
      `
run = hob.run()
said = []
try: run.link("x", params={"n": float("nan")})
except ValueError as error: said.append("ValueError")
run.progress(float("nan"), "not a number")
run.api_base = "http://127.0.0.1:1/r/secret"
try: run.notify("x")
except hob.HobError as error: said.append(str(error))
run.ok(said=said, shown=repr(run.link("x", check=False)))
`,
    );
    expect(answer.result).toMatchObject({
      said: ['ValueError', expect.stringMatching(/^Hob does not respond at http:\/\/127\.0\.0\.1:1: /)],
      shown: expect.stringMatching(/^LinkResult\(ok=False, result=/),
    });
  });

  it('runs the function once, even if the script also calls it', async () => {
    const body = `
@hob.main
def main(quality: int):
    print("once")
    return {"quality": quality}

if __name__ == "__main__":
    main()
`;
    expect(await resultOf('habit', body)).toMatchObject({
      stdout: 'once\n',
      result: { code: 0, quality: 85 },
    });
  });

  it('runs the function once the module is complete, warm as cold', async () => {
    const { hob, add } = service;
    const id = await add(
      'complete',
      script(`
"""Not a docstring"""
@hob.main
def work(quality: int):
    print("work")
    return {"doubled": double(quality), "doc": __doc__, "noted": list(__annotations__)}
"also not a docstring"
noted: int = 1
def double(value): return 2 * value
print("module")
`),
    );
    const expected = { code: 0, msg: 'ok', doubled: 170, doc: null, noted: ['noted'] };
    for (const { body } of [await hob.run(id), await runWarm(hob, id)])
      expect(body).toMatchObject({ exit_code: 0, stdout: 'module\nwork\n', stderr: '', result: expected });
  });

  it.each([
    ['an error below the function', 'def work(): print("work")\nraise ValueError("bad")', 1, '', -1],
    ['an exit below the function', 'def work(): print("work")\nraise SystemExit(3)', 3, '', -1],
    ['a failure of the function', 'def work(run): run.fail("no", code=4)\nprint("below")', 4, 'below\n', 4],
    ['a second function', 'def work(): print("work")\n@hob.main\ndef more(): pass', 1, '', -1],
  ])('ends a script with code below the function: %s', async (name, body, exitCode, stdout, code) => {
    const answer = await resultOf(`below ${name}`, `@hob.main\n${body}\n`);
    expect(answer).toMatchObject({ exit_code: exitCode, stdout, result: { code } });
  });

  it('can use threads, and exit functions run after the function', async () => {
    const answer = await resultOf(
      'threads',
      `
import atexit
atexit.register(print, "exit")
@hob.main
async def work():
    import asyncio
    return await asyncio.to_thread(helper)
def helper(): return "threaded"
`,
    );
    expect(answer).toMatchObject({ exit_code: 0, stdout: 'exit\n', message: 'threaded' });
  });

  it('finds the arguments of a function behind other decorators', async () => {
    const answer = await resultOf(
      'decorated',
      `
import functools
def loud(function):
    @functools.wraps(function)
    def wrapper(*args, **keywords):
        print("loud")
        return function(*args, **keywords)
    return wrapper
@hob.main
@loud
@loud
def work(图片: list, /, quality: int = 1, *, run):
    return {"got": [图片, quality, run.run_id is not None]}
`,
      { data: ['a'], params: { quality: 7 } },
    );
    expect(answer).toMatchObject({ stdout: 'loud\nloud\n', result: { got: [['a'], 7, true] } });
  });

  it('converts paths, and rejects several values for one', async () => {
    const { hob, add } = service;
    const many = await add(
      'paths of inputs',
      script(`
from pathlib import Path
from typing import Dict, List, Optional
@hob.main
def work(图片: List[Path], folder: Optional[Path] = None, others: Dict[str, Path] = {}):
    every = [*图片, folder, *others.values()]
    return {"names": [each.name for each in every], "kinds": [isinstance(each, Path) for each in every]}
`),
    );
    const params = { folder: '/x/d', others: { a: '/x/e' } };
    const { body } = await hob.run(many, { data: ['/x/b.png', '/x/c'], params });
    expect(body.result).toMatchObject({ names: ['b.png', 'c', 'd', 'e'], kinds: [true, true, true, true] });
    expect((await hob.run(many, { params: { folder: ['/a', '/b'] } })).body.message).toMatch(
      /^The param folder must be Path or None, but got 2 values$/,
    );
    const single = (hint: string) =>
      `from pathlib import Path\n@hob.main\ndef work(图片: ${hint}): return {"got": str(图片)}\n`;
    for (const [hint, value] of [
      ['Path', 'b'],
      ['int', '3'],
      ['float', '2.5'],
    ] as const) {
      const id = await add(`single ${hint}`, script(single(hint)));
      expect((await hob.run(id, { data: [value] })).body.result).toMatchObject({ got: value });
      expect((await hob.run(id, { data: ['a', 'b'] })).body.message).toBe('图片 must be one value, not 2');
    }
    const wrong = await resultOf('wrong single', single('int'), { data: ['abc'] });
    expect(wrong.message).toBe("图片 must be int, not 'abc'");
  });

  it('turns an exception into an envelope with its location', async () => {
    const answer = await resultOf(
      'raises',
      'def inner(): raise ValueError("坏 值")\n@hob.main\ndef work(): inner()\n',
    );
    expect(answer).toMatchObject({ exit_code: 1, message: 'ValueError: 坏 值' });
    const { traceback } = Object(answer.result);
    expect(traceback).toMatch(/^Traceback[\s\S]*in inner[\s\S]*ValueError: 坏 值\n$/);
    expect(traceback).not.toMatch(/sdk.python.hob/);
    expect(answer.stderr).toBe(traceback);
    const unwritable = await resultOf('unwritable', '@hob.main\ndef work(): return {"a": {1, 2}}\n');
    expect(unwritable.message).toContain('set cannot be written as JSON');
  });

  it("does not replace a module of the same name in the script's folder or installed", async () => {
    const { hob, add, scripts } = service;
    const entry: [string, string] = ['main.py', 'import hob, os\nprint(hob.WHOSE)\n'];
    const beside = await add('beside', { language: 'python', entry });
    await writeFile(join(scripts, 'beside', 'hob.py'), 'WHOSE = "its own"\n');
    expect((await hob.run(beside)).body.stdout).toBe('its own\n');
    expect((await hob.run(beside)).body.stdout).toBe('its own\n');

    const installed = join(scripts, 'installed');
    await mkdir(installed);
    await promisify(execFile)('python3', ['-m', 'venv', '--without-pip', join(installed, '.venv')]);
    const [version = ''] = readdirSync(join(installed, '.venv', 'lib'));
    const packages = join(installed, '.venv', 'lib', version, 'site-packages', 'hob');
    const id = await add('installed', {
      language: 'python',
      entry: ['main.py', 'import hob\nprint(hob.__file__)\n'],
    });
    expect((await hob.run(id)).body.stdout).toBe(`${join(sdkFolder, 'hob', '__init__.py')}\n`);
    await mkdir(packages);
    await writeFile(join(packages, '__init__.py'), '');
    expect((await hob.run(id)).body.stdout).toBe(`${join(packages, '__init__.py')}\n`);
  });

  it('comes after the folders of the user and of the manifest, and the run stays warm', async () => {
    const { hob, add } = service;
    const folder = await tempFolder();
    const id = await add('paths', {
      ...script(`
import os
print(os.environ["PYTHONPATH"], "HOB_PARAMETER_FILE" in os.environ)
`),
      runtime: `env = { PYTHONPATH = "${folder}" }`,
    });
    expect((await runWarm(hob, id)).body.stdout).toBe(`${folder}:${sdkFolder} False\n`);
    const before = await warmOf(hob);
    await hob.run(id);
    expect((await warmOf(hob)).misses).toBe(before.misses);
  });

  it('looks the same preloaded in a fork server as from its file, and imports the same modules', async () => {
    const { hob, add } = service;
    const looks = (runtime: string): ScriptOptions => ({
      language: 'python',
      runtime,
      entry: [
        'main.py',
        `import sys
before = set(sys.modules)
import hob
new = [name for name in set(sys.modules) - before if str(getattr(sys.modules[name], "__file__", "")).endswith(".py")]
spec = hob.__spec__
hob.run().ok(new=sorted(new), was_there="hob" in before, module=[hob.__file__, hob.__cached__, spec.origin, type(spec.loader).__name__])
`,
      ],
    });
    const cold = (await hob.run(await add('looks cold', looks('warm = false')))).body.result;
    expect(cold).toMatchObject({ was_there: false, new: expect.arrayContaining(['hob', 'json']) });
    expect((await runWarm(hob, await add('looks', looks('')))).body.result).toEqual(cold);
  });

  it('works without Hob: inputs and params from the command line, the envelope on stdout', async () => {
    const folder = join(await tempFolder(), '我的 script');
    await mkdir(folder);
    const env = { PYTHONPATH: sdkFolder };
    await writeFile(
      join(folder, 'main.py'),
      `import hob
@hob.main
def work(inputs, run, quality: int = 85, text: str = "", force: bool = False):
    run.notify("news", type="success")
    run.progress(0.5, "halfway")
    return {"got": [inputs, quality, text, force]}
`,
    );
    await writeFile(
      join(folder, 'needs.py'),
      'import hob\nrun = hob.run()\nprint(run.model_path(run.inputs[0]))\n',
    );
    const start = (words: string[], more = {}) =>
      runAlone(['python3', ...words], { cwd: folder, env: { ...env, ...more } });
    const { code, stdout, stderr } = await start([
      'main.py',
      '甲 乙.png',
      '--quality',
      '3',
      '--text=5',
      '--force',
      '--',
      '--x',
    ]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '[success] news\n50% halfway\n' });
    expect(JSON.parse(stdout)).toEqual({ code: 0, msg: 'ok', got: [['甲 乙.png', '--x'], 3, '5', true] });
    const wrong = await start(['main.py', '--quality', 'high']);
    expect([wrong.code, JSON.parse(wrong.stdout).msg]).toEqual([
      1,
      "The param quality must be int, not 'high'",
    ]);
    expect((await start(['needs.py', 'owner/name'])).stderr).toContain('set HOB_API_BASE');
    const asked = await start(['needs.py', 'owner/name'], { HOB_API_BASE: service.hob.url });
    expect(asked).toMatchObject({ code: 0, stdout: `${service.modelFolder}\n` });
  });
});
