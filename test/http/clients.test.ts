import { execFile, execFileSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import {
  httpClientProgram,
  nodeFetchProgram,
  nodeHttpProgram,
  perlProgram,
  requestsProgram,
  rubyProgram,
  urllibProgram,
} from '../support/client-programs.ts';
import { type Hob, launchHob } from '../support/hob.ts';
import { findProgram, has } from '../support/needs.ts';
import { bash, writeScript } from '../support/scripts.ts';
import { readAnswers } from '../support/wire/exchange.ts';

const run = promisify(execFile);

let home: string;
let hob: Hob;
let script: string;
let port: string;

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'hob-clients-'));
  // Prints its first argument.
  const entry = bash(`
word=$(sed -n 's/^ *"word": "\\(.*\\)",*$/\\1/p' "$1")
echo "{\\"code\\":0,\\"msg\\":\\"$word\\"}" > "$output"
`);
  script = await writeScript(join(home, 'scripts'), 'parrot', { entry });
  hob = await launchHob({ home, scripts: [join(home, 'scripts')] });
  port = new URL(hob.url).port;
});

afterAll(async () => {
  await hob?.stop();
  await rm(home, { recursive: true, force: true, maxRetries: 5 });
});

interface Call {
  readonly url: string;
  readonly kind: 'json' | 'form';
  readonly word: string;
  readonly json: Record<string, unknown>;
  readonly fields: Record<string, string>;
}

type Reply = [status: number, body: string];

const loopbackHasIPv6 = Object.values(networkInterfaces())
  .flat()
  .some((each) => each?.address === '::1');
const hosts = ['127.0.0.1', 'localhost', ...(has('IPv6', loopbackHasIPv6) ? ['[::1]'] : [])];

const callWith = (host: string, kind: Call['kind'], word: string): Call => ({
  url: `http://${host}:${port}/api/execute`,
  kind,
  word,
  json: { script_id: script, sync: true, params: { word } },
  fields: { script_id: script, sync: 'true', params: JSON.stringify({ word }) },
});

const answerWith = (word: string) => ({
  status: 'success',
  message: word,
  exit_code: 0,
  success: true,
  timed_out: false,
  stdout: '',
  stderr: '',
  result: { code: 0, msg: word },
});

/** A client that is started once per call. */
const startedForEach =
  (program: string, argsOf: (call: Call) => string[]) =>
  (calls: Call[]): Promise<Reply[]> =>
    Promise.all(
      calls.map(async (call) => {
        const { stdout } = await run(program, argsOf(call));
        const end = stdout.lastIndexOf('\n');
        return [Number(stdout.slice(end + 1)), stdout.slice(0, end)];
      }),
    );

/** A program that makes all calls. */
const startedOnce =
  (program: string, ...args: string[]) =>
  async (calls: Call[]): Promise<Reply[]> =>
    JSON.parse((await run(program, [...args, JSON.stringify(calls)])).stdout);

const curlArgs = ({ url, kind, json, fields }: Call) => [
  ...['-sS', '-w', '\n%{http_code}', url],
  ...(kind === 'json'
    ? ['-H', 'Content-Type: application/json', '-d', JSON.stringify(json)]
    : Object.entries(fields).flatMap(([name, value]) => ['--data-urlencode', `${name}=${value}`])),
];

/** wget exits with an error for an error status, so its output belongs to a 200. */
const wgetScript = 'wget -q -O - "$@" && printf "\\n200"';

const wgetArgs = ({ url, kind, json, fields }: Call) => [
  ...['-c', wgetScript, 'wget', url],
  ...(kind === 'json'
    ? ['--header=Content-Type: application/json', `--post-data=${JSON.stringify(json)}`]
    : [`--post-data=${new URLSearchParams(fields)}`]),
];

