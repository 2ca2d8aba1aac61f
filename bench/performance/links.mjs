import { rounded, Samples } from '../support/samples.mjs';
import { expectedText } from './programs.mjs';
import { idOf, withHob } from './scene.mjs';
import { blockedText } from './watch.mjs';

const lengths = [1, 4, 8];
const warmUps = 3;

/** Warm-up calls before the measurement, per chain: a service that has just started is slower than one that has run for a while. */
const settlings = 5;

/**
 * Links itself until the chain is long enough, and reports the duration and the run id of each link below it. Before that it sends a
 * request that takes Hob no time, so that the cost of the first request of a Python process does not count as time of the link.
 */
const text = `import http.client, json, sys, time, urllib.parse

with open(sys.argv[1], encoding="utf-8") as file:
    given = json.load(file)
environment, left = given["environment"], given["params"]["links"]
links = []


def ask(*request):
    began = time.perf_counter()
    connection = http.client.HTTPConnection(base.hostname, base.port)
    connection.request(*request)
    answer = connection.getresponse()
    content = answer.read()
    return (time.perf_counter() - began) * 1000, answer, content


if left > 0:
    base = urllib.parse.urlsplit(environment["api_base"])
    body = json.dumps({"script_id": environment["script_id"], "params": {"links": left - 1}})
    first_ms, _, _ = ask("GET", "/api/health")
    took_ms, answer, content = ask("POST", base.path + "/api/link", body, {"Content-Type": "application/json"})
    link = {"run_id": answer.headers["X-Hob-Run-Id"], "took_ms": took_ms, "first_ms": first_ms}
    links = [link] + json.loads(content)["result"]["links"]
print("${expectedText}")
with open(environment["output_json"], "w", encoding="utf-8") as file:
    json.dump({"code": 0, "msg": "ok", "links": links}, file)
`;

/** Measures how much longer a link takes than a call of the same script from outside, and than the process of its run. */
export function measureLinks({ folder, extent, say }) {
  const script = { id: idOf(1), name: 'chain', language: 'python', entry: 'main.py', text, isNode: true };
  return withHob(folder, [script], '', async (hob) => {
    const seen = [];
    for (let count = 0; count < settlings * extent.chains; count++) await call(hob, 0);
    await hob.watch.begin();
    for (const length of lengths) {
      say(`links, ${length}`);
      seen.push({ length, ...(await hob.watch.during(() => measureChain(hob, length, extent.chains))) });
    }
    const { blockedMs, hits, misses } = await hob.watch.end();
    return {
      blockedMs,
      figures: {
        'link: over a call': Math.max(...seen.map(overCall)),
        'link: over its process': Math.max(...seen.map(({ added }) => added.at(0.5))),
      },
      tables: [
        {
          title: `Links, in milliseconds: a Python script that links itself (longest block of the event loop: ${blockedText(blockedMs)}${hits === null ? '' : `; warm: ${hits} hits, ${misses} misses`})`,
          columns: [
            'chain length',
            'whole call: p50',
            'p99',
            'the last link: p50',
            'a call of the same script: p50',
            'difference',
            'links, without the time of their processes: p50',
            'p99',
            'first request of a script, without a run: p50',
          ],
          rows: seen.map((each) => [
            each.length,
            rounded(each.walls.at(0.5)),
            rounded(each.walls.at(0.99)),
            rounded(each.last.at(0.5)),
            rounded(each.direct.at(0.5)),
            rounded(overCall(each)),
            rounded(each.added.at(0.5)),
            rounded(each.added.at(0.99)),
            rounded(each.first.at(0.5)),
          ]),
        },
      ],
    };
  });
}

/** The last link of a chain runs a script that links nothing, like a call from outside. */
function overCall({ last, direct }) {
  return last.at(0.5) - direct.at(0.5);
}

/** The time of the process of a run is `duration_ms` of its record, an integer. */
async function measureChain(hob, length, chains) {
  const walls = new Samples();
  const added = new Samples();
  const last = new Samples();
  const direct = new Samples();
  const first = new Samples();
  for (let at = -warmUps; at < chains; at++) {
    const began = performance.now();
    const { result } = await call(hob, length);
    const tookMs = performance.now() - began;
    if (result.links?.length !== length) throw new Error(`a chain broke: ${JSON.stringify(result)}`);
    if (at < 0) continue;
    walls.add(tookMs);
    last.add(result.links.at(-1).took_ms);
    direct.add(await timedCall(hob, 0));
    for (const { run_id, took_ms, first_ms } of result.links) {
      first.add(first_ms);
      const { duration_ms } = await hob.call(`/api/runs/${run_id}`);
      added.add(took_ms - duration_ms);
    }
  }
  return { walls, added, last, direct, first };
}

async function timedCall(hob, links) {
  const began = performance.now();
  await call(hob, links);
  return performance.now() - began;
}

function call(hob, links) {
  return hob.call('/api/execute', { script_id: idOf(1), sync: true, params: { links } });
}
