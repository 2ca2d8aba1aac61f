import { once } from 'node:events';
import { chmod, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';

import { describe, expect, it, onTestFinished } from 'vitest';

import { ask } from '../support/ask.ts';
import { type Hob, runCli, startHob, tempFolder } from '../support/hob.ts';
import { has } from '../support/needs.ts';
import { python, writeScript } from '../support/scripts.ts';
import { shareService } from '../support/shared-service.ts';
import { until } from '../support/until.ts';

const settings = 'token = true\n';
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const tokenOf = async ({ home }: Pick<Hob, 'home'>) => (await readFile(join(home, 'token'), 'utf8')).trim();

describe('a Hob in token mode', () => {
  const service = shareService(settings);

  it('creates a token that only its user can read, and accepts it as a bearer token', async () => {
    const { hob } = service;
    const token = await tokenOf(hob);
    expect(token).toMatch(/^[\w-]{43}$/);
    expect((await stat(join(hob.home, 'token'))).mode & 0o777).toBe(0o600);
    expect((await hob.get('/api/scripts', bearer(token))).status).toBe(200);
    expect((await hob.get('/api/scripts', { authorization: `bearer  ${token} ` })).status).toBe(200);
    expect(hob.log()).not.toContain(token);
  });

  it('refuses callers without a valid token, with advice, and counts them', async () => {
    const hob = await startHob({ settings });
    const { port } = new URL(hob.url);
    const others: Record<string, string>[] = [
      {},
      bearer('x'.repeat(43)),
      { authorization: 'Bearer ' },
      { authorization: 'Basic OmFiYw==' },
      { cookie: `hob_session_${port}=9999999999999.abc` },
      { cookie: `hob_session_${port}=` },
    ];
    for (const headers of others) {
      const { status, headers: sent, body } = await hob.get('/api/scripts', headers);
      expect([headers, status]).toEqual([headers, 401]);
      expect(sent.get('www-authenticate')).toBe('Bearer realm="hob"');
      expect(body).toMatchObject({ code: 'door-token', message: expect.stringContaining('hob token') });
      expect((await hob.get('/api/health', headers)).status).toBe(200);
    }
    const { refused } = (await hob.get('/api/health')).body;
    expect(refused).toMatchObject({ 'door-token': others.length, 'door-host': 0 });
  });

  it('is not bypassed by another spelling of an open path', async () => {
    const { hob } = service;
    const closed: [string, string][] = [
      ['GET', '/api/health/'],
      ['GET', '/api/%68ealth'],
      ['GET', '/API/health'],
      ['GET', '/api/./health'],
      ['GET', '/api/health;x'],
      ['GET', '/api/health%00'],
      ['GET', '/api/health/../scripts'],
      ['GET', '/api/health%2f..%2fscripts'],
      ['GET', '/api/scripts?/api/health'],
      ['POST', '/api/health'],
      ['DELETE', '/api/health'],
      ['GET', '/r/api/scripts'],
      ['GET', '/r/nobody/api/scripts'],
      ['GET', '/r/nobody/r/nobody/api/health'],
      ['POST', '/r/nobody/api/execute'],
      ['POST', '/r//api/execute'],
      ['POST', '/r/%20/api/execute'],
      ['POST', '/'],
      ['GET', '/no/such/path'],
      ['GET', '/runs/../api/scripts'],
      ['GET', '/assets/../api/scripts'],
      ['GET', '/runs/x/y'],
    ];
    for (const [method, path] of closed) {
      const { status } = await ask(hob.url + path, method);
      expect([method, path, status]).toEqual([method, path, 401]);
    }
  });

  it('refuses in the error form of the requested operation', async () => {
    const { hob } = service;
    const text = expect.stringContaining('hob token');
    const model = await hob.get('/api/model/path?repo_id=a/b');
    expect([model.status, model.body]).toEqual([401, { code: 401, data: {}, message: text, success: false }]);
    const notify = await hob.post('/api/notify', { notify_type: 'info' });
    expect([notify.status, notify.body]).toEqual([401, { error: text }]);
    const execute = await hob.post('/api/execute', {});
    expect([execute.status, execute.body]).toEqual([401, { status: 'error', message: text }]);
  });

  it('lets clients that still send a large body read the refusal', async () => {
    const { hob } = service;
    const body = JSON.stringify({ padding: 'x'.repeat(6_000_000) });
    for (let count = 0; count < 10; count++) {
      const { status, headers } = await hob.post('/api/execute', body);
      expect([status, headers.get('x-hob-error')]).toEqual([401, 'door-token']);
    }
  });

  it('lets scripts call it through their own address while they run', async () => {
    const scripts = await tempFolder();
    const node = await writeScript(scripts, 'node', { node: true });
    const caller = await writeScript(scripts, 'caller', {
      language: 'python',
      entry: python(
        `api = env["api_base"]
linked, _ = call("/api/link", {"script_id": "${node}"})
def status(path):
    try:
        return urllib.request.urlopen(api + path).status
    except urllib.error.HTTPError as error:
        return error.code
write({"code": 0, "msg": "ok", "api": api, "linked": linked, "scripts": status("/api/scripts"),
       "model": status("/api/model/path?repo_id=no/such")})`,
      ),
    });
    const hob = await startHob({ scripts: [scripts], settings });
    const known = bearer(await tokenOf(hob));
    const { body } = await hob.post('/api/execute', { script_id: caller, sync: true }, known);
    // Its address grants the operations of scripts, and nothing else.
    expect(body.result).toMatchObject({ linked: 200, scripts: 401, model: 404 });
    const late = new URL(String(Reflect.get(Object(body.result), 'api')));
    const refused = await hob.post(`${late.pathname}/api/link`, { script_id: node });
    expect([refused.status, refused.body.message]).toEqual([
      401,
      expect.stringContaining('该地址中的运行令牌已失效'),
    ]);
    expect((await hob.post('/r/nobody/api/link', { script_id: node })).status).toBe(401);
    // A caller with the token may still call on behalf of the run.
    expect((await hob.post(`${late.pathname}/api/link`, { script_id: node }, known)).status).toBe(200);
  });

  it('gives a browser a session cookie, which sign-out or a new token revokes', async () => {
    const hob = await startHob({ settings });
    const { port } = new URL(hob.url);
    const known = bearer(await tokenOf(hob));
    const start = await hob.post('/api/session', {}, known);
    const cookie = start.headers.get('set-cookie') ?? '';
    expect(cookie).toMatch(
      new RegExp(`^hob_session_${port}=\\d+\\.[\\w.-]+; Path=/; HttpOnly; SameSite=Strict; Max-Age=43200$`),
    );
    expect(cookie).not.toContain(await tokenOf(hob));
    expect(Date.parse(String(start.body.expires_at))).toBeGreaterThan(Date.now() + 11 * 3_600_000);
    const [pair = ''] = cookie.split(';');
    const status = async (headers: Record<string, string>) => (await hob.get('/api/runs', headers)).status;
    expect(await status({ cookie: `a=b; ${pair}; c=d` })).toBe(200);
    expect(await status({ cookie: pair.replace(/=\d/, '=9') })).toBe(401);
    expect(await status({ cookie: pair.slice(0, -1) })).toBe(401);
    expect(await status({ cookie: pair, origin: 'http://evil.test' })).toBe(403);
    // A session cannot create another one, which would never end.
    expect((await hob.post('/api/session', {}, { cookie: pair })).status).toBe(401);
    const next = (await hob.post('/api/session', {}, known)).headers.get('set-cookie')?.split(';')[0] ?? '';
    const end = await ask(`${hob.url}/api/session`, 'DELETE', { cookie: pair });
    expect(end.headers['set-cookie']).toEqual([expect.stringContaining(`hob_session_${port}=; `)]);
    // A copy of the cookie is refused too.
    expect(await status({ cookie: pair })).toBe(401);
    expect(await status({ cookie: next })).toBe(200);
    await runCli(['token', '--renew', '--home', hob.home]).ended;
    const over = await hob.get('/api/runs', { cookie: next });
    expect([over.status, over.body.message]).toEqual([401, expect.stringContaining('session has ended')]);
  });

  it('is stopped by the command of its own user', async () => {
    const hob = await startHob({ settings });
    await rm(join(hob.home, 'token'));
    const refused = await runCli(['stop', '--home', hob.home]).ended;
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('hob token --renew')]);
    await runCli(['token', '--renew', '--home', hob.home]).ended;
    const { code, stdout } = await runCli(['stop', '--home', hob.home]).ended;
    expect([code, stdout]).toEqual([0, expect.stringContaining('Hob has stopped')]);
  });

  it('accepts no caller if its token file is readable by others, missing or empty', async () => {
    const hob = await startHob({ settings });
    const file = join(hob.home, 'token');
    const token = await tokenOf(hob);
    const status = async () => (await hob.get('/api/scripts', bearer(token))).status;
    expect(await status()).toBe(200);
    await chmod(file, 0o644);
    expect(await status()).toBe(401);
    const { body } = await hob.get('/api/scripts', bearer(token));
    expect(body.message).toContain('see its log');
    await chmod(file, 0o600);
    expect(await status()).toBe(200);
    await writeFile(file, '');
    expect(await status()).toBe(401);
    expect((await hob.get('/api/scripts', { authorization: 'Bearer ' })).status).toBe(401);
    await rm(file);
    expect(await status()).toBe(401);
    await writeFile(file, `${token}\n`, { mode: 0o600 });
    expect(await status()).toBe(200);
    expect(hob.log()).toMatch(/all requests are refused: .* can be read by other users/);
    expect(hob.log()).not.toContain(token);
  });
});

