import { readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';

import { describe, expect, it, onTestFinished } from 'vitest';

import { type Hob, type StartOptions, startHob, tempFolder } from '../support/hob.ts';
import { deliver, githubHeaders, standardHeaders } from '../support/hook-sender.ts';
import { startRestartable } from '../support/restartable.ts';
import { writeScript } from '../support/scripts.ts';
import { until } from '../support/until.ts';

const secret = 'correct horse';
const github = (body: string, id?: string) => githubHeaders(secret, body, id);

async function freePort(): Promise<number> {
  const server = createServer();
  const port = await occupy(server, 0);
  await new Promise((resolve) => server.close(resolve));
  return port;
}

function occupy(server: Server, port: number): Promise<number> {
  return new Promise((resolve) => {
    server.listen(port, '127.0.0.1', () => {
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : 0);
    });
  });
}

async function scripts(options = {}): Promise<string[]> {
  const folder = await tempFolder();
  await writeScript(folder, 'receiver', options);
  return [folder];
}

const put = (hob: Hob, path: string, body: unknown) => hob.send('PUT', path, JSON.stringify(body));
const storeSecret = (hob: Hob, name = 'test', value = secret) => put(hob, `/api/secrets/${name}`, { value });
const addHook = (hob: Hob, id: string, fields = {}) =>
  put(hob, `/api/triggers/${id}`, {
    script: 'receiver',
    kind: 'webhook',
    secret: 'test',
    signature: 'github',
    ...fields,
  });

/** Triggers as a user writes them by hand, possibly without a stored secret. */
const writeHooks = (hob: Hob, ...hooks: [id: string, secret: string][]) =>
  writeFile(
    join(hob.home, 'triggers.toml'),
    hooks
      .map(
        ([id, name]) =>
          `[[trigger]]\nid = "${id}"\nscript = "receiver"\nkind = "webhook"\nsignature = "github"\nsecret = "${name}"\n`,
      )
      .join('\n'),
  );

interface Shown {
  readonly state: string;
  readonly address: string | null;
  readonly problems: readonly { message: string; advice: string }[];
}

async function shown(hob: Hob, id: string): Promise<Shown> {
  return (await hob.get(`/api/triggers/${id}`)).body as unknown as Shown;
}

const withoutProblem = (hob: Hob, id: string) =>
  until(`${id} has no problem`, async () => {
    const trigger = await shown(hob, id);
    return trigger.state === 'on' && trigger.problems.length === 0 && trigger.address !== null
      ? trigger
      : false;
  });
const withProblem = (hob: Hob, id: string, text: string) =>
  until(`${id} has the problem: ${text}`, async () =>
    (await shown(hob, id)).problems?.find(({ message }) => message.includes(text)),
  );
const isOpen = (port: number) =>
  deliver(`http://127.0.0.1:${port}/`, {}).then(
    ({ status }) => status === 404,
    () => false,
  );

async function start(options: StartOptions = {}): Promise<{ hob: Hob; port: number; address: string }> {
  const port = await freePort();
  const settings = `hooks_listen = "127.0.0.1:${port}"\n`;
  const hob = await startHob({ scripts: await scripts(), settings, ...options });
  return { hob, port, address: `http://127.0.0.1:${port}/hook/push` };
}

