import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import {
  executorPid,
  type Hob,
  isRunning,
  launchHob,
  startHob,
  tempFolder,
  untilGone,
} from '../support/hob.ts';
import { openTerminalRun, pagePrograms, startFromConsole, type } from '../support/page-terminal.ts';
import { killEach, processesWith, startTraced } from '../support/processes.ts';
import { bash, python, writeScript } from '../support/scripts.ts';
import { fileThere, until } from '../support/until.ts';
import { expectNothingLeft, outputOf, written } from '../support/window-runs.ts';

/** Ignores signals to end, and so do its children. */
const stubborn = bash(`
trap '' HUP TERM INT
(while :; do sleep 600; done) &
echo ready
while :; do sleep 600; done
`);

const text = Array.from({ length: 500 }, (_, line) => `${line} 中文 😀 "quotes" \\ %d\ttab`).join('\n');
const floodBytes = 20_000_000;
const floodLine = `${'0123456789 '.repeat(6)}中文中文 abc\n`;

describe.skipIf(process.platform === 'win32')('a run with a terminal in the page', () => {
  let home: string;
  let scripts: string;
  let hob: Hob;
  const ids = new Map<string, string>();
  const launch = () => launchHob({ home, scripts: [scripts], settings: 'stop_grace_s = 0.5\n' });
  const open = (name: string) => openTerminalRun(hob, ids.get(name) ?? '');

  beforeAll(async () => {
    home = await mkdtemp(join(tmpdir(), 'hob-test-'));
    scripts = await mkdtemp(join(tmpdir(), 'hob-test-'));
    const late = `while [ ! -e "${scripts}/go" ]; do sleep 0.05; done; for i in $(seq 2000); do echo late $i; done; echo $$ > "${scripts}/proof"; exec sleep 600`;
    const entries: Record<string, { entry: [string, string]; language?: string; runtime?: string }> = {
      what: {
        entry: bash(
          '[ -t 0 ] && [ -t 1 ] && [ -t 2 ] && echo "$TERM $COLORTERM $(stty size)"; echo oops >&2; read -r line',
        ),
      },
      ask: { entry: python('name = input("Who? ")\nprint(f"Hello, {name}!")'), language: 'python' },
      patient: { entry: python('import time\nprint("ready")\ntime.sleep(600)'), language: 'python' },
      password: {
        entry: bash(
          `read -rs -p "Password? " secret; echo; echo "\${#secret} letters"; echo direct > /dev/tty`,
        ),
      },
      sized: {
        entry: python(`import signal
signal.signal(signal.SIGWINCH, lambda *_: print("size", *os.get_terminal_size(), flush=True))
print("ready", flush=True)
sys.stdin.readline()
print("last", *os.get_terminal_size())`),
        language: 'python',
      },
      lasting: { entry: bash('echo ready; read -r line; echo "got $line"; exit 7') },
      raw: {
        entry: python(`import termios, tty
before = termios.tcgetattr(0)
tty.setraw(0)
os.write(1, b"one\\ntwo\\r\\n")
key = os.read(0, 1)
termios.tcsetattr(0, termios.TCSADRAIN, before)
print("got", key)`),
        language: 'python',
      },
      stubborn: { entry: stubborn },
      slow: { entry: stubborn, runtime: 'timeout = 0.5' },
      wordy: { entry: python(`sys.stdout.write(${JSON.stringify(`${text}\n`)})`), language: 'python' },
      flood: {
        entry: bash(`yes '${floodLine.trimEnd()}' | head -c ${floodBytes}; echo; echo end`),
      },
      deaf: { entry: bash('echo ready; exec sleep 600') },
      late: {
        entry: python(`import hashlib, time
print("ready", flush=True)
while not os.path.exists("${scripts}/read"): time.sleep(0.02)
digest = hashlib.sha256()
for line in sys.stdin:
    digest.update(line.encode())
    if line == "over\\n": break
print(digest.hexdigest())`),
        language: 'python',
      },
      babbler: { entry: bash('yes & echo gone') },
      leaver: { entry: bash(`bash -c '${late}' & echo gone`) },
      never: { entry: bash('[ -t 1 ] || echo none'), runtime: 'terminal = "never"' },
    };
    for (const [name, { runtime = '', ...rest }] of Object.entries(entries))
      ids.set(name, await writeScript(scripts, name, { ...rest, runtime }));
    hob = await launch();
  });

  afterAll(async () => {
    const executor = await executorPid(home);
    await hob.stop();
    await untilGone(executor);
    const left = await pagePrograms(home);
    killEach(left);
    expect(left).toEqual([]);
    for (const folder of [home, scripts]) await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  });

  it('has a terminal of 80 by 24 with colours, and one output stream', async () => {
    const runId = await open('what');
    await written(hob, runId, 'oops');
    const { status, body } = await hob.get(`/api/runs/${runId}/terminal`);
    const output = 'xterm-256color truecolor 24 80\noops\n';
    expect([status, body]).toEqual([200, { open: true, columns: 80, rows: 24, output_bytes: output.length }]);
    await type(hob, runId, '\n');
    expect(await hob.ended(runId)).toMatchObject({ state: 'succeeded', origin: 'console', stderr_bytes: 0 });
    expect(await outputOf(hob, runId)).toBe(`${output}\n`);
  });

  it('reads typed text in any language', async () => {
    const runId = await open('ask');
    await written(hob, runId, 'Who? ');
    await type(hob, runId, '李雷 😀\r');
    expect(await hob.ended(runId)).toMatchObject({ state: 'succeeded' });
    expect(await outputOf(hob, runId)).toBe('Who? 李雷 😀\nHello, 李雷 😀!\n');
  });

  it('does not store a password that it asks for', async () => {
    const runId = await open('password');
    await written(hob, runId, 'Password? ');
    await type(hob, runId, 'sesame\r');
    await hob.ended(runId);
    expect(await outputOf(hob, runId)).toBe('Password? \n6 letters\ndirect\n');
  });

  it('is ended by Ctrl-C', async () => {
    const runId = await open('patient');
    await written(hob, runId, 'ready');
    await type(hob, runId, '\u0003');
    expect(await hob.ended(runId)).toMatchObject({ end_cause: 'signal', exit_code: 130 });
    expect(await outputOf(hob, runId)).toContain('KeyboardInterrupt');
    await expectNothingLeft(runId);
  });

  it('receives the size of its page', async () => {
    const runId = await open('sized');
    await written(hob, runId, 'ready');
    const resized = await hob.post(`/api/runs/${runId}/terminal/size`, { columns: 100, rows: 30 });
    expect(resized.status).toBe(200);
    await written(hob, runId, 'size 100 30');
    expect((await hob.get(`/api/runs/${runId}/terminal`)).body).toMatchObject({ columns: 100, rows: 30 });
    await type(hob, runId, '\r');
    await hob.ended(runId);
    expect(await outputOf(hob, runId)).toContain('last 100 30');
  });

  it('continues with its size when the service is killed, and no input is typed twice', async () => {
    const runId = await open('lasting');
    await written(hob, runId, 'ready');
    await hob.post(`/api/runs/${runId}/terminal/size`, { columns: 100, rows: 30 });
    await type(hob, runId, 'be', { sender: 'page', number: 1 });
    await type(hob, runId, 'fore', { sender: 'page', number: 2 });
    await written(hob, runId, 'before');
    await hob.stop('SIGKILL');
    hob = await launch();
    expect((await hob.get(`/api/runs/${runId}/terminal`)).body).toMatchObject({
      open: true,
      columns: 100,
      rows: 30,
    });
    // The page got no answer for its last piece, so it sends that again.
    await type(hob, runId, 'fore', { sender: 'page', number: 2 });
    await type(hob, runId, 'af', { sender: 'page', number: 3 });
    await type(hob, runId, 'ter', { sender: 'other', number: 1 });
    await type(hob, runId, '\r');
    expect(await hob.ended(runId)).toMatchObject({ end_cause: 'exit', exit_code: 7 });
    expect(await outputOf(hob, runId)).toBe('ready\nbeforeafter\ngot beforeafter\n');
  });

  it('distinguishes a typed line feed from the end of a line', async () => {
    const runId = await open('raw');
    await written(hob, runId, 'two\n');
    await type(hob, runId, '\u0003');
    await hob.ended(runId);
    expect(await outputOf(hob, runId)).toBe("one\x1bDtwo\ngot b'\\x03'\n");
  });

  it.each(['cancelled', 'timeout'])('is stopped with all its processes: %s', async (cause) => {
    const { body } = await startFromConsole(hob, ids.get(cause === 'timeout' ? 'slow' : 'stubborn') ?? '');
    const runId = String(body.run_id);
    await written(hob, runId, 'ready');
    if (cause === 'cancelled') await hob.post(`/api/runs/${runId}/cancel`, {});
    expect(await hob.ended(runId)).toMatchObject({ end_cause: cause, left_running: 0 });
    await expectNothingLeft(runId);
  });

  it('is cancelled when the process that holds its terminal is killed', async () => {
    const runId = await open('stubborn');
    await written(hob, runId, 'ready');
    const programs = await pagePrograms(home);
    expect(programs).toHaveLength(1);
    killEach(programs);
    expect(await hob.ended(runId)).toMatchObject({ end_cause: 'cancelled', left_running: 0 });
    await expectNothingLeft(runId);
  });

  it('has its whole output stored, byte by byte', async () => {
    const { body } = await startFromConsole(hob, ids.get('wordy') ?? '');
    const runId = String(body.run_id);
    expect(await hob.ended(runId)).toMatchObject({ state: 'succeeded' });
    expect(await outputOf(hob, runId)).toBe(`${text}\n`);
  });

  it('may write 20 MB', async () => {
    const { body } = await startFromConsole(hob, ids.get('flood') ?? '');
    const runId = String(body.run_id);
    const end = '\nend\n';
    expect(await hob.ended(runId)).toMatchObject({
      state: 'succeeded',
      truncated: false,
      stdout_bytes: floodBytes + end.length,
    });
    const kept = Buffer.from(await (await fetch(`${hob.url}/api/runs/${runId}/stdout`)).arrayBuffer());
    const lines = Buffer.from(floodLine.repeat(Math.ceil(floodBytes / Buffer.byteLength(floodLine))));
    expect(kept.equals(Buffer.concat([lines.subarray(0, floodBytes), Buffer.from(end)]))).toBe(true);
  });

  it('may leave a process running, which the end of the terminal does not affect', async () => {
    const { body } = await startFromConsole(hob, ids.get('leaver') ?? '');
    const runId = String(body.run_id);
    expect(await hob.ended(runId)).toMatchObject({ state: 'succeeded' });
    expect(await outputOf(hob, runId)).toBe('gone\n');
    const noProgram = async () => (await pagePrograms(home)).length === 0;
    await until('the program of the terminal is gone', noProgram);
    const [pid = 0] = await processesWith(`HOB_RUN_ID=${runId}`);
    await writeFile(join(scripts, 'go'), '');
    await fileThere(join(scripts, 'proof'));
    expect(await isRunning(pid)).toBe(true);
    killEach(await processesWith(`HOB_RUN_ID=${runId}`));
  });

  it('ends with its run when its script never reads its input', async () => {
    const runId = await open('deaf');
    await written(hob, runId, 'ready');
    for (let piece = 0; piece < 4; piece++) await type(hob, runId, 'unread\r'.repeat(9000));
    await hob.post(`/api/runs/${runId}/cancel`, {});
    expect(await hob.ended(runId)).toMatchObject({ end_cause: 'cancelled', left_running: 0 });
    await until('the program of the terminal is gone', async () => (await pagePrograms(home)).length === 0);
  });

  it('passes a long paste to a script that reads late, byte by byte', async () => {
    const runId = await open('late');
    await written(hob, runId, 'ready');
    const pieces = Array.from({ length: 20 }, (_, piece) => `${piece} pasted\r`.repeat(5000));
    for (const piece of pieces) await type(hob, runId, piece);
    await type(hob, runId, 'over\r');
    await writeFile(join(scripts, 'read'), '');
    expect(await hob.ended(runId)).toMatchObject({ state: 'succeeded' });
    const pasted = [...pieces, 'over\r'].join('').replaceAll('\r', '\n');
    const hash = createHash('sha256').update(pasted).digest('hex');
    expect(await outputOf(hob, runId)).toContain(hash);
  });

  it('ends with its run when a remaining process writes continuously', async () => {
    const { body } = await startFromConsole(hob, ids.get('babbler') ?? '');
    const runId = String(body.run_id);
    expect(await hob.ended(runId)).toMatchObject({ state: 'succeeded' });
    await until('the program of the terminal is gone', async () => (await pagePrograms(home)).length === 0);
    killEach(await processesWith(`HOB_RUN_ID=${runId}`));
    await until(
      'nothing of it is left',
      async () => (await processesWith(`HOB_RUN_ID=${runId}`)).length === 0,
    );
  });

  it('refuses invalid input, and sizes that no terminal has', async () => {
    const runId = await open('lasting');
    for (const body of [
      {},
      { text: '' },
      { text: 7 },
      { text: 'a'.repeat(65_537) },
      { text: 'a', number: 1 },
    ])
      expect((await hob.post(`/api/runs/${runId}/terminal/input`, body)).status).toBe(400);
    for (const body of [
      {},
      { columns: 80 },
      { columns: 0, rows: 24 },
      { columns: 80.5, rows: 24 },
      { columns: 80, rows: 1e6 },
    ])
      expect((await hob.post(`/api/runs/${runId}/terminal/size`, body)).body).toMatchObject({
        code: 'field-invalid',
      });
    await type(hob, runId, '\r');
    await hob.ended(runId);
    const late = await hob.post(`/api/runs/${runId}/terminal/input`, { text: 'a' });
    expect([late.status, late.body.code]).toEqual([409, 'run-ended']);
    expect((await hob.get(`/api/runs/${runId}/terminal`)).body).toEqual({
      open: false,
      columns: null,
      rows: null,
      output_bytes: null,
    });
    expect((await hob.get('/api/runs/none/terminal')).status).toBe(404);
  });

  it('has no terminal if the manifest says so, or the caller waits for the answer', async () => {
    const { body } = await startFromConsole(hob, ids.get('never') ?? '');
    await hob.ended(String(body.run_id));
    expect(await outputOf(hob, String(body.run_id))).toBe('none\n');
    const waiting = hob.run(ids.get('stubborn') ?? '');
    const runId = await until('the run is there', async () => {
      const { items } = (await hob.get('/api/runs?state=running')).body;
      return Array.isArray(items) && items.length === 1 && String(items[0].run_id);
    });
    const refused = await hob.post(`/api/runs/${runId}/terminal/size`, { columns: 80, rows: 24 });
    expect([refused.status, refused.body.code]).toEqual([409, 'run-without-terminal']);
    await hob.post(`/api/runs/${runId}/cancel`, {});
    await waiting;
  });
});