it('a command does not send the token to a program that took the port of a killed service', async () => {
  const home = await tempFolder();
  await runCli(['token', '--home', home]).ended;
  const heard: string[] = [];
  const stranger = createServer((request, response) => {
    heard.push(String(request.headers.authorization));
    response.end('{}');
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void stranger.close());
  await once(stranger, 'listening');
  const address = stranger.address();
  const port = typeof address === 'object' ? address?.port : 0;
  // This process has that id, but was started at another time.
  const info = {
    pid: process.pid,
    url: `http://127.0.0.1:${port}`,
    version: '0',
    startTicks: 1,
    token: true,
  };
  await writeFile(join(home, 'service.json'), JSON.stringify(info));
  const { stdout } = await runCli(['stop', '--home', home]).ended;
  expect(stdout).toContain('not running');
  expect(heard).toEqual([]);
});

describe('hob token', () => {
  it('prints the token of a home, alone on its line, and creates one if there is none', async () => {
    const home = join(await tempFolder(), 'new 家');
    const first = await runCli(['token', '--home', home]).ended;
    expect(first).toMatchObject({ code: 0, stderr: '', stdout: expect.stringMatching(/^[\w-]{43}\n$/) });
    expect((await runCli(['token', '--home', home]).ended).stdout).toBe(first.stdout);
    expect((await stat(join(home, 'token'))).mode & 0o777).toBe(0o600);
    const json = await runCli(['token', '--home', home, '--json']).ended;
    expect(JSON.parse(json.stdout)).toEqual({ token: first.stdout.trim() });
  });

  it('prints the header on request, so that the token need not be in the arguments of a program', async () => {
    const hob = await startHob({ settings });
    const { stdout } = await runCli(['token', '--header', '--home', hob.home]).ended;
    const [name = '', value = ''] = stdout.trim().split(': ');
    expect(name).toBe('Authorization');
    expect((await hob.get('/api/scripts', { [name]: value })).status).toBe(200);
  });

  it('creates no token in a home that every user can write to', async () => {
    const home = await tempFolder();
    await chmod(home, 0o777);
    const { code, stdout, stderr } = await runCli(['token', '--home', home]).ended;
    expect({ code, stdout, stderr }).toEqual({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining('chmod'),
    });
  });

  it('creates one token if several are requested at once', async () => {
    const home = await tempFolder();
    const asked = await Promise.all([1, 2, 3, 4].map(() => runCli(['token', '--home', home]).ended));
    expect(new Set(asked.map(({ stdout }) => stdout)).size).toBe(1);
  });

  it('renews it for a running service, which refuses the old one immediately', async () => {
    const hob = await startHob({ settings });
    const old = await tokenOf(hob);
    const { stdout, stderr } = await runCli(['token', '--renew', '--home', hob.home]).ended;
    expect(stdout.trim()).not.toBe(old);
    expect(stderr).toContain('The old token is no longer valid.');
    expect((await hob.get('/api/scripts', bearer(old))).status).toBe(401);
    expect((await hob.get('/api/scripts', bearer(stdout.trim()))).status).toBe(200);
  });

  it('closes streams that were opened with the old one', async () => {
    const hob = await startHob({ settings });
    const known = bearer(await tokenOf(hob));
    const session = await hob.post('/api/session', {}, known);
    const cookie = session.headers.get('set-cookie')?.split(';')[0] ?? '';
    const streams = await Promise.all(
      [known, { cookie }].map((headers) => fetch(`${hob.url}/api/events`, { headers })),
    );
    expect(streams.map(({ status }) => status)).toEqual([200, 200]);
    await runCli(['token', '--renew', '--home', hob.home]).ended;
    for (const stream of streams) await expect(stream.text()).rejects.toThrow();
  });

  it('says that the running service does not require it', async () => {
    const hob = await startHob();
    const { code, stderr } = await runCli(['token', '--home', hob.home]).ended;
    expect([code, stderr]).toEqual([0, expect.stringContaining('token = true')]);
    // A token is not refused where it is not needed.
    expect((await hob.get('/api/scripts', bearer('whatever'))).status).toBe(200);
    expect((await hob.post('/api/session', {})).body).toEqual({ status: 'success', expires_at: null });
  });

  it('does not print one that others may have read, or that is a link', async () => {
    const home = await tempFolder();
    await writeFile(join(home, 'token'), 'x'.repeat(43), { mode: 0o644 });
    const read = await runCli(['token', '--home', home]).ended;
    expect(read).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('--renew') });
    const served = await runCli(['serve', '--token', '--port', '0', '--home', home]).ended;
    expect([served.code, served.stderr]).toEqual([1, expect.stringContaining('--renew')]);
    await rm(join(home, 'token'));
    await symlink('/etc/hostname', join(home, 'token'));
    expect(await runCli(['token', '--home', home]).ended).toMatchObject({ code: 1, stdout: '' });
    const renewed = await runCli(['token', '--renew', '--home', home]).ended;
    expect(renewed.stdout).toMatch(/^[\w-]{43}\n$/);
  });
});

