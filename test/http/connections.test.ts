import { writeFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';

import { describe, expect, it, onTestFinished } from 'vitest';

import { type Hob, runCli, startHob, tempFolder } from '../support/hob.ts';
import { bash, writeScript } from '../support/scripts.ts';
import { linesOf, until } from '../support/until.ts';

interface Line {
  readonly socket: Socket;
  /** All bytes received so far. */
  readonly seen: () => string;
  /** Resolves when the other side has closed. */
  readonly closed: Promise<void>;
}

/** Connects, and keeps its side open until the test ends. */
async function dial(hob: Hob, ...sent: string[]): Promise<Line> {
  const socket = connect({ port: Number(new URL(hob.url).port), host: '127.0.0.1', allowHalfOpen: true });
  onTestFinished(() => {
    socket.destroy();
  });
  let seen = '';
  socket.on('data', (chunk: Buffer) => {
    seen += chunk.toString('latin1');
  });
  socket.on('error', () => {});
  const closed = new Promise<void>((resolve) => {
    for (const event of ['end', 'close']) socket.once(event, () => resolve());
  });
  await new Promise((resolve) => socket.once('connect', resolve));
  socket.write(sent.join(''));
  return { socket, seen: () => seen, closed };
}

const head = (hob: Hob, method: string, path: string, ...more: string[]) =>
  [`${method} ${path} HTTP/1.1`, `Host: ${new URL(hob.url).host}`, ...more, '', ''].join('\r\n');

const bodyIn = (answer: string) => JSON.parse(answer.slice(answer.indexOf('\r\n\r\n')));

/** A script that writes a line to a file when it runs. */
async function marked(): Promise<{ scripts: string; id: string; ran: () => Promise<string[]> }> {
  const [scripts, notes] = [await tempFolder(), await tempFolder()];
  const id = await writeScript(scripts, 'mark', { entry: bash(`echo ran >> "${notes}/marks"`) });
  return { scripts, id, ran: () => linesOf(join(notes, 'marks')) };
}

async function timeouts(hob: Hob): Promise<number> {
  return Number(Reflect.get(Object((await hob.get('/api/health')).body.refused), 'request-timeout'));
}

describe('a client that is too slow', () => {
  const settings = 'receive_s = 1\n';

  it('with its request header is refused, even if it keeps sending small pieces', async () => {
    const hob = await startHob({ settings });
    const silent = await dial(hob, 'GET /api/health HTTP/1.1\r\nHost: ');
    const trickling = await dial(hob, 'GET /api/health HTTP/1.1\r\nX-Long: ');
    const trickle = setInterval(() => trickling.socket.write('x'), 100);
    onTestFinished(() => clearInterval(trickle));
    const mute = await dial(hob);
    await mute.closed;
    for (const line of [silent, trickling]) {
      await line.closed;
      expect(line.seen()).toMatch(/^HTTP\/1\.1 408 /);
      expect(bodyIn(line.seen())).toMatchObject({
        code: 'request-timeout',
        message: expect.stringContaining('receive_s'),
      });
    }
    expect(await timeouts(hob)).toBeGreaterThanOrEqual(3);
  });

  it('with its body is refused in the form of the operation, if it pauses or sends in small pieces', async () => {
    const hob = await startHob({ settings });
    const json = ['Content-Type: application/json', 'Content-Length: 1000'];
    const silent = await dial(hob, head(hob, 'POST', '/api/notify', ...json), '{"notify_type":');
    const trickling = await dial(hob, head(hob, 'POST', '/api/execute', ...json), '{');
    const trickle = setInterval(() => trickling.socket.write(' '), 100);
    onTestFinished(() => clearInterval(trickle));
    await silent.closed;
    expect(silent.seen()).toMatch(/^HTTP\/1\.1 408 /);
    expect(bodyIn(silent.seen())).toEqual({ error: expect.stringContaining('receive_s') });
    await trickling.closed;
    expect(trickling.seen()).toMatch(/^HTTP\/1\.1 408 Request Timeout/);
    expect(bodyIn(trickling.seen())).toEqual({
      status: 'error',
      message: expect.stringContaining('receive_s'),
    });
    expect(await timeouts(hob)).toBeGreaterThanOrEqual(2);
    expect(await (await fetch(`${hob.url}/metrics`)).text()).toContain(
      'hob_refusals_total{code="body-malformed"} 0',
    );
    expect(hob.log()).not.toContain('defect');
  });

  it('and was refused cannot start its script with later bytes', async () => {
    const { scripts, id, ran } = await marked();
    const hob = await startHob({ scripts: [scripts], settings });
    const body = JSON.stringify({ script_id: id, sync: true });
    const length = `Content-Length: ${body.length}`;
    const whole = head(hob, 'POST', '/api/execute', 'Content-Type: application/json', length);
    const cuts = [20, whole.length, whole.length + 5];
    for (const cut of cuts) {
      const text = whole + body;
      const line = await dial(hob, text.slice(0, cut));
      await until('it is refused', async () => line.seen().startsWith('HTTP/1.1 408'));
      line.socket.write(text.slice(cut));
      await line.closed;
      expect([cut, line.seen().match(/HTTP\/1\.1/g)]).toEqual([cut, ['HTTP/1.1']]);
    }
    expect((await hob.get('/api/runs')).body).toMatchObject({ items: [] });
    expect(await ran()).toEqual([]);
    expect((await hob.run(id)).status).toBe(200);
    expect(await ran()).toEqual(['ran']);
  });

  it('is not one that waits for its script', async () => {
    const scripts = await tempFolder();
    const id = await writeScript(scripts, 'slow', { entry: bash('sleep 3') });
    const hob = await startHob({ scripts: [scripts], settings });
    const { status, body } = await hob.run(id);
    expect([status, body.success]).toEqual([200, true]);
  });

  it('is not one that waits before its next request', async () => {
    const hob = await startHob({ settings });
    const line = await dial(hob, head(hob, 'GET', '/api/health'));
    await until('the first answer is there', async () => line.seen().includes('"status":"ok"'));
    // Longer than any allowed pause within a request.
    const paused = await dial(hob, 'GET /api/health HTTP/1.1\r\n');
    await paused.closed;
    line.socket.write(head(hob, 'GET', '/api/health', 'Connection: close'));
    await line.closed;
    expect(line.seen().match(/HTTP\/1\.1 200/g)).toHaveLength(2);
  });
});

describe('connections beyond the limit', () => {
  const settings = 'max_connections = 10\nreceive_s = 30\n';

  async function listener(hob: Hob): Promise<Line> {
    const line = await dial(hob, head(hob, 'GET', '/api/events'));
    await until('the stream is open', async () => line.seen().includes('text/event-stream'));
    return line;
  }

  it('get 503 until an earlier one is closed', async () => {
    const hob = await startHob({ settings });
    const listeners: Line[] = [];
    for (let count = 0; count < 10; count++) listeners.push(await listener(hob));
    // A silent connection does not keep a place beyond the limit.
    const silent = await dial(hob);
    const refused = await dial(hob, head(hob, 'GET', '/api/model/path?repo_id=a/b'));
    await refused.closed;
    expect(refused.seen()).toMatch(/^HTTP\/1\.1 503 /);
    expect(refused.seen()).toMatch(/\r\nretry-after: 1\r\n/);
    expect(bodyIn(refused.seen())).toMatchObject({
      code: 503,
      message: expect.stringContaining('max_connections'),
    });
    // A page that access control refuses gets that reason, not 503.
    const evil = await dial(hob, head(hob, 'GET', '/api/health', 'Origin: http://evil.test'));
    await evil.closed;
    expect(evil.seen()).toMatch(/^HTTP\/1\.1 403 /);
    expect((await hob.get('/api/health')).body.refused).toMatchObject({ 'door-busy': 1 });
    await silent.closed;
    const informed = await dial(hob, head(hob, 'GET', '/api/health'));
    await informed.closed;
    expect(informed.seen()).toMatch(/\r\nconnection: close\r\n/i);

    const [first] = listeners;
    first?.socket.destroy();
    await until('there is room again', async () => {
      const answer = await fetch(`${hob.url}/api/scripts`, { headers: { connection: 'close' } });
      return answer.status === 200;
    });
  });

  it('do not prevent the user from stopping the service', async () => {
    const hob = await startHob({ settings });
    for (let count = 0; count < 10; count++) await listener(hob);
    const { code, stdout } = await runCli(['stop', '--home', hob.home]).ended;
    expect([code, stdout]).toEqual([0, expect.stringContaining('Hob has stopped')]);
  });

  it('replace those that were too slow and stay open', async () => {
    const hob = await startHob({ settings: 'max_connections = 10\nreceive_s = 1\n' });
    for (let count = 0; count < 10; count++) await dial(hob, 'GET /api/health');
    await until('there is room', async () => {
      const answer = await fetch(`${hob.url}/api/scripts`, { headers: { connection: 'close' } });
      return answer.status === 200;
    });
  });

  it('do not cut off an answer that is being read', async () => {
    const scripts = await tempFolder();
    const id = await writeScript(scripts, 'loud', { entry: bash('head -c 12000000 /dev/zero | tr "\\0" x') });
    const hob = await startHob({ scripts: [scripts], settings });
    const body = JSON.stringify({ script_id: id, sync: true });
    const types = ['Content-Type: application/json', `Content-Length: ${body.length}`, 'Connection: close'];
    const reader = await dial(hob, head(hob, 'POST', '/api/execute', ...types), body);
    await until('the answer begins', async () => reader.seen() !== '');
    reader.socket.pause();
    for (let count = 0; count < 12; count++) {
      const line = await dial(hob, head(hob, 'GET', '/api/scripts'));
      await until('it is answered', async () => line.seen().includes('"scripts":['));
    }
    const stopped = hob.stop();
    reader.socket.resume();
    await reader.closed;
    expect(bodyIn(reader.seen()).stdout).toHaveLength(12_000_000);
    expect(await stopped).toBe(0);
  });

  it('replace idle ones', async () => {
    const hob = await startHob({ settings });
    const idle: Line[] = [];
    for (let count = 0; count < 10; count++) {
      const line = await dial(hob, head(hob, 'GET', '/api/health'));
      await until('it is answered', async () => line.seen().includes('"status":"ok"'));
      idle.push(line);
    }
    const line = await dial(hob, head(hob, 'GET', '/api/scripts', 'Connection: close'));
    await line.closed;
    expect(line.seen()).toMatch(/^HTTP\/1\.1 200 /);
    await Promise.all(idle.map(({ closed }) => closed));
  });

  it('replace those that do not read their answers', async () => {
    const scripts = await tempFolder();
    const id = await writeScript(scripts, 'loud', { entry: bash('head -c 30000000 /dev/zero') });
    const hob = await startHob({ scripts: [scripts], settings: 'max_connections = 10\nreceive_s = 1\n' });
    const runId = String((await hob.post('/api/execute', { script_id: id })).body.run_id);
    await hob.ended(runId);
    const stuck: Line[] = [];
    for (let count = 0; count < 10; count++) {
      const line = await dial(hob, head(hob, 'GET', `/api/runs/${runId}/stdout`));
      await until('the answer begins', async () => line.seen() !== '');
      line.socket.pause();
      stuck.push(line);
    }
    await until('new callers are served', async () => {
      const line = await dial(hob, head(hob, 'GET', '/api/scripts', 'Connection: close'));
      await line.closed;
      return line.seen().startsWith('HTTP/1.1 200');
    });
  });
});

it('a request after a refused one on the same connection is not executed', async () => {
  const { scripts, id, ran } = await marked();
  const hob = await startHob({ scripts: [scripts] });
  const body = JSON.stringify({ script_id: id, sync: true });
  const types = ['Content-Type: application/json', `Content-Length: ${body.length}`];
  const good = head(hob, 'POST', '/api/execute', ...types) + body;
  const line = await dial(hob, head(hob, 'GET', '/api/health', 'Origin: http://evil.test'), good);
  await line.closed;
  expect(line.seen().match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 403']);
  expect((await hob.get('/api/runs')).body).toMatchObject({ items: [] });
  expect(await ran()).toEqual([]);
});

/** A connection whose first request is answered when the test allows it. */
async function withWaiting() {
  const [scripts, gate] = [await tempFolder(), join(await tempFolder(), 'open')];
  const id = await writeScript(scripts, 'waits', {
    entry: bash(`until [ -e "${gate}" ]; do sleep 0.02; done`),
  });
  const hob = await startHob({ scripts: [scripts] });
  const body = JSON.stringify({ script_id: id, sync: true });
  const headers = ['Content-Type: application/json', `Content-Length: ${body.length}`];
  const line = await dial(hob, head(hob, 'POST', '/api/execute', ...headers), body);
  await until('the script runs', async () => (await hob.get('/api/health')).body.running === 1);
  return { hob, line, open: () => writeFile(gate, '') };
}

it('a request for 100 Continue behind one that is not answered yet gets it before its own answer', async () => {
  const { hob, line, open } = await withWaiting();
  line.socket.write(head(hob, 'GET', '/', 'Expect: 100-continue', 'Connection: close'));
  // The service has read both requests when it answers another connection.
  await until('it is received', async () => (await hob.get('/api/health')).status === 200);
  await open();
  await line.closed;
  const [, first = '', second = '', third = ''] = line.seen().split('HTTP/1.1 ');
  expect([first, second, third].map((answer) => answer.slice(0, 3))).toEqual(['200', '100', '200']);
  expect(second).toBe('100 Continue\r\n\r\n');
  expect(third).toMatch(/<\/html>\n$/);
});

describe('invalid bytes after a request that is not answered yet', () => {
  it('are refused after that answer', async () => {
    const { line, open } = await withWaiting();
    for (let at = 0; at < 30; at++) line.socket.write('x'.repeat(100_000));
    await new Promise<void>((resolve) => line.socket.write('x', () => resolve()));
    await open();
    await line.closed;
    expect(line.seen().match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 400']);
  });

  it('are not read without limit', async () => {
    const { hob, line, open } = await withWaiting();
    const closed = new Promise<void>((resolve) => line.socket.once('close', () => resolve()));
    const more = () => {
      while (line.socket.write('x'.repeat(1_000_000)));
    };
    line.socket.on('drain', more);
    more();
    await closed;
    expect(line.socket.bytesWritten).toBeLessThan(60_000_000);
    await open();
    expect((await hob.get('/api/health')).status).toBe(200);
  });
});
