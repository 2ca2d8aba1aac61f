import { describe, expect, it } from 'vitest';

import { startHob, tempFolder } from '../support/hob.ts';
import { findProgram, has } from '../support/needs.ts';
import { runPythonClient } from '../support/python-client.ts';
import { python, writeScript } from '../support/scripts.ts';

const isHere = has('Python', findProgram('python3') !== null);

const echo = {
  language: 'python',
  tables:
    '[[service.inputs]]\nname = "files"\ntype = "list"\n[[service.params]]\nname = "quality"\ntype = "int"\ndefault = 85\n',
  entry: python(`
print("甲", flush=True)
os.write(2, b"\\xff\\x00")
print("乙", flush=True)
write({"code": 0, "msg": "好", "given": [run["data"], run["params"]]})
sys.exit(run["params"].get("exit", 0))
`),
};

const endless = {
  language: 'bash',
  entry: ['main.sh', 'echo started\nexec sleep 600\n'] as [string, string],
};

async function open(args: string[] = []) {
  const scripts = await tempFolder();
  const ids = {
    echo: await writeScript(scripts, 'echo', echo),
    endless: await writeScript(scripts, 'endless', endless),
  };
  const service = await startHob({ scripts: [scripts], args });
  return { ids, run: async (body: string) => JSON.parse(await runPythonClient(service.home, body)) };
}

describe.skipIf(!isHere)('the Python client', () => {
  it('finds the service and its token, runs a script and returns its record', async () => {
    const { ids, run } = await open(['--token']);
    const [good, bad, names] = await run(`
from pathlib import Path
good = hob.run("${ids.echo}", data=[Path("/a")], params={"quality": 3})
bad = hob.run("${ids.echo}", data="one", params={"exit": 3})
print(json.dumps([good, bad, sorted(each["name"] for each in hob.scripts())]))
`);
    expect(good).toMatchObject({
      state: 'succeeded',
      result: { msg: '好', given: [{ files: ['/a'] }, { quality: 3 }] },
    });
    expect(bad).toMatchObject({ state: 'failed', exit_code: 3, data: { files: ['one'] } });
    expect(names).toEqual(['echo', 'endless']);
  });

  it('accepts any mapping as data and params', async () => {
    const { ids, run } = await open();
    const ended = await run(`
from types import MappingProxyType
fixed = MappingProxyType({"files": ["/a"]}), MappingProxyType({"quality": 3})
print(json.dumps(hob.run("${ids.echo}", data=fixed[0], params=fixed[1])))
`);
    expect(ended.result.given).toEqual([{ files: ['/a'] }, { quality: 3 }]);
  });

  it('yields the output of each stream byte for byte, and the events of the run', async () => {
    const { ids, run } = await open();
    const answer = await run(`
run = hob.start("${ids.echo}")
both = {"stdout": b"", "stderr": b""}
for part in run.output():
    both[part.stream] += part.bytes
assert both == {"stdout": "甲\\n乙\\n".encode(), "stderr": b"\\xff\\x00"}, both
assert b"".join(part.bytes for part in run.output("stderr")) == b"\\xff\\x00"
events = list(hob.attach(run.id).events())
first = next(hob.events(types=["run.ended"], since="0"))
print(json.dumps([events[-1].type, first.data["run_id"] == run.id, run.get()["state"]]))
`);
    expect(answer).toEqual(['run.ended', true, 'succeeded']);
  });

  it('cancels a run after its timeout, and explains refusals', async () => {
    const { ids, run } = await open();
    const elsewhere = await tempFolder();
    const [cause, again, refused, missing, gone] = await run(`
run = hob.start("${ids.endless}", idempotency_key="once")
assert hob.start("${ids.endless}", idempotency_key="once").id == run.id
try:
    run.wait(0.2)
    raise AssertionError
except TimeoutError:
    pass
assert run.cancel()
ended = run.wait()
try:
    hob.run("${ids.endless}", timeout=0.2)
    raise AssertionError
except TimeoutError:
    pass
said = []
for ask in (
    lambda: hob.run("${ids.echo}", params={"quality": "high"}),
    lambda: Hob(home="${elsewhere}").scripts(),
    lambda: Hob("http://127.0.0.1:1/", patience=0.5).scripts(),
):
    try:
        ask()
    except CallError as error:
        said.append([error.code, error.status, error.fields])
print(json.dumps([ended["end_cause"], run.cancel(), *said]))
`);
    expect([cause, again]).toEqual(['cancelled', false]);
    expect(refused).toEqual(['params-invalid', 400, ['params.quality']]);
    expect(missing).toEqual(['not-running', null, []]);
    expect(gone).toEqual(['unreachable', null, []]);
  });
});