/** An address of this machine that other machines could reach. */
const outward = Object.values(networkInterfaces())
  .flat()
  .find((each) => each !== undefined && !each.internal && each.family === 'IPv4')?.address;
const isConnected = has('an address beyond loopback', outward !== undefined);

describe('an address that other machines can reach', () => {
  it('is refused without a token, with advice', async () => {
    for (const args of [
      ['--host', '0.0.0.0'],
      ['--host', '::'],
      ['--host', outward ?? '192.0.2.1'],
    ]) {
      const home = await tempFolder();
      const { code, stderr } = await runCli(['serve', '--home', home, '--port', '0', ...args]).ended;
      expect([args, code, stderr]).toEqual([args, 1, expect.stringContaining('token = true')]);
    }
  });

  it('is an error if the machine does not have it', async () => {
    const home = await tempFolder();
    const env = { HOB_LISTEN: '127.0.0.1,203.0.113.77' };
    const { code, stderr } = await runCli(['serve', '--home', home, '--port', '0', '--token'], env).ended;
    expect([code, stderr]).toEqual([1, expect.stringContaining('has no address 203.0.113.77')]);
  });

  it.skipIf(!isConnected).each([['0.0.0.0'], ['::'], [outward ?? '']])(
    'is served in token mode, if it listens on %s',
    async (host) => {
      const scripts = await tempFolder();
      const node = await writeScript(scripts, 'node', { node: true });
      const caller = await writeScript(scripts, 'caller', {
        language: 'python',
        entry: python(
          `linked, _ = call("/api/link", {"script_id": "${node}"})
write({"code": 0, "msg": "ok", "linked": linked})`,
        ),
      });
      const hob = await startHob({ scripts: [scripts], args: ['--host', host, '--token'] });
      await until('it has printed its address', async () => hob.said().includes(host));
      await until('the warning is logged', async () =>
        hob.log().includes('other machines can reach this Hob over unencrypted connections'),
      );
      const { port } = new URL(hob.url);
      const known = bearer(await tokenOf(hob));
      const away = `http://${outward}:${port}`;
      expect((await fetch(`${away}/api/health`)).status).toBe(200);
      expect((await fetch(`${away}/api/scripts`)).status).toBe(401);
      expect((await fetch(`${away}/api/scripts`, { headers: known })).status).toBe(200);
      // A foreign host name is refused, with or without a token.
      const rebound = await ask(`${away}/api/scripts`, 'GET', { ...known, host: `evil.test:${port}` });
      expect(rebound.status).toBe(403);
      const { body } = await hob.post('/api/execute', { script_id: caller, sync: true }, known);
      expect(body.result).toMatchObject({ linked: 200 });
    },
  );
});
