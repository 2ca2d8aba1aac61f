import { spawn } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

import { describe, expect, it } from 'vitest';

import { runCli, tempFolder } from '../support/hob.ts';
import { has, testPath } from '../support/needs.ts';
import { canBecomeOrdinary, ordinaryUser } from '../support/ordinary-user.ts';
import { shareService } from '../support/shared-service.ts';
import { hasTerminal, runInTerminal } from '../support/terminal.ts';
import { until } from '../support/until.ts';

const service = shareService();

/** Runs `hob secret` for the shared service, with this text on stdin. */
async function secret(args: string[], input = '') {
  const file = join(await tempFolder(), 'input');
  await writeFile(file, input);
  const wrapper = ['sh', '-c', 'input=$1; shift; exec "$@" < "$input"', 'sh', file];
  return runCli(['secret', ...args, '--home', service.hob.home], {}, { wrapper }).ended;
}

describe('hob secret', () => {
  it('stores a value from stdin, lists its name and removes it', async () => {
    const { home } = service.hob;
    expect(await secret(['list'])).toMatchObject({ code: 0, stdout: expect.stringMatching(/No secrets/) });
    expect(await secret(['set', 'from-stdin'], 'plain-value-1\n')).toMatchObject({ code: 0 });
    const list = await secret(['list']);
    expect(list.stdout).toMatch(/from-stdin/);
    expect(list.stdout).toContain(join(home, 'secrets.key'));
    const json = await secret(['list', '--json']);
    expect(JSON.parse(json.stdout)).toMatchObject({ items: [{ name: 'from-stdin', used_at: null }] });
    expect(json.stdout).not.toContain('plain-value-1');
    expect(await readFile(join(home, 'secrets.json'), 'utf8')).not.toContain('plain-value-1');
    expect(await secret(['rm', 'from-stdin'])).toMatchObject({ code: 0 });
    expect(await secret(['rm', 'from-stdin'])).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/No such secret/),
    });
  });

  it('accepts no value as an argument, and says why', async () => {
    expect((await secret(['set', 'x', 'plain-value-2'])).code).toBe(2);
    expect((await secret(['set', '--help'])).stdout).toMatch(/every user of the machine can see/);
  });

  it.each([
    ['no value', 'x', ''],
    ['a value of white space', 'x', ' \t\n\u3000 \n'],
    ['a value that is too long', 'x', 'y'.repeat(65_537)],
    ['a NUL character', 'x', 'a\0b'],
    ['a name with capitals', 'UPPER', 'value'],
    ['a name that leads elsewhere', '../x', 'value'],
    ['a long name', 'x'.repeat(65), 'value'],
  ])('refuses %s', async (_what, name, input) => {
    expect(await secret(['set', name], input)).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/(?:value|name) must be/),
    });
  });

  it('names the reason for refusing white space', async () => {
    expect((await secret(['set', 'x'], '  ')).stderr).toContain(
      'value must be a text that is more than white space',
    );
    const body = JSON.stringify({ value: ' \n' });
    expect(await service.hob.send('PUT', '/api/secrets/x', body)).toMatchObject({
      status: 400,
      body: { code: 'field-invalid', fields: ['value'] },
    });
  });

  it.runIf(hasTerminal)('asks at a terminal, and does not show the value', async () => {
    const { home } = service.hob;
    const session = runInTerminal(['secret', 'set', 'typed', '--home', home]);
    await until('it asks', async () => session.written().includes('Value of typed'));
    session.type('typed-value\r');
    expect(await session.ended).toBe(0);
    expect(session.written()).not.toContain('typed-value');
    expect((await service.hob.get('/api/secrets')).body).toMatchObject({
      items: [expect.objectContaining({ name: 'typed' })],
    });
  });
});

describe('the operations for secrets', () => {
  it.runIf(has('/proc', process.platform === 'linux') && canBecomeOrdinary)(
    'refuse a program of another user, who may still list scripts',
    async () => {
      const program = `
import http.client, json, os, sys
host = sys.argv[1]
host.encode("idna"); http.client.HTTPConnection(host).close()
def call(method, path, body=None):
    connection = http.client.HTTPConnection(host)
    connection.request(method, path, body, {"content-type": "application/json"} if body else {})
    answer = connection.getresponse()
    return [answer.status, json.load(answer).get("code")]
call("GET", "/api/health")
os.setuid(${ordinaryUser})
print(json.dumps([
    call("GET", "/api/secrets"),
    call("PUT", "/api/secrets/x", '{"value":"y"}'),
    call("DELETE", "/api/secrets/x"),
    call("POST", "/api/packages/install", '{"source":"/tmp"}'),
    call("GET", "/api/scripts"),
]))
`;
      const child = spawn('python3', ['-c', program, service.hob.url.replace('http://', '')], {
        env: { PATH: testPath },
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      const refused = [403, 'door-user'];
      expect(JSON.parse(await text(child.stdout))).toEqual([refused, refused, refused, refused, [200, null]]);
    },
  );
});