const python = findProgram('python3');
const pythonWithRequests = ['/usr/bin/python3', python].find((program) => {
  try {
    execFileSync(program ?? '', ['-c', 'import requests'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
});
const nodeModule = ['--input-type=module', '-e'];

describe.each([
  { name: 'curl', needs: 'curl', make: startedForEach('curl', curlArgs) },
  {
    name: 'curl with HTTP/1.0',
    needs: 'curl',
    make: startedForEach('curl', (call) => ['--http1.0', ...curlArgs(call)]),
  },
  { name: 'wget', needs: 'wget', make: startedForEach('sh', wgetArgs) },
  { name: "Python's urllib", needs: 'python3', make: startedOnce('python3', '-c', urllibProgram) },
  { name: "Python's http.client", needs: 'python3', make: startedOnce('python3', '-c', httpClientProgram) },
  { name: "Ruby's Net::HTTP", needs: 'ruby', make: startedOnce('ruby', '-e', rubyProgram) },
  { name: "Perl's HTTP::Tiny", needs: 'perl', make: startedOnce('perl', '-e', perlProgram) },
  { name: 'fetch in Node', needs: 'node', make: startedOnce('node', ...nodeModule, nodeFetchProgram) },
  { name: 'http in Node', needs: 'node', make: startedOnce('node', ...nodeModule, nodeHttpProgram) },
  {
    name: "Python's requests",
    needs: 'python3-requests',
    make: startedOnce(pythonWithRequests ?? '', '-c', requestsProgram),
  },
])('$name', ({ name, needs, make }) => {
  const isHere =
    needs === 'python3-requests' ? pythonWithRequests !== undefined : findProgram(needs) !== null;
  it.skipIf(!has(needs, isHere))(
    'is answered under every name of the service, for JSON and forms',
    async () => {
      const calls = hosts.flatMap((host) =>
        (['json', 'form'] as const).map((kind) => callWith(host, kind, `${name} & ${kind} to ${host}, 你好`)),
      );
      const replies = await make(calls);
      expect(replies.map(([status]) => status)).toEqual(calls.map(() => 200));
      expect(replies.map(([, body]) => JSON.parse(body))).toEqual(calls.map(({ word }) => answerWith(word)));
    },
  );
});

/** Sends requests one after the other over one connection, each after the previous answer. */
async function sendInTurn(...requests: string[]): Promise<Reply[]> {
  const socket = connect(Number(port), '127.0.0.1');
  const received: Buffer[] = [];
  const chunks = socket[Symbol.asyncIterator]();
  for (const [index, request] of requests.entries()) {
    socket.write(request);
    while (readAnswers(Buffer.concat(received), []).answers.length <= index) {
      const { value, done } = await chunks.next();
      if (done === true) throw new Error('the connection was closed');
      received.push(value);
    }
  }
  socket.destroy();
  return readAnswers(Buffer.concat(received), []).answers.map(({ status, body }) => [status, body]);
}

const curl = has('curl', findProgram('curl') !== null);

describe('an unusual client', () => {
  it('that offers HTTP/2 with its body, like Java, is answered in HTTP/1.1, repeatedly', async () => {
    const requestOf = (word: string) => {
      const body = JSON.stringify(callWith('127.0.0.1', 'json', word).json);
      const lines = [
        'POST /api/execute HTTP/1.1',
        'Connection: Upgrade, HTTP2-Settings',
        `Content-Length: ${Buffer.byteLength(body)}`,
        `Host: 127.0.0.1:${port}`,
        'HTTP2-Settings: AAEAAEAAAAIAAAABAAMAAABkAAQBAAAAAAUAAEAA',
        'Upgrade: h2c',
        'Content-Type: application/json',
      ];
      return `${lines.join('\r\n')}\r\n\r\n${body}`;
    };
    const replies = await sendInTurn(requestOf('first'), requestOf('second'));
    expect(replies.map(([status, body]) => [status, JSON.parse(body)])).toEqual([
      [200, answerWith('first')],
      [200, answerWith('second')],
    ]);
  });

  it.skipIf(!curl)('that waits for 100 Continue before a large body, like .NET, is answered', async () => {
    const { json, url } = callWith('127.0.0.1', 'json', 'large');
    const file = join(home, 'large.json');
    await writeFile(file, JSON.stringify({ ...json, data: { padding: 'x'.repeat(3_000_000) } }));
    const ask = ['-sS', '-v', '-H', 'Content-Type: application/json', '-H', 'Expect: 100-continue'];
    // After a second, curl would send the body without permission and hide the fault.
    const patient = ['--expect100-timeout', '60'];
    const { stdout, stderr } = await run('curl', [...ask, ...patient, '-d', `@${file}`, url]);
    expect(stderr).toContain('< HTTP/1.1 100 Continue');
    expect(JSON.parse(stdout)).toEqual(answerWith('large'));
    const refused = await run('curl', [...ask, ...patient, '-H', 'Origin: null', '-d', `@${file}`, url]);
    expect(refused.stderr).toContain('< HTTP/1.1 403 Forbidden');
    expect(refused.stderr).not.toContain('100 Continue');
  });

  it.skipIf(!curl).each([
    ['a body of unknown length', ['-H', 'Transfer-Encoding: chunked', '-d', '@-']],
    ['a streamed body', ['-X', 'POST', '-T', '-']],
  ])('that sends %s is answered', async (_what, args) => {
    const { json, url } = callWith('localhost', 'json', 'in chunks');
    const sent = run('curl', ['-sS', '-v', '-H', 'Content-Type: application/json', ...args, url]);
    sent.child.stdin?.end(JSON.stringify(json));
    const { stdout, stderr } = await sent;
    expect(stderr).toContain('> Transfer-Encoding: chunked');
    expect(JSON.parse(stdout)).toEqual(answerWith('in chunks'));
  });

  it.skipIf(!curl)('that keeps its connection can use it for the next call', async () => {
    const calls = (['json', 'form', 'json'] as const).map((kind) => callWith('127.0.0.1', kind, kind));
    const { stdout } = await run(
      'curl',
      calls.flatMap((call) => ['--next', ...curlArgs(call), '-w', '\n%{num_connects}\n']),
    );
    const lines = stdout.trimEnd().split('\n');
    expect(lines.filter((_line, index) => index % 2 === 1)).toEqual(['1', '0', '0']);
    expect(lines.filter((_line, index) => index % 2 === 0).map((line) => JSON.parse(line))).toEqual(
      calls.map(({ word }) => answerWith(word)),
    );
  });
});
