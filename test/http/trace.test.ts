import { randomUUID } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { tempFolder } from '../support/hob.ts';
import { has } from '../support/needs.ts';
import { bash, python } from '../support/scripts.ts';
import { shareService } from '../support/shared-service.ts';

/** The address of the service without the run token, as some scripts use it. */
const bareAddress = 'bare = env["api_base"].split("/r/")[0]';

const service = shareService('max_runs = 8\n');

describe.runIf(has('/proc', process.platform === 'linux'))('a link without a run token', () => {
  it('ends at 8 levels with 400 when a script links itself forever', async () => {
    const id = await service.add('self', {
      language: 'python',
      node: true,
      entry: python(`
${bareAddress}
status, answer = call("/api/link", {"script_id": env["script_id"]}, bare)
levels = 1 + (answer["result"]["levels"] if status == 200 else 0)
write({**(answer["result"] if status == 200 else {"code": status, "msg": answer["message"]}), "levels": levels})
`),
    });
    const { hob } = service;
    const { body } = await hob.run(id);
    expect(body).toMatchObject({ success: true, result: { code: 400, levels: 9 } });
    expect(body.message).toMatch(/8/);
    expect((await hob.get('/api/health')).body).toMatchObject({ running: 0, queued: 0 });
  });

  it('is recorded with its parent run, also through a shell, a new session and an empty environment', async () => {
    const leaf = await addLeaf();
    const top = await service.add('top', {
      language: 'python',
      entry: python(`
import subprocess
${bareAddress}
body = json.dumps({"script_id": "${leaf}"})
curl = ["curl", "-sS", "-H", "Content-Type: application/json", "-d", body, bare + "/api/link"]
ways = [curl, ["sh", "-c", 'exec setsid -w "$@"', "sh", *curl], ["env", "-i", "PATH=" + os.environ["PATH"], *curl]]
answers = [call("/api/link", {"script_id": "${leaf}"}, bare)[1]]
answers += [json.loads(subprocess.run(way, capture_output=True, check=True).stdout) for way in ways]
write({"code": 0, "msg": "top", "leaves": [answer["result"]["run"] for answer in answers]})
`),
    });
    const { hob } = service;
    const { body } = await hob.post('/api/execute', { script_id: top });
    const { result } = await hob.ended(String(body.run_id));
    const leaves: string[] = Reflect.get(Object(result), 'leaves');
    expect(leaves).toHaveLength(4);
    for (const run of leaves) {
      const expected = { depth: 1, origin: 'link', parent_run_id: body.run_id };
      expect((await hob.get(`/api/runs/${run}`)).body).toMatchObject(expected);
    }
  });

  it('keeps its place in the chain after its parent run has ended', async () => {
    const files = await tempFolder();
    const leaf = await addLeaf();
    // The process that it leaves behind calls when its input ends, which the test controls.
    const leaver = await service.add('leaver', {
      language: 'python',
      node: true,
      entry: python(`
import subprocess
${bareAddress}
os.mkfifo("${files}/go")
os.mkfifo("${files}/answer")
caller = """
import sys, urllib.request
open("${files}/go").read()
request = urllib.request.Request(sys.argv[1] + "/api/link", sys.argv[2].encode(), {"Content-Type": "application/json"})
answer = urllib.request.urlopen(request).read()
open("${files}/answer", "wb").write(answer)
"""
null = subprocess.DEVNULL
subprocess.Popen([sys.executable, "-c", caller, bare, json.dumps({"script_id": "${leaf}"})], start_new_session=True, stdin=null, stdout=null, stderr=null)
write({"code": 0, "msg": "left", "run": env["run_id"]})
`),
    });
    const { hob } = service;
    const { body } = await hob.post('/api/link', { script_id: leaver });
    const parent = Reflect.get(Object(body.result), 'run');
    await hob.ended(String(parent));
    await writeFile(join(files, 'go'), '');
    const answer = JSON.parse(await readFile(join(files, 'answer'), 'utf8'));
    const record = (await hob.get(`/api/runs/${answer.result.run}`)).body;
    expect(record).toMatchObject({ depth: 2, parent_run_id: parent });
  });

  it('from outside is the first level, and has no parent', async () => {
    const leaf = await service.add('leaf', { node: true, entry: bash('exit 0') });
    const { hob } = service;
    const answer = await hob.post('/api/link', { script_id: leaf });
    const record = (await hob.get(`/api/runs/${answer.headers.get('x-hob-run-id')}`)).body;
    expect(record).toMatchObject({ depth: 1, origin: 'link', parent_run_id: null });
  });

  it('is never attributed to another run: 40 at once from 8 runs', async () => {
    const files = await tempFolder();
    const leaf = await addLeaf();
    const wide = await service.add('wide', {
      language: 'python',
      entry: python(`
import time
from concurrent.futures import ThreadPoolExecutor
${bareAddress}
open("${files}/" + env["run_id"], "w").close()
while len(os.listdir("${files}")) < 8: time.sleep(0.01)
def link(_):
    status, answer = call("/api/link", {"script_id": "${leaf}"}, bare)
    return answer["result"]["run"] if status == 200 else answer
with ThreadPoolExecutor(5) as pool:
    write({"code": 0, "msg": "wide", "leaves": list(pool.map(link, range(5)))})
`),
    });
    const { hob } = service;
    const accepted = await Promise.all(
      Array.from({ length: 8 }, () => hob.post('/api/execute', { script_id: wide })),
    );
    const parents = new Map<string, string>();
    for (const { body } of accepted) {
      const { result } = await hob.ended(String(body.run_id));
      for (const leafRun of Reflect.get(Object(result), 'leaves')) parents.set(leafRun, String(body.run_id));
    }
    expect(parents.size).toBe(40);
    for (const [run, parent] of parents) {
      expect((await hob.get(`/api/runs/${run}`)).body).toMatchObject({ depth: 1, parent_run_id: parent });
    }
  });
});

/** A node that returns its run id. */
function addLeaf(): Promise<string> {
  return service.add(randomUUID(), {
    language: 'python',
    node: true,
    entry: python('write({"code": 0, "msg": "leaf", "run": env["run_id"]})'),
  });
}
