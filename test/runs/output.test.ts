import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { isRunning, startHob, tempFolder } from '../support/hob.ts';
import { bash, python, type ScriptOptions, writeScript } from '../support/scripts.ts';
import { shareService } from '../support/shared-service.ts';

const service = shareService('stop_grace_s = 0.3\n');

describe('the output of a script', () => {
  it('may be written to /dev/stdout and /dev/stderr by name, and appended, without losing a byte', async () => {
    const id = await service.add('by-name', {
      entry: bash(`
echo first
echo err1 >&2
echo x > /dev/stderr
echo y > /dev/stdout
echo z >> /dev/stdout
echo last
echo '{"code":0,"msg":"ok"}' > "$output"
`),
    });
    const { hob } = service;
    const { body } = await hob.run(id);
    expect(body).toMatchObject({ success: true, stdout: 'first\ny\nz\nlast\n', stderr: 'err1\nx\n' });
  });

  it('does not delay the answer if a background child keeps the streams open', async () => {
    const id = await service.add('leaves-child', {
      entry: bash(`
sleep 600 &
echo $!
echo '{"code":0,"msg":"ok"}' > "$output"
`),
    });
    const { hob } = service;
    const started = performance.now();
    const { body } = await hob.run(id);
    expect(performance.now() - started).toBeLessThan(5000);
    expect(body).toMatchObject({ success: true, message: 'ok' });
    const child = Number(String(body.stdout).trim());
    expect(await isRunning(child)).toBe(true);
    process.kill(child);
  });

  it('is never mixed with that of other runs, in sequence and in parallel', async () => {
    const id = await service.add('streams', {
      language: 'sh',
      tables: '[[service.inputs]]\nname = "words"\n',
      // Some runs write to one stream only, so that the other is closed without a byte.
      entry: [
        'main.sh',
        'word=$(sed -n \'s/^ *"\\([a-z]*-[0-9]*\\)"$/\\1/p\' "$1"); case $word in err-*) echo "$word" >&2;; out-*) echo "$word";; both-*) echo "$word"; echo "$word" >&2;; esac',
      ],
    });
    const { hob } = service;
    const check = async (index: number) => {
      const kind = ['err', 'out', 'both', 'none'][index % 4] ?? '';
      const word = `${kind}-${index}`;
      const { body } = await hob.run(id, { data: [word] });
      const line = `${word}\n`;
      expect([word, body.stdout, body.stderr]).toEqual([
        word,
        kind === 'out' || kind === 'both' ? line : '',
        kind === 'err' || kind === 'both' ? line : '',
      ]);
    };
    for (let index = 0; index < 60; index++) await check(index);
    const callers = Array.from({ length: 16 }, async (_, caller) => {
      for (let index = 0; index < 20; index++) await check(1000 * caller + index);
    });
    await Promise.all(callers);
  });

  it('over the limits keeps its beginning and end, and says what is missing', async () => {
    const scripts = await tempFolder();
    const id = await writeScript(scripts, 'flood', {
      language: 'python',
      entry: python(
        'print("BEGIN"); sys.stdout.write("x" * 3000000); print("\\nEND"); write({"code": 0, "msg": "ok"})',
      ),
    });
    const hob = await startHob({
      scripts: [scripts],
      settings: 'output_log_mib = 1\noutput_answer_mib = 0.5\n',
    });
    const { body, headers } = await hob.run(id);
    const stdout = String(body.stdout);
    expect(stdout.startsWith('BEGIN\nxxx')).toBe(true);
    expect(stdout.endsWith('xxx\nEND\n')).toBe(true);
    const total = 'BEGIN\n'.length + 3_000_000 + '\nEND\n'.length;
    expect(stdout).toContain(`[... ${total - 512 * 1024} bytes left out by Hob ...]`);
    const record = (await hob.get(`/api/runs/${headers.get('x-hob-run-id')}`)).body;
    expect(record).toMatchObject({ stdout_bytes: total, truncated: true, result: { code: 0 } });
  });

  it('in GBK or broken UTF-8 becomes readable text', async () => {
    const id = await service.add('gbk', {
      language: 'python',
      entry: python(
        'sys.stdout.buffer.write("中文 GBK".encode("gbk")); sys.stderr.buffer.write(b"ok \\xff\\xfe\\xff"); write({"code": 0, "msg": "好"})',
      ),
    });
    const { hob } = service;
    const { body } = await hob.run(id);
    expect(body).toMatchObject({ stdout: '中文 GBK', message: '好' });
    expect(body.stderr).toMatch(/^ok .*\uFFFD/);
  });
});