it.skipIf(process.platform === 'win32')(
  'the program of a terminal exits when its executor is killed, also with unread input',
  async () => {
    const scripts = await tempFolder();
    const id = await writeScript(scripts, 'deaf', { entry: bash('echo ready; exec sleep 600') });
    const { hob } = await startTraced({ scripts: [scripts] });
    const runId = await openTerminalRun(hob, id);
    await written(hob, runId, 'ready');
    await type(hob, runId, 'unread\r'.repeat(9000));
    killEach([await executorPid(hob.home)]);
    const noProgram = async () => (await pagePrograms(hob.home)).length === 0;
    await until('the program of the terminal is gone', noProgram);
    expect(await hob.ended(runId)).toMatchObject({ end_cause: 'lost' });
  },
);

it.skipIf(process.platform === 'win32')(
  'in token mode, a run cannot type through its own address',
  async () => {
    const scripts = await tempFolder();
    const entry = bash('sed -n \'s/.*"api_base": "\\(.*\\)",*/\\1/p\' "$1"; read -r line');
    const id = await writeScript(scripts, 'telling', { entry });
    const hob = await startHob({ scripts: [scripts], settings: 'token = true\n' });
    const authorization = `Bearer ${await readFile(join(hob.home, 'token'), 'utf8')}`.trim();
    const started = await hob.post(
      '/api/execute',
      { script_id: id },
      { authorization, 'X-Hob-Origin': 'console' },
    );
    const runId = String(started.body.run_id);
    const output = async () => {
      const answer = await fetch(`${hob.url}/api/runs/${runId}/stdout`, { headers: { authorization } });
      return /http:\S+/.exec(await answer.text())?.[0];
    };
    const base = await until('the run has written its address', output);
    const path = `/api/runs/${runId}/terminal/input`;
    const byRun = await hob.post(new URL(base).pathname + path, { text: '\r' });
    expect([byRun.status, byRun.body.code]).toEqual([401, 'door-token']);
    expect((await hob.post(path, { text: '\r' }, { authorization })).status).toBe(200);
    const ended = async () =>
      (await hob.get(`/api/runs/${runId}`, { authorization })).body.state === 'succeeded';
    await until('the run has ended', ended);
  },
);
