import { beforeAll, describe, expect, it } from 'vitest';

import { startHob, tempFolder } from '../support/hob.ts';
import { bash, python, type ScriptOptions, writeScript } from '../support/scripts.ts';
import { shareService } from '../support/shared-service.ts';

/** Three scripts that link the next one until `left` is used up. Each adds its own level to the result. */
const pythonLinker = python(`
left = run["params"].get("left", 0)
if left == 0:
    write({"code": 0, "msg": "bottom", "levels": ["python"]})
else:
    status, answer = call("/api/link", {"script_id": run["params"]["ring"][0], "params": {"left": left - 1, "ring": run["params"]["ring"][1:] + run["params"]["ring"][:1]}})
    if status != 200:
        write({"code": status, "msg": answer["message"], "levels": ["python"]})
    else:
        write({"code": answer["result"]["code"], "msg": answer["message"], "levels": ["python"] + answer["result"].get("levels", [])})
`);

const nodeLinker: [string, string] = [
  'main.mjs',
  `import { readFileSync, writeFileSync } from 'node:fs';
const run = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const write = (envelope) => writeFileSync(run.environment.output_json, JSON.stringify(envelope));
const { left = 0, ring } = run.params;
if (left === 0) write({ code: 0, msg: 'bottom', levels: ['node'] });
else {
  const response = await fetch(run.environment.api_base + '/api/link', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ script_id: ring[0], params: { left: left - 1, ring: [...ring.slice(1), ring[0]] } }),
  });
  const answer = await response.json();
  if (response.status !== 200) write({ code: response.status, msg: answer.message, levels: ['node'] });
  else write({ code: answer.result.code, msg: answer.message, levels: ['node', ...(answer.result.levels ?? [])] });
}
`,
];

/** Bash cannot parse JSON, so it forwards the parameters unchanged with tools that every machine has. */
const bashLinker = bash(`
body=$(python3 - "$1" <<'PY'
import json, sys
run = json.load(open(sys.argv[1]))
left, ring = run["params"].get("left", 0), run["params"].get("ring", [])
print("" if left == 0 else json.dumps({"script_id": ring[0], "params": {"left": left - 1, "ring": ring[1:] + ring[:1]}}))
PY
)
base=$(sed -n 's/.*"api_base": "\\(.*\\)",*/\\1/p' "$1")
if [ -z "$body" ]; then echo '{"code":0,"msg":"bottom","levels":["bash"]}' > "$output"; exit; fi
curl -sS -w '\\n%{http_code}' -H 'Content-Type: application/json' -d "$body" "$base/api/link" | python3 -c '
import json, sys
text, status = sys.stdin.read().rsplit("\\n", 1)
answer = json.loads(text)
result = answer.get("result", {"code": int(status)})
json.dump({"code": result["code"], "msg": answer["message"], "levels": ["bash"] + result.get("levels", [])}, open(sys.argv[1], "w"))
' "$output"
`);

/** The three linkers, in the order of their names. */
const linkers: Record<string, ScriptOptions> = {
  'py link': { language: 'python', entry: pythonLinker, node: true },
  节点: { language: 'node.js', entry: nodeLinker, node: true },
  'sh-link': { language: 'bash', entry: bashLinker, node: true },
};

const rotated = (ring: string[]) => [...ring.slice(1), ring[0]];

const service = shareService();
const ring: string[] = [];
beforeAll(async () => {
  for (const [name, linker] of Object.entries(linkers)) ring.push(await service.add(name, linker));
});