describe('how a run ends', () => {
  const scriptThat = async (entry: [string, string], runtime = '') => {
    const language = entry[0].endsWith('.py') ? 'python' : 'bash';
    const id = await service.add(randomUUID(), { language, entry, runtime });
    return { hob: service.hob, id };
  };

  it('with an exit code: the envelope says so, and contains the last lines of stderr', async () => {
    const { hob, id } = await scriptThat(bash('for i in $(seq 30); do echo "line $i" >&2; done; exit 7'));
    const { body } = await hob.run(id, {});
    expect(body).toMatchObject({
      status: 'error',
      success: false,
      exit_code: 7,
      timed_out: false,
      result: { code: -1 },
    });
    expect(body.message).toMatch(/7/);
    expect(body.message).toMatch(/line 30$/);
    expect(body.message).not.toMatch(/line 5\n/);
    expect(body.result).toMatchObject({ msg: body.message });
  });

  it('with its own envelope and a failure: the envelope is kept unchanged', async () => {
    const { hob, id } = await scriptThat(
      bash('echo \'{"code":42,"msg":"own","extra":[1]}\' > "$output"; exit 3'),
    );
    const { body } = await hob.run(id);
    expect(body).toMatchObject({ status: 'error', success: false, exit_code: 3, message: 'own' });
    expect(body.result).toEqual({ code: 42, msg: 'own', extra: [1] });
  });

  it('with 0 but without an envelope, or with an invalid one: code -3', async () => {
    const { hob, id } = await scriptThat(bash('exit 0'));
    expect((await hob.run(id)).body).toMatchObject({
      status: 'success',
      success: true,
      exit_code: 0,
      result: { code: -3 },
    });
    const bad = await scriptThat(bash('echo "not json" > "$output"'));
    expect((await bad.hob.run(bad.id)).body).toMatchObject({ success: true, result: { code: -3 } });
  });

  it('by a signal: exit code 128 plus the signal', async () => {
    const { hob, id } = await scriptThat(bash('kill -KILL $$'));
    const { body, headers } = await hob.run(id);
    expect(body).toMatchObject({ success: false, exit_code: 137, result: { code: -1 } });
    const record = (await hob.get(`/api/runs/${headers.get('x-hob-run-id')}`)).body;
    expect(record).toMatchObject({ state: 'failed', end_cause: 'signal' });
  });

  it('by its timeout: all its processes are gone, and the output so far is kept', async () => {
    const entry = bash('trap "" TERM; (trap "" TERM; sleep 600) & echo "$$ $!"; sleep 600; sleep 600');
    const { hob, id } = await scriptThat(entry, 'timeout = 0.4');
    const { body, headers } = await hob.run(id);
    expect(body).toMatchObject({
      status: 'error',
      success: false,
      timed_out: true,
      exit_code: 137,
      result: { code: -2 },
    });
    const pids = String(body.stdout).trim().split(' ').map(Number);
    expect(pids).toHaveLength(2);
    expect(await Promise.all(pids.map(isRunning))).toEqual([false, false]);
    const record = (await hob.get(`/api/runs/${headers.get('x-hob-run-id')}`)).body;
    expect(record).toMatchObject({ state: 'failed', end_cause: 'timeout' });
  });

  it('by a timeout that it handles: still timed out, with any exit code', async () => {
    const { hob, id } = await scriptThat(
      bash('trap "echo bye; exit 0" TERM; sleep 600 & wait'),
      'timeout = 0.3',
    );
    expect((await hob.run(id)).body).toMatchObject({
      success: false,
      timed_out: true,
      exit_code: 0,
      stdout: 'bye\n',
    });
  });

  it('by itself, also if it changed the files of its run', async () => {
    const damages = {
      'parameter file replaced by a folder': 'rm "$1"; mkdir "$1"; echo ok',
      'log replaced by a pipe':
        'd=$(dirname "$1"); rm "$d/stderr.log"; mkfifo "$d/stderr.log"; echo ok; echo lost >&2',
      'log replaced by a folder':
        'd=$(dirname "$1"); rm "$d/stderr.log"; mkdir "$d/stderr.log"; echo ok; echo lost >&2',
      'log truncated': 'd=$(dirname "$1"); echo 1234567890 >&2; : > "$d/stderr.log"; echo ok',
      'result a pipe': 'mkfifo "$(dirname "$1")/result.json"; echo ok',
      'folder removed': 'rm -r "$(dirname "$1")"; echo ok',
    };
    const ids: string[] = [];
    for (const [name, text] of Object.entries(damages)) {
      ids.push(await service.add(name, { language: 'sh', entry: ['main.sh', `${text}\nexit 4\n`] }));
    }
    const { hob } = service;
    // More of each than there are threads that could block.
    for (let round = 0; round < 5; round++) {
      for (const id of ids) {
        const { status, body, headers } = await hob.run(id);
        expect([status, body.exit_code]).toEqual([200, 4]);
        const record = (await hob.get(`/api/runs/${headers.get('x-hob-run-id')}`)).body;
        expect(record).toMatchObject({ state: 'failed', end_cause: 'exit', exit_code: 4 });
      }
    }
    expect((await hob.get('/api/health')).body).toMatchObject({ running: 0, queued: 0 });
  });

  it('gets its parameters in a file that is removed afterwards, with secrets masked in the record', async () => {
    const id = await service.add('secret', {
      language: 'python',
      tables: '[[service.params]]\nname = "key"\ntype = "str"\nsecret = true\n',
      entry: python(`
assert oct(os.stat(sys.argv[1]).st_mode)[-3:] == "600" and oct(os.stat(env["run_dir"]).st_mode)[-3:] == "700"
write({"code": 0, "msg": "ok", "length": len(run["params"]["key"]), "file": sys.argv[1], "cwd": os.getcwd(), "env": env})`),
    });
    const { hob } = service;
    const { body, headers } = await hob.run(id, { params: { key: 'hunter2' } });
    const result = JSON.parse(JSON.stringify(body.result));
    expect(result).toMatchObject({ code: 0, length: 7, cwd: join(service.scripts, 'secret') });
    expect(result.env).toEqual({
      api_base: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/r\/[\w-]{32}$/),
      output_json: join(hob.home, 'runs', result.env.run_id, 'result.json'),
      run_id: headers.get('x-hob-run-id'),
      script_id: id,
      script_dir: join(service.scripts, 'secret'),
      run_dir: join(hob.home, 'runs', result.env.run_id),
      invoke_mode: 'node',
      encoding: 'utf-8',
    });
    await expect(readFile(result.file)).rejects.toThrow('ENOENT');
    const record = (await hob.get(`/api/runs/${headers.get('x-hob-run-id')}`)).body;
    expect(record.params).toEqual({ key: '***' });
    expect(hob.log()).not.toContain('hunter2');
  });

  it('inherits no file handle that the parent of Hob has left open', async () => {
    const scripts = await tempFolder();
    const id = await writeScript(scripts, 'handles', {
      language: 'python',
      entry: python(`
held = [os.readlink(f"/proc/self/fd/{name}") for name in os.listdir("/proc/self/fd") if os.path.exists(f"/proc/self/fd/{name}")]
write({"code": 0, "msg": "ok", "held": held})
`),
    });
    const wrapper = ['bash', '-c', 'exec 50< /etc/passwd; exec "$@"', 'bash'];
    const hob = await startHob({ scripts: [scripts], wrapper });
    const { body } = await hob.run(id);
    expect(body).toMatchObject({ success: true });
    expect(JSON.stringify(body.result)).not.toContain('/etc/passwd');
  });

  it("has the user's environment without variables for Hob, Node or npm, and with those of the manifest", async () => {
    const scripts = await tempFolder();
    const id = await writeScript(scripts, 'env', {
      language: 'python',
      runtime: 'env = { OMP_NUM_THREADS = "2", GREETING = "你好" }',
      entry: python(
        'write({"code": 0, "msg": "ok", "env": dict(os.environ), "stdin": sys.stdin.read(), "fds": sorted(os.listdir("/proc/self/fd"))[:3]})',
      ),
    });
    const env = {
      HOB_LOG_LEVEL: 'info',
      NODE_OPTIONS: '--no-warnings',
      npm_config_x: 'y',
      INIT_CWD: '/',
      MINE: 'kept',
    };
    const hob = await startHob({ scripts: [scripts], env });
    const result = JSON.parse(JSON.stringify((await hob.run(id)).body.result));
    expect(result).toMatchObject({
      stdin: '',
      env: {
        MINE: 'kept',
        OMP_NUM_THREADS: '2',
        GREETING: '你好',
        PYTHONUTF8: '1',
        PYTHONUNBUFFERED: '1',
        PYTHONIOENCODING: 'utf-8',
      },
    });
    const names = Object.keys(result.env);
    expect(names.filter((name) => /^(npm_|INIT_CWD|NODE_OPTIONS|LD_PRELOAD)/.test(name))).toEqual([]);
    expect(names.filter((name) => name.startsWith('HOB_'))).toEqual(['HOB_RUN_ID']);
    expect(result.env.PATH).not.toContain('node_modules/.bin');
  });
});

