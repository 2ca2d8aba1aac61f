import { describe, expect, it } from 'vitest';

import { Hob, type OutputChunk } from '../../src/client/hob.ts';
import { startHob, tempFolder } from '../support/hob.ts';
import { python, writeScript } from '../support/scripts.ts';
import { until } from '../support/until.ts';

const tables = `
[[service.inputs]]
name = "files"
type = "list"
[[service.params]]
name = "quality"
type = "int"
default = 85
`;

/** Prints to both streams, returns its inputs, and fails if it is asked to. */
const echo = {
  language: 'python',
  tables,
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
  return { service, ids, hob: new Hob({ home: service.home }) };
}

async function collect(chunks: AsyncIterable<OutputChunk>): Promise<Record<string, string>> {
  const found: Record<'stdout' | 'stderr', Uint8Array[]> = { stdout: [], stderr: [] };
  for await (const { stream, bytes } of chunks) found[stream].push(bytes);
  return {
    stdout: Buffer.concat(found.stdout).toString('latin1'),
    stderr: Buffer.concat(found.stderr).toString('latin1'),
  };
}

describe('the TypeScript client', () => {
  it('finds the service and its token, runs a script and returns its record', async () => {
    const { ids, hob } = await open(['--token']);
    const run = await hob.run(ids.echo, { data: ['a'], params: { quality: 3 } });
    expect(run).toMatchObject({
      state: 'succeeded',
      result: { code: 0, msg: '好', given: [{ files: ['a'] }, { quality: 3 }] },
    });
    expect(await hob.run(ids.echo, { data: 'one', params: { exit: 3 } })).toMatchObject({
      state: 'failed',
      exit_code: 3,
      data: { files: ['one'] },
    });
    const { scripts } = await hob.scripts();
    expect(scripts.map(({ id }) => id).sort()).toEqual(Object.values(ids).sort());
    expect(await hob.script(ids.echo)).toMatchObject({ name: 'echo' });
  });

  it('yields the output of each stream byte for byte, and the events of the run', async () => {
    const { ids, hob } = await open();
    const run = await hob.start(ids.echo);
    const latin = (text: string) => Buffer.from(text).toString('latin1');
    expect(await collect(run.output())).toEqual({ stdout: latin('甲\n乙\n'), stderr: '\u00ff\u0000' });
    expect(await collect(run.output({ stream: 'stderr' }))).toEqual({ stdout: '', stderr: '\u00ff\u0000' });
    const types: string[] = [];
    for await (const { type } of hob.attach(run.id).events()) types.push(type);
    expect(types.at(-1)).toBe('run.ended');
    expect(new Set(types)).toContain('run.output');
  });

  it('follows the events of the service from now on, and resumes after an id', async () => {
    const { ids, hob } = await open();
    const aborter = new AbortController();
    const seen: string[] = [];
    let firstId = '';
    const following = (async () => {
      for await (const event of hob.events({ types: ['run.ended'], signal: aborter.signal })) {
        if (event.type !== 'run.ended') continue;
        seen.push(event.data.run_id);
        firstId ||= event.id;
      }
    })();
    await until('the stream is open', async () => {
      await hob.run(ids.echo);
      return seen.length > 0;
    });
    const second = await hob.run(ids.echo);
    await until('the end was seen', async () => seen.includes(second.run_id));
    aborter.abort();
    await expect(following).rejects.toThrow('aborted');
    expect(new Set(seen).size).toBe(seen.length);
    for await (const event of hob.events({ types: ['run.ended'], since: firstId })) {
      expect(event).toMatchObject({ type: 'run.ended', data: { run_id: seen[1] } });
      break;
    }
  });

  it('cancels the run when its signal is aborted', async () => {
    const { ids, hob } = await open();
    const aborter = new AbortController();
    const running = hob.run(ids.endless, { signal: aborter.signal, idempotencyKey: 'stop-me' });
    const { id } = await hob.start(ids.endless, { idempotencyKey: 'stop-me' });
    for await (const { text } of hob.attach(id).output()) if (text.includes('started')) break;
    aborter.abort(new Error('enough'));
    await expect(running).rejects.toThrow('enough');
    expect(await hob.attach(id).wait()).toMatchObject({ state: 'failed', end_cause: 'cancelled' });
    expect(await hob.attach(id).cancel()).toBe(false);
    await expect(hob.run(ids.echo, { signal: AbortSignal.abort(new Error('before')) })).rejects.toThrow(
      'before',
    );
  });

  it('explains refusals, and a service that does not run', async () => {
    const { service, ids, hob } = await open();
    await expect(hob.run(ids.echo, { params: { quality: 'high' } })).rejects.toMatchObject({
      name: 'HobError',
      code: 'params-invalid',
      status: 400,
    });
    const elsewhere = new Hob({ home: await tempFolder() });
    await expect(elsewhere.scripts()).rejects.toMatchObject({ code: 'not-running', status: null });
    const began = performance.now();
    const gone = new Hob({ url: 'http://127.0.0.1:1/', patienceMs: 500 });
    await expect(gone.scripts()).rejects.toMatchObject({ code: 'unreachable' });
    expect(performance.now() - began).toBeLessThan(5000);
    const direct = new Hob({ url: `${service.url}/` });
    expect(await direct.request('GET', '/api/health')).toMatchObject({ status: 'ok' });
  });

  it('repeats a refused start after the time that the service names', async () => {
    const answers = [
      new Response('{"status":"error","message":"full"}', { status: 503, headers: { 'retry-after': '0' } }),
      new TypeError('fetch failed', { cause: Object.assign(new Error('reset'), { code: 'ECONNRESET' }) }),
      Response.json({ run_id: 'r' }),
    ];
    const keys: unknown[] = [];
    const hob = new Hob({
      url: 'http://hob.test',
      fetch: async (_, init) => {
        keys.push(new Headers(init?.headers).get('idempotency-key'));
        const next = answers.shift();
        if (next instanceof Response) return next;
        throw next;
      },
    });
    expect((await hob.start('x')).id).toBe('r');
    expect(keys).toHaveLength(3);
    expect(new Set(keys).size).toBe(1);
    // A request that may have arrived is not repeated without a key.
    answers.push(new TypeError('fetch failed', { cause: new Error('reset') }));
    await expect(hob.request('POST', '/api/notify')).rejects.toMatchObject({ code: 'unreachable' });
  });
});
