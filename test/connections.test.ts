import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

import { describe, expect, it, onTestFinished } from 'vitest';

import { type Hob, startHob, tempFolder } from './support/hob.ts';
import { bash, writeScript } from './support/scripts.ts';
import { until } from './support/until.ts';

interface Line {
  readonly socket: Socket;
  /** All that came back so far. */
  readonly seen: () => string;
  readonly closed: Promise<unknown>;
}

async function dial(hob: Hob, ...sent: string[]): Promise<Line> {
  const socket = connect(Number(new URL(hob.url).port), '127.0.0.1');
  onTestFinished(() => {
    socket.destroy();
  });
  let seen = '';
  socket.on('data', (chunk: Buffer) => {
    seen += chunk.toString('latin1');
  });
  socket.on('error', () => {});
  const closed = once(socket, 'close');
  await once(socket, 'connect');
  socket.write(sent.join(''));
  return { socket, seen: () => seen, closed };
}

const head = (hob: Hob, method: string, path: string, ...more: string[]) =>
  [`${method} ${path} HTTP/1.1`, `Host: ${new URL(hob.url).host}`, ...more, '', ''].join('\r\n');

const bodyIn = (answer: string) => JSON.parse(answer.slice(answer.indexOf('\r\n\r\n')));

describe('a client that is too slow', () => {
  const settings = 'receive_s = 0.5\n';

  it('with the header of its request is refused, however little it sends again and again', async () => {
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
    expect((await hob.get('/api/health')).body.refused).toMatchObject({ 'request-timeout': 3 });
  });

  it('with its body is refused in the form of the operation, when it pauses and when it trickles', async () => {
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
    expect(trickling.seen()).toMatch(/^HTTP\/1\.1 408 /);
    expect(hob.log()).not.toContain('defect');
  });

  it('is not one that waits for its script', async () => {
    const scripts = await tempFolder();
    const id = await writeScript(scripts, 'slow', { entry: bash('sleep 2') });
    const hob = await startHob({ scripts: [scripts], settings });
    const { status, body } = await hob.run(id);
    expect([status, body.success]).toEqual([200, true]);
  });

  it('is not one that waits with its next request', async () => {
    const hob = await startHob({ settings });
    const line = await dial(hob, head(hob, 'GET', '/api/health'));
    await until('the first answer is there', async () => line.seen().includes('"status":"ok"'));
    await new Promise((resolve) => setTimeout(resolve, 1500));
    line.socket.write(head(hob, 'GET', '/api/health', 'Connection: close'));
    await line.closed;
    expect(line.seen().match(/HTTP\/1\.1 200/g)).toHaveLength(2);
  });
});

describe('more connections than there is room for', () => {
  const settings = 'max_connections = 10\nreceive_s = 0.5\n';

  async function listener(hob: Hob): Promise<Line> {
    const line = await dial(hob, head(hob, 'GET', '/api/events'));
    await until('the stream is open', async () => line.seen().includes('text/event-stream'));
    return line;
  }

  it('are refused with 503 until one of those before them is closed', async () => {
    const hob = await startHob({ settings });
    const listeners: Line[] = [];
    for (let count = 0; count < 10; count++) listeners.push(await listener(hob));
    const refused = await dial(hob, head(hob, 'GET', '/api/model/path?repo_id=a/b'));
    await refused.closed;
    expect(refused.seen()).toMatch(/^HTTP\/1\.1 503 /);
    expect(refused.seen()).toMatch(/\r\nretry-after: 1\r\n/);
    expect(bodyIn(refused.seen())).toMatchObject({
      code: 503,
      message: expect.stringContaining('max_connections'),
    });
    // A page that is refused is told why, not that there is no room.
    const evil = await dial(hob, head(hob, 'GET', '/api/health', 'Origin: http://evil.test'));
    await evil.closed;
    expect(evil.seen()).toMatch(/^HTTP\/1\.1 403 /);
    // Whoever says nothing does not keep a place that it was never given.
    const silent = await dial(hob);
    await silent.closed;

    const [first] = listeners;
    first?.socket.destroy();
    await until('there is room again', async () => {
      const answer = await fetch(`${hob.url}/api/health`, { headers: { connection: 'close' } });
      return answer.status === 200;
    });
  });

  it('take the places of those that are idle', async () => {
    const hob = await startHob({ settings });
    const idle: Line[] = [];
    for (let count = 0; count < 10; count++) {
      const line = await dial(hob, head(hob, 'GET', '/api/health'));
      await until('it is answered', async () => line.seen().includes('"status":"ok"'));
      idle.push(line);
    }
    const line = await dial(hob, head(hob, 'GET', '/api/health', 'Connection: close'));
    await line.closed;
    expect(line.seen()).toMatch(/^HTTP\/1\.1 200 /);
    await Promise.all(idle.map(({ closed }) => closed));
  });

  it('take the places of those that do not read their answers', async () => {
    const scripts = await tempFolder();
    const id = await writeScript(scripts, 'loud', { entry: bash('head -c 30000000 /dev/zero') });
    const hob = await startHob({ scripts: [scripts], settings });
    const runId = String((await hob.post('/api/execute', { script_id: id })).body.run_id);
    await hob.ended(runId);
    const stuck: Line[] = [];
    for (let count = 0; count < 10; count++) {
      const line = await dial(hob, head(hob, 'GET', `/api/runs/${runId}/stdout`));
      await until('the answer begins', async () => line.seen() !== '');
      line.socket.pause();
      stuck.push(line);
    }
    await until('those who come are served', async () => {
      const line = await dial(hob, head(hob, 'GET', '/api/health', 'Connection: close'));
      await line.closed;
      return line.seen().startsWith('HTTP/1.1 200');
    });
  });
});
