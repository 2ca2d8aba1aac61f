import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';

import { describe, expect, it, onTestFinished } from 'vitest';

import { tempFolder } from '../support/hob.ts';
import { findProgram, has } from '../support/needs.ts';
import { runPythonClient } from '../support/python-client.ts';

const isHere = has('Python', findProgram('python3') !== null);

interface Sent {
  readonly line: string;
  readonly key: string | undefined;
}

type Answer = (response: ServerResponse, request: IncomingMessage) => void;

/** A server that takes the place of the service, and the requests that it received. */
async function serve(answer: Answer): Promise<{ url: string; sent: Sent[] }> {
  const sent: Sent[] = [];
  const server = createServer((request, response) => {
    const { 'idempotency-key': key } = request.headers;
    sent.push({ line: `${request.method} ${request.url}`, key: key === undefined ? key : String(key) });
    answer(response, request);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close().closeAllConnections());
  return { url: `http://127.0.0.1:${Object(server.address()).port}`, sent };
}

const give =
  (value: unknown): Answer =>
  (response) =>
    void response.end(JSON.stringify(value));

const started = give({ run_id: 'r' });

/** Runs the body, in which `hob` is a client of this address. Returns the JSON that the body prints. */
async function withClient(url: string, body: string): Promise<unknown> {
  const opening = `import os, signal, time\nhob = Hob("${url}", patience=6)\n`;
  const helpers = `
def code_of(ask):
    try:
        ask()
    except CallError as error:
        return error.code
`;
  return JSON.parse(await runPythonClient(await tempFolder(), opening + helpers + body));
}

describe.skipIf(!isHere)('the Python client', () => {
  it('sends an empty idempotency key, and refuses one that no header can contain', async () => {
    const { url, sent } = await serve(started);
    const codes = await withClient(
      url,
      `
hob.start("a", idempotency_key="")
print(json.dumps([code_of(lambda: hob.start("a", idempotency_key=key)) for key in ("订单-42", "a\\r\\nb: c")]))
`,
    );
    expect(codes).toEqual(['idempotency-key-invalid', 'idempotency-key-invalid']);
    expect(sent).toEqual([{ line: 'POST /api/scripts/a/runs', key: '' }]);
  });

  it('encodes the characters of a path', async () => {
    const { url, sent } = await serve(give({}));
    await withClient(url, 'hob.request("GET", "/api/图 片/%2F?a=1&b=%20")\nprint(1)');
    expect(sent[0]?.line).toBe('GET /api/%E5%9B%BE%20%E7%89%87/%2F?a=1&b=%20');
  });

  it('refuses ids that a path cannot contain', async () => {
    const { url, sent } = await serve(started);
    const codes = await withClient(
      url,
      `
calls = (hob.start, hob.run, hob.script, hob.attach)
print(json.dumps([code_of(lambda: call(id)) for id in ("", ".", "..") for call in calls]))
`,
    );
    const each = ['script-unknown', 'script-unknown', 'script-unknown', 'run-unknown'];
    expect(codes).toEqual([...each, ...each, ...each]);
    expect(sent).toEqual([]);
  });

  it('refuses an address that is not one', async () => {
    const count = await withClient(
      'http://hob.test',
      `
count = 0
for url in ("127.0.0.1:9527", "localhost:9527", "ftp://localhost", "http://", "http://a:b", ""):
    try:
        Hob(url)
    except ValueError:
        count += 1
print(count)
`,
    );
    expect(count).toBe(6);
  });

  it('finds no service in a file with other content', async () => {
    const texts = [
      '[]',
      '{}',
      '1',
      '{"pid": "1", "url": "http://a", "version": "1"}',
      '{"pid": 1, "url": 2}',
    ];
    const odd = [...texts, '{"pid": 1, "url": "nonsense", "version": "1"}', '\u0000', ''];
    const codes = await withClient(
      'http://hob.test',
      `
home = ${JSON.stringify(await tempFolder())}
codes = []
for text in ${JSON.stringify(odd)}:
    with open(os.path.join(home, "service.json"), "w") as file:
        file.write(text)
    codes.append(code_of(Hob(home=home).scripts))
print(json.dumps(codes))
`,
    );
    expect(codes).toEqual(odd.map(() => 'not-running'));
  });

  it('finds the service before each request', async () => {
    const first = await serve(give({ scripts: [] }));
    const second = await serve(give({ scripts: [] }));
    await withClient(
      'http://hob.test',
      `
home = ${JSON.stringify(await tempFolder())}
hob = Hob(home=home)
for url in ("${first.url}", "${second.url}"):
    with open(os.path.join(home, "service.json"), "w") as file:
        json.dump({"pid": os.getpid(), "url": url, "version": "1"}, file)
    hob.scripts()
print(1)
`,
    );
    expect([first.sent.length, second.sent.length]).toEqual([1, 1]);
  });

  it('does not follow a redirect', async () => {
    const target = await serve(started);
    const { url } = await serve(
      (response) => void response.writeHead(307, { location: `${target.url}/` }).end(),
    );
    const status = await withClient(
      url,
      `
try:
    hob.start("a", params={"password": "secret"})
except CallError as error:
    print(error.status)
`,
    );
    expect(status).toBe(307);
    expect(target.sent).toEqual([]);
  });

  it('counts its patience again after a connection that was open', async () => {
    let cuts = 3;
    const { url } = await serve((response) => {
      if (cuts-- > 0) setTimeout(() => response.destroy(), 1200);
      else give({ scripts: ['found'] })(response, response.req);
    });
    expect(await withClient(url, 'hob._patience = 1.5\nprint(json.dumps(hob.scripts()))')).toEqual(['found']);
  });

  it('waits no longer than its caller allows, even if the service is away', async () => {
    const [kind, took] = Object(
      await withClient(
        'http://127.0.0.1:1',
        `
began = time.monotonic()
try:
    hob.attach("r").wait(0.5)
except Exception as error:
    print(json.dumps([type(error).__name__, time.monotonic() - began]))
`,
      ),
    );
    expect(kind).toBe('TimeoutError');
    expect(took).toBeGreaterThanOrEqual(0.5);
    expect(took).toBeLessThan(4);
  });

  it('cancels a run after its timeout, even if the service does not answer at that time', async () => {
    const { url, sent } = await serve((response, request) => {
      if (request.method === 'GET') response.destroy();
      else started(response, request);
    });
    const kind = await withClient(
      url,
      `
try:
    hob.run("a", timeout=0.5)
except Exception as error:
    print(json.dumps(type(error).__name__))
`,
    );
    expect(kind).toBe('TimeoutError');
    expect(sent.at(-1)?.line).toBe('POST /api/runs/r/cancel');
  });

  it('raises TimeoutError for a run that it cannot cancel', async () => {
    const { url } = await serve((response, request) => {
      if (String(request.url).endsWith('/runs')) started(response, request);
      else if (request.method === 'GET') give({ ended_at: null })(response, request);
      else response.writeHead(500).end();
    });
    const body = `
try:
    hob.run("a", timeout=0.2)
except Exception as error:
    print(json.dumps(type(error).__name__))
`;
    expect(await withClient(url, body)).toBe('TimeoutError');
  });

  it('cancels a run whose start was interrupted', async () => {
    let count = 0;
    const { url, sent } = await serve((response, request) => {
      if (count++ > 0) started(response, request);
      // The run is accepted, and its answer never arrives.
      else void json(request).then((body) => process.kill(Object(body).params.pid, 'SIGINT'));
    });
    const body = `
signal.signal(signal.SIGINT, signal.default_int_handler)
try:
    hob.run("a", params={"pid": os.getpid()})
except KeyboardInterrupt:
    print(1)
`;
    expect(await withClient(url, body)).toBe(1);
    expect(sent.map(({ line }) => line)).toEqual([
      'POST /api/scripts/a/runs',
      'POST /api/scripts/a/runs',
      'POST /api/runs/r/cancel',
    ]);
    expect(sent[1]?.key).toBe(sent[0]?.key);
  });

  it('starts nothing again if an interrupted start did not reach the service', async () => {
    const body = `
def stop(*_):
    raise KeyboardInterrupt
signal.signal(signal.SIGALRM, stop)
signal.setitimer(signal.ITIMER_REAL, 0.3)
began = time.monotonic()
try:
    hob.run("a")
except KeyboardInterrupt:
    print(time.monotonic() - began)
`;
    expect(await withClient('http://127.0.0.1:1', body)).toBeLessThan(4);
  });
});