describe('an envelope', () => {
  const startWith = async (script: ScriptOptions, settings: string) => {
    const scripts = await tempFolder();
    const id = await writeScript(scripts, 'script', script);
    return { hob: await startHob({ scripts: [scripts], settings }), id };
  };

  /** Runs a script, and returns the raw texts of its answer and of its record. */
  const textsOf = async (entry: [string, string], settings = '') => {
    const language = entry[0].endsWith('.py') ? 'python' : 'bash';
    const { hob, id } =
      settings === ''
        ? { hob: service.hob, id: await service.add(randomUUID(), { language, entry }) }
        : await startWith({ language, entry }, settings);
    const response = await fetch(`${hob.url}/api/execute`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'accept-language': 'en' },
      body: JSON.stringify({ script_id: id, sync: true }),
    });
    const runId = response.headers.get('x-hob-run-id');
    const answer = await response.text();
    const record = await (await fetch(`${hob.url}/api/runs/${runId}`)).text();
    return { hob, answer, record, headers: response.headers };
  };

  it.each([
    ['without keep-alive', ''],
    ['after a keep-alive space', 'heartbeat_s = 0.1\n'],
  ])('arrives exactly as its script wrote it: %s', async (_name, settings) => {
    const text = '{"code": 0,  "msg":"\\u597d", "id":9007199254740993, "pi":3.14159265358979323846}';
    const { answer, record } = await textsOf(
      bash(`sleep 0.3; cat > "$output" <<'END'\n\n${text} \nEND`),
      settings,
    );
    expect(Object.keys(JSON.parse(answer))).toEqual([
      'status',
      'message',
      'exit_code',
      'success',
      'timed_out',
      'stdout',
      'stderr',
      'result',
    ]);
    expect(answer).toContain(`"stderr":"","result":${text}}`);
    expect(JSON.parse(answer)).toMatchObject({ message: '好', success: true });
    expect(record).toContain(`"exit_code":0,"result":${text},"envelope":"own","data":`);
    expect(JSON.parse(record)).toMatchObject({ state: 'succeeded', exit_code: 0 });
  });

  it('with a number out of range is invalid, and the message names it', async () => {
    const { answer, record } = await textsOf(bash(`echo '{"code":0,"msg":"ok","x":1e400}' > "$output"`));
    const { result, message } = JSON.parse(answer);
    expect(result).toEqual({ code: -3, msg: message });
    expect(message).toMatch(/number.*1e400/);
    expect(JSON.parse(record)).toMatchObject({ envelope: 'synthesized', result });
  });
});