describe('a chain of links', () => {
  it('works 8 levels deep in three languages, even with a single slot', async () => {
    const scripts = await tempFolder();
    const own: string[] = [];
    for (const [name, linker] of Object.entries(linkers)) own.push(await writeScript(scripts, name, linker));
    const hob = await startHob({ scripts: [scripts], settings: 'max_runs = 1\n' });
    const { body } = await hob.run(own[0] ?? '', { params: { left: 8, ring: rotated(own) } });
    expect(body).toMatchObject({ success: true, message: 'bottom', result: { code: 0 } });
    const levels = ['python', 'node', 'bash', 'python', 'node', 'bash', 'python', 'node', 'bash'];
    expect(body.result).toMatchObject({ levels });
  });

  it('gets 400 at the 9th level, and every level above ends by itself', async () => {
    const { hob } = service;
    const { body } = await hob.run(ring[0] ?? '', { params: { left: 9, ring: rotated(ring) } });
    expect(body.success).toBe(true);
    expect(body.result).toMatchObject({ code: 400, msg: expect.stringContaining('8') });
    expect((await hob.get('/api/health')).body).toMatchObject({ running: 0, queued: 0 });
  });

  it('counts a link from outside as the first level', async () => {
    const { hob } = service;
    const [first = ''] = ring;
    const link = (left: number) =>
      hob.post('/api/link', { script_id: first, params: { left, ring: rotated(ring) } });
    expect((await link(7)).body.result).toMatchObject({ code: 0, msg: 'bottom' });
    expect((await link(8)).body.result).toMatchObject({ code: 400 });
  });

  it('ends by itself with a clear envelope when a script links itself forever', async () => {
    const id = await service.add('self', {
      language: 'python',
      node: true,
      runtime: 'concurrency = 1',
      entry: python(`
status, answer = call("/api/link", {"script_id": env["script_id"]})
write(answer["result"] if status == 200 else {"code": status, "msg": answer["message"]})
`),
    });
    const { hob } = service;
    const { body } = await hob.run(id);
    expect(body).toMatchObject({ success: true, result: { code: 400 } });
    expect(body.message).toMatch(/8/);
  });

  it('does not get deeper through parallel calls', async () => {
    const scripts = await tempFolder();
    const leaf = await writeScript(scripts, 'leaf', {
      node: true,
      entry: bash('echo \'{"code":0,"msg":"leaf"}\' > "$output"'),
    });
    const wide = await writeScript(scripts, 'wide', {
      language: 'python',
      entry: python(`
from concurrent.futures import ThreadPoolExecutor
with ThreadPoolExecutor(20) as pool:
    answers = list(pool.map(lambda _: call("/api/link", {"script_id": "${leaf}"})[0], range(20)))
write({"code": 0, "msg": "wide", "answers": answers})
`),
    });
    const hob = await startHob({ scripts: [scripts], settings: 'max_runs = 3\n' });
    const { body } = await hob.run(wide);
    expect(body.result).toMatchObject({ answers: Array(20).fill(200) });
  });

  it('keeps its depth through an execute in the middle', async () => {
    const id = await service.add('zigzag', {
      language: 'python',
      node: true,
      entry: python(`
depth = run["params"]["depth"]
status, answer = call("/api/execute", {"script_id": run["params"]["hop"], "sync": True, "params": {"depth": depth, "back": env["script_id"]}})
write(answer["result"])
`),
    });
    const hop = await service.add('hop', {
      language: 'python',
      entry: python(`
depth = run["params"]["depth"] + 1
status, answer = call("/api/link", {"script_id": run["params"]["back"], "params": {"depth": depth, "hop": env["script_id"]}})
write({"code": status, "msg": answer["message"], "depth": depth} if status != 200 else answer["result"])
`),
    });
    const { hob } = service;
    const { body } = await hob.run(id, { params: { depth: 0, hop } });
    expect(body.result).toMatchObject({ code: 400, depth: 9 });
  });

  it('is recorded with the parent, depth and origin of every run', async () => {
    const leaf = await service.add('leaf', {
      language: 'python',
      node: true,
      entry: python('write({"code": 0, "msg": "leaf", "run": env["run_id"], "mode": env["invoke_mode"]})'),
    });
    const top = await service.add('top', {
      language: 'python',
      entry: python(
        `write({"code": 0, "msg": "top", "leaf": call("/api/link", {"script_id": "${leaf}"})[1]["result"], "mode": env["invoke_mode"]})`,
      ),
    });
    const { hob } = service;
    const { body } = await hob.post('/api/execute', { script_id: top });
    const record = await hob.ended(String(body.run_id));
    expect(record).toMatchObject({
      depth: 0,
      origin: 'execute',
      parent_run_id: null,
      result: { mode: 'manual', leaf: { mode: 'node' } },
    });
    const child = JSON.parse(JSON.stringify(record.result)).leaf.run;
    expect((await hob.get(`/api/runs/${child}`)).body).toMatchObject({
      depth: 1,
      origin: 'link',
      parent_run_id: body.run_id,
    });
  });

  it('that would wait for itself gets 503, and all other runs continue', async () => {
    const files = await tempFolder();
    const inner = (lock: string) =>
      service.add(`inner-${lock}`, {
        node: true,
        runtime: `lock = "${lock}"`,
        entry: bash('echo \'{"code":0,"msg":"inner"}\' > "$output"'),
      });
    const innerX = await inner('x');
    const innerY = await inner('y');
    // Each run holds its own lock until both do, and then requests the other lock.
    const outer = (own: string, target: string) =>
      service.add(`outer-${own}`, {
        language: 'python',
        runtime: `lock = "${own}"`,
        entry: python(`
import time
open("${files}/${own}", "w").close()
while len(os.listdir("${files}")) < 2: time.sleep(0.01)
status, answer = call("/api/link", {"script_id": "${target}"})
write({"code": 0, "msg": answer["message"], "status": status})
`),
      });
    const outerX = await outer('x', innerY);
    const outerY = await outer('y', innerX);
    const { hob } = service;
    const answers = await Promise.all([hob.run(outerX), hob.run(outerY)]);
    const statuses = answers.map(({ body }) => Reflect.get(Object(body.result), 'status'));
    expect(statuses.sort()).toEqual([200, 503]);
    expect((await hob.get('/api/health')).body).toMatchObject({ running: 0, queued: 0 });
  });

  it('recognises a script that joined the address by the rules of relative URLs', async () => {
    const id = await service.add('joiner', {
      language: 'python',
      entry: python(`
from urllib.parse import urljoin
with urllib.request.urlopen(urljoin(env["api_base"], "api/health")) as answer:
    write({"code": 0, "msg": json.load(answer)["status"]})
`),
    });
    const { hob } = service;
    expect((await hob.run(id)).body.message).toBe('ok');
  });

  it('leaves no run token in the log', async () => {
    const scripts = await tempFolder();
    const id = await writeScript(scripts, 'caller', {
      language: 'python',
      entry: python(
        'call("/api/notify", {"notify_type": "info", "message": "hi"}); call("/api/nothing", {}); write({"code": 0, "msg": env["api_base"]})',
      ),
    });
    const hob = await startHob({ scripts: [scripts], args: ['--log-level', 'trace'] });
    const base = String((await hob.run(id)).body.message);
    await hob.stop();
    const token = base.slice(base.lastIndexOf('/') + 1);
    expect(token).toHaveLength(32);
    expect(hob.log()).toContain('"message":"hi"');
    expect(hob.log()).not.toContain(token);
  });
});
