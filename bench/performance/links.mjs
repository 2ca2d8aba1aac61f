import { rounded, Samples } from '../support/samples.mjs';
import { expectedText } from './programs.mjs';
import { idOf, withHob } from './scene.mjs';

const lengths = [1, 4, 8];
const warmUps = 3;

/** Links itself until the chain is long enough, and tells of each link below it how long the answer took and whose it was. */
const text = `import http.client, json, sys, time, urllib.parse

with open(sys.argv[1], encoding="utf-8") as file:
    given = json.load(file)
environment, left = given["environment"], given["params"]["links"]
links = []
if left > 0:
    base = urllib.parse.urlsplit(environment["api_base"])
    body = json.dumps({"script_id": environment["script_id"], "params": {"links": left - 1}})
    began = time.perf_counter()
    connection = http.client.HTTPConnection(base.hostname, base.port)
    connection.request("POST", base.path + "/api/link", body, {"Content-Type": "application/json"})
    answer = connection.getresponse()
    content = answer.read()
    took_ms = (time.perf_counter() - began) * 1000
    links = [{"run_id": answer.headers["X-Hob-Run-Id"], "took_ms": took_ms}] + json.loads(content)["result"]["links"]
print("${expectedText}")
with open(environment["output_json"], "w", encoding="utf-8") as file:
    json.dump({"code": 0, "msg": "ok", "links": links}, file)
`;

/** How much a link adds to the time of the script that it runs. */
export function measureLinks({ folder, extent, say }) {
  const script = { id: idOf(1), name: 'chain', language: 'python', entry: 'main.py', text, isNode: true };
  return withHob(folder, [script], '', async (hob) => {
    const seen = [];
    await hob.watch.begin();
    for (const length of lengths) {
      say(`links, ${length}`);
      const chains = Math.ceil(extent.chains / length);
      seen.push({ length, ...(await hob.watch.during(() => measureChain(hob, length, chains))) });
    }
    const { blockedMs, hits, misses } = await hob.watch.end();
    return {
      blockedMs,
      figures: { 'link: added': Math.max(...seen.map(({ added }) => added.at(0.5))) },
      tables: [
        {
          title: `Links, in milliseconds: a Python script that links itself (longest time that the event loop was blocked: ${rounded(blockedMs)}${hits === null ? '' : `; warm: ${hits} hits, ${misses} misses`})`,
          columns: ['chain of', 'whole call: p50', 'p99', 'for each level', 'a link adds: p50', 'p99'],
          rows: seen.map(({ length, walls, added }) => [
            length,
            rounded(walls.at(0.5)),
            rounded(walls.at(0.99)),
            rounded(walls.at(0.5) / (length + 1)),
            rounded(added.at(0.5)),
            rounded(added.at(0.99)),
          ]),
        },
      ],
    };
  });
}

/** What a link adds is the time of its answer without the time that its run took, as its record has it: a whole number. */
async function measureChain(hob, length, chains) {
  const walls = new Samples();
  const added = new Samples();
  for (let at = -warmUps; at < chains; at++) {
    const began = performance.now();
    const { result } = await hob.call('/api/execute', {
      script_id: idOf(1),
      sync: true,
      params: { links: length },
    });
    const tookMs = performance.now() - began;
    if (result.links?.length !== length) throw new Error(`a chain broke: ${JSON.stringify(result)}`);
    if (at < 0) continue;
    walls.add(tookMs);
    for (const { run_id, took_ms } of result.links) {
      const { duration_ms } = await hob.call(`/api/runs/${run_id}`);
      added.add(took_ms - duration_ms);
    }
  }
  return { walls, added };
}