describe('a long synchronous call', () => {
  it('is kept alive by spaces before its answer', async () => {
    const scripts = await tempFolder();
    const id = await writeScript(scripts, 'slow', {
      entry: bash('sleep 1; echo \'{"code":0,"msg":"late"}\' > "$output"'),
    });
    const hob = await startHob({ scripts: [scripts], settings: 'heartbeat_s = 0.2\n' });
    const response = await fetch(`${hob.url}/api/execute`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ script_id: id, sync: true }),
    });
    expect(response.status).toBe(200);
    expect(response.headers.get('x-hob-run-id')).toMatch(/^[0-9a-f-]{36}$/);
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
    const text = await response.text();
    expect(text).toMatch(/^ {3,}\{/);
    expect(Object.keys(JSON.parse(text))).toHaveLength(8);
    expect(JSON.parse(text)).toMatchObject({ message: 'late', success: true });
  });

  it('continues when its caller disconnects, and its result is available by id', async () => {
    const scripts = await tempFolder();
    const id = await writeScript(scripts, 'slow', {
      entry: bash('sleep 0.7; echo \'{"code":0,"msg":"done anyway"}\' > "$output"'),
    });
    const hob = await startHob({ scripts: [scripts], settings: 'heartbeat_s = 0.1\n' });
    const hangUp = new AbortController();
    const response = await fetch(`${hob.url}/api/execute`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ script_id: id, sync: true }),
      signal: hangUp.signal,
    });
    const runId = response.headers.get('x-hob-run-id') ?? '';
    hangUp.abort();
    await response.text().catch(() => '');
    expect(await hob.ended(runId)).toMatchObject({ state: 'succeeded', result: { msg: 'done anyway' } });
  });
});
