import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { Hob } from '../../src/client/hob.ts';
import { renewToken } from '../../src/shared/token-file.ts';
import { tempFolder } from '../support/hob.ts';
import { findProgram, has } from '../support/needs.ts';
import { runPythonClient } from '../support/python-client.ts';
import { startRestartable } from '../support/restartable.ts';
import { python, writeScript } from '../support/scripts.ts';
import { until } from '../support/until.ts';

const hasPython = has('Python', findProgram('python3') !== null);

/** The part of a run that a client saw. */
interface Seen {
  readonly hash: string;
  readonly bytes: number;
  readonly state: string;
  readonly runId: string;
}

/** Starts a script, follows its output to the end, and waits for its record. */
const clients: Record<string, (home: string, script: string) => Promise<Seen>> = {
  async TypeScript(home, script) {
    const run = await new Hob({ home }).start(script);
    const hash = createHash('sha256');
    let size = 0;
    for await (const { bytes, offset } of run.output({ stream: 'stdout' })) {
      expect(offset).toBe(size);
      size += bytes.length;
      hash.update(bytes);
    }
    const { state } = await run.wait();
    return { hash: hash.digest('hex'), bytes: size, state, runId: run.id };
  },
  async Python(home, script) {
    const printed = await runPythonClient(
      home,
      `
import hashlib
run = hob.start("${script}")
seen, size = hashlib.sha256(), 0
for part in run.output("stdout"):
    assert part.offset == size
    size += len(part.bytes)
    seen.update(part.bytes)
print(json.dumps({"hash": seen.hexdigest(), "bytes": size, "state": run.wait()["state"], "runId": run.id}))
`,
    );
    return JSON.parse(printed);
  },
};

/** Writes lines of text and other bytes, and waits for the file \`go\` in the middle. */
const printing = (mebibytes: number): [string, string] =>
  python(`
import hashlib, time
half = (${mebibytes} << 20) // 2
line = "".join(chr(0x4e00 + number) for number in range(20)).encode() + bytes(range(256)) + b"\\n"
seen, out = hashlib.sha256(), sys.stdout.buffer
def put(total):
    while total > 0:
        piece = (line * 200)[:total]
        out.write(piece)
        seen.update(piece)
        total -= len(piece)
    out.flush()
put(half)
while not os.path.exists("go"):
    time.sleep(0.05)
put(half)
write({"code": 0, "msg": "done", "hash": seen.hexdigest()})
`);

async function open(mebibytes: number) {
  const scripts = await tempFolder();
  const id = await writeScript(scripts, 'prints', { language: 'python', entry: printing(mebibytes) });
  const service = await startRestartable({
    scripts: [scripts],
    args: ['--token'],
    settings: 'output_log_mib = 256\n',
  });
  return { service, scripts, id };
}

/** Lets the script continue. */
function allow(scripts: string): Promise<void> {
  return writeFile(join(scripts, 'prints', 'go'), '');
}

/** Resolves when a run has written this many bytes. */
async function firstBytes(client: Hob, runId: string, count: number): Promise<void> {
  for await (const { offset, bytes } of client.attach(runId).output())
    if (offset + bytes.length >= count) return;
}

describe.skipIf(!hasPython)(
  'a client whose service is killed and restarted, in token mode',
  { timeout: 400_000 },
  () => {
    for (const [name, follow] of Object.entries(clients)) {
      it.each([1, 100])(`follows %d MiB of output byte for byte: ${name}`, async (mebibytes) => {
        const { service, scripts, id } = await open(mebibytes);
        const following = follow(service.hob.home, id);
        const client = new Hob({ home: service.hob.home });
        const half = (mebibytes << 20) / 2;
        const runId = await until('the run is on record', async () => {
          const { items } = await client.request<{ items: { run_id: string }[] }>('GET', '/api/runs');
          return items[0]?.run_id;
        });
        await firstBytes(client, runId, half);
        await service.restart('SIGKILL', () => allow(scripts));
        const seen = await following;
        const record = await client.attach(runId).wait();
        expect(seen).toEqual({
          hash: record.result?.hash,
          bytes: mebibytes << 20,
          state: 'succeeded',
          runId,
        });
      });
    }

    it('starts a script once, even if the service is killed while it accepts the run', async () => {
      const { service, scripts, id } = await open(1);
      await allow(scripts);
      const { home } = service.hob;
      const client = new Hob({ home });
      await client.scripts();
      const starts = Array.from({ length: 20 }, () => client.run(id));
      await service.restart('SIGKILL');
      const ended = await Promise.all(starts);
      const { items } = await client.request<{ items: { run_id: string }[] }>('GET', '/api/runs?limit=100');
      expect(new Set(items.map(({ run_id }) => run_id))).toEqual(new Set(ended.map(({ run_id }) => run_id)));
      expect(items).toHaveLength(20);
    });

    it('waits for a service that is started later, with another token', async () => {
      const { service, scripts, id } = await open(1);
      await allow(scripts);
      const { home } = service.hob;
      const client = new Hob({ home });
      await client.scripts();
      let running: Promise<unknown> = Promise.resolve();
      await service.restart('SIGKILL', async () => {
        running = client.run(id);
        await renewToken(home);
      });
      expect(await running).toMatchObject({ state: 'succeeded' });
    });
  },
);