describe('the listener for webhooks', () => {
  it('is not open without an address, and says how to set one', async () => {
    const hob = await startHob({ scripts: await scripts() });
    await storeSecret(hob);
    expect((await addHook(hob, 'push')).body).toMatchObject({
      state: 'on',
      address: null,
      problems: [
        {
          message: expect.stringContaining('No address for webhooks is set'),
          advice: expect.stringContaining('hob serve --hooks-listen 127.0.0.1:8790'),
        },
      ],
    });
  });

  it('is open only while a webhook is on', async () => {
    const { hob, port, address } = await start();
    await storeSecret(hob);
    expect(await isOpen(port)).toBe(false);
    await addHook(hob, 'push');
    expect(await withoutProblem(hob, 'push')).toMatchObject({ address });
    expect(await isOpen(port)).toBe(true);
    expect(await deliver(address, github('1'), '1')).toMatchObject({ status: 202 });
    await hob.send('PATCH', '/api/triggers/push', '{"enabled":false}');
    await until('the listener is closed', async () => !(await isOpen(port)));
    await hob.send('PATCH', '/api/triggers/push', '{"enabled":true}');
    await until('the listener is open', () => isOpen(port));
    await addHook(hob, 'other');
    await hob.send('PATCH', '/api/triggers/other', '{"enabled":false}');
    const [off, unknown] = await Promise.all(
      ['other', 'none'].map((id) => deliver(`http://127.0.0.1:${port}/hook/${id}`, github('2'), '2')),
    );
    expect(off).toMatchObject({ status: 404, body: '' });
    const withoutDate = (headers = {}) => ({ ...headers, date: '' });
    expect(withoutDate(off?.headers)).toEqual(withoutDate(unknown?.headers));
  });

  it('is closed while any webhook lacks its secret, and opens as soon as it is stored', async () => {
    const { hob, port, address } = await start();
    await storeSecret(hob);
    await writeHooks(hob, ['push', 'test'], ['pull', 'later']);
    expect(await withProblem(hob, 'push', 'There is no stored secret "later"')).toMatchObject({
      message: expect.stringContaining('because of the trigger "pull"'),
      advice: expect.stringContaining('hob secret set later'),
    });
    expect(await shown(hob, 'pull')).toMatchObject({ state: 'broken' });
    expect(await isOpen(port)).toBe(false);
    await storeSecret(hob, 'later', 'x');
    await withoutProblem(hob, 'push');
    expect(await deliver(address, github('1'), '1')).toMatchObject({ status: 202 });
    // A new value is in force at once.
    await storeSecret(hob, 'test', 'another');
    expect(await deliver(address, github('2'), '2')).toMatchObject({ status: 401 });
    expect(await deliver(address, githubHeaders('another', '2'), '2')).toMatchObject({ status: 202 });
    await hob.send('DELETE', '/api/secrets/later', '');
    await until('the listener is closed', async () => !(await isOpen(port)));
    expect((await hob.get('/api/notifications')).body).toMatchObject({
      items: expect.arrayContaining([
        expect.objectContaining({ message: expect.stringContaining('There is no stored secret "later"') }),
      ]),
    });
  });

  it.each([
    ['is empty', 'whsec_', 'standard', 'The secret "test" is empty'],
    ['does not fit the scheme', 'not base64!', 'standard', 'The secret "test" is not base64'],
  ])('is closed while a secret %s', async (_what, value, signature, message) => {
    const { hob, port } = await start();
    await storeSecret(hob, 'test', value);
    await addHook(hob, 'push', { signature });
    expect(await withProblem(hob, 'push', message)).toMatchObject({
      advice: expect.stringContaining('hob secret set test'),
    });
    expect(await isOpen(port)).toBe(false);
  });

  it('is closed while the secrets cannot be read, says why, and opens by itself afterwards', async () => {
    const port = await freePort();
    const service = await startRestartable({
      scripts: await scripts(),
      settings: `hooks_listen = "127.0.0.1:${port}"\n`,
    });
    await storeSecret(service.hob);
    await addHook(service.hob, 'push');
    await withoutProblem(service.hob, 'push');
    const file = join(service.hob.home, 'secrets.json');
    const before = await readFile(file);
    await service.restart('SIGTERM', () => writeFile(file, '{'));
    await withProblem(service.hob, 'push', 'secrets.json');
    expect(await isOpen(port)).toBe(false);
    await writeFile(file, before);
    await withoutProblem(service.hob, 'push');
    await until('the listener is open', () => isOpen(port));
  });

  it('closes when a delivery finds that the key of the secrets is gone, and says why', async () => {
    const port = await freePort();
    const { hob } = await startRestartable({
      scripts: await scripts(),
      settings: `hooks_listen = "127.0.0.1:${port}"\n`,
    });
    await storeSecret(hob);
    await addHook(hob, 'push');
    await withoutProblem(hob, 'push');
    const key = join(hob.home, 'secrets.key');
    const before = await readFile(key);
    await rm(key);
    const address = `http://127.0.0.1:${port}/hook/push`;
    expect((await deliver(address, github('{}'), '{}')).status).toBe(503);
    await withProblem(hob, 'push', 'secrets.key');
    await until('the listener is closed', async () => !(await isOpen(port)));
    await writeFile(key, before, { mode: 0o600 });
    await withoutProblem(hob, 'push');
    await until('the listener is open', () => isOpen(port));
  });

  it('waits for an address that another program uses', async () => {
    const other = createServer();
    const port = await occupy(other, 0);
    const free = () => new Promise((resolve) => other.close(resolve));
    onTestFinished(() => void free());
    const { hob } = await start({ args: ['--hooks-listen', String(port)] });
    await storeSecret(hob);
    await addHook(hob, 'push');
    await withProblem(hob, 'push', `Another program already listens on 127.0.0.1:${port}`);
    expect(hob.log().match(/cannot listen for webhooks/g)).toHaveLength(1);
    expect(hob.log()).not.toContain('error in the listener');
    await free();
    expect(await withoutProblem(hob, 'push')).toMatchObject({
      address: `http://127.0.0.1:${port}/hook/push`,
    });
    expect(await isOpen(port)).toBe(true);
  });

  it('takes its address from the environment, and accepts any host', async () => {
    const port = await freePort();
    const hob = await startHob({ scripts: await scripts(), env: { HOB_HOOKS_LISTEN: `0.0.0.0:${port}` } });
    await storeSecret(hob);
    await addHook(hob, 'push');
    const { address } = await withoutProblem(hob, 'push');
    expect(address).toBe(`http://127.0.0.1:${port}/hook/push`);
    const headers = { ...github('1'), Host: 'hooks.example.org' };
    expect(await deliver(`${address}`, headers, '1')).toMatchObject({ status: 202 });
    for (const path of ['/', '/api/runs', '/api/health', '/metrics', '/hook', '/hook/', '/console'])
      expect(await deliver(`${address}`, {}, '', { path })).toMatchObject({ status: 404, body: '' });
    for (const method of ['GET', 'OPTIONS', 'PUT']) {
      const reply = await deliver(`${address}`, {}, '', { method });
      expect(reply).toMatchObject({ status: 405, headers: { allow: 'POST' }, body: '' });
      expect(Object.keys(reply.headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
    }
  });
});

describe('a webhook over time', () => {
  it.each(['SIGTERM', 'SIGKILL'] as const)('starts one run for a delivery, also after %s', async (signal) => {
    const port = await freePort();
    const service = await startRestartable({
      scripts: await scripts(),
      settings: `hooks_listen = "127.0.0.1:${port}"\n`,
    });
    const key = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
    await storeSecret(service.hob);
    await storeSecret(service.hob, 'standard', key);
    await addHook(service.hob, 'push');
    await addHook(service.hob, 'event', { signature: 'standard', secret: 'standard' });
    await withoutProblem(service.hob, 'push');
    const sendBoth = () =>
      Promise.all([
        deliver(`http://127.0.0.1:${port}/hook/push`, github('1', 'd1'), '1'),
        deliver(`http://127.0.0.1:${port}/hook/event`, standardHeaders(key, '1', 'msg_1'), '1'),
      ]);
    const before = await sendBoth();
    expect(before.map(({ status }) => status)).toEqual([202, 202]);
    await service.restart(signal);
    await until('the listener is open', () => isOpen(port));
    expect((await sendBoth()).map(({ body }) => body)).toEqual(before.map(({ body }) => body));
    expect((await service.hob.get('/api/runs')).body.items).toHaveLength(2);
  });

  it('answers with 500, and no reason, while its script does not accept the values', async () => {
    const folder = await tempFolder();
    const id = await writeScript(folder, 'receiver');
    const { hob, address } = await start({ scripts: [folder] });
    await storeSecret(hob);
    await addHook(hob, 'push');
    await withoutProblem(hob, 'push');
    const tables = '[[service.params]]\nname = "quality"\ntype = "int"\nrequired = true\n';
    await writeScript(folder, 'receiver', { id, tables });
    await until('the script needs a param', async () => {
      const { body } = await hob.get(`/api/scripts/${id}`);
      return JSON.stringify(body).includes('quality');
    });
    expect(await withProblem(hob, 'push', 'params.quality is required')).toBeDefined();
    for (let n = 0; n < 3; n++) {
      const reply = await deliver(address, github(`${n}`), `${n}`);
      expect(reply).toMatchObject({ status: 500, body: '' });
    }
    expect((await hob.get('/api/triggers/push/slots')).body).toMatchObject({
      items: Array.from({ length: 3 }, () => ({ outcome: 'refused', reason: 'bad-input', run_id: null })),
    });
    const { items } = (await hob.get('/api/notifications')).body as { items: { message: string }[] };
    expect(items.filter(({ message }) => message.includes('failed 3 times in a row'))).toHaveLength(1);
  });

  it('notifies once when three of its runs in a row fail, and never about refused deliveries', async () => {
    const { hob, address } = await start({ scripts: await scripts({ entry: ['main.sh', 'exit 3\n'] }) });
    await storeSecret(hob);
    await addHook(hob, 'push');
    await withoutProblem(hob, 'push');
    const notices = async () => {
      const { items } = (await hob.get('/api/notifications')).body as { items: { message: string }[] };
      return items.map(({ message }) => message).filter((message) => message.includes('in a row'));
    };
    for (let n = 0; n < 10; n++)
      expect(await deliver(address, github('x'), `${n}`)).toMatchObject({ status: 401 });
    const runs = [];
    for (let n = 0; n < 5; n++) {
      const { body } = await deliver(address, github(`${n}`), `${n}`);
      runs.push(await hob.ended(JSON.parse(body).run_id));
    }
    expect(runs).toHaveLength(5);
    await until('the notification is shown', async () => (await notices()).length > 0);
    expect(await notices()).toEqual([expect.stringContaining('The webhook "push" failed 3 times in a row')]);
  });
});
