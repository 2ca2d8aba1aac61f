import { lstat, mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { beforeEach, describe, expect, it } from 'vitest';

import { shareService } from '../support/shared-service.ts';
import { until } from '../support/until.ts';

const service = shareService();

const file = () => join(service.hob.home, 'triggers.toml');
const text = () => readFile(file(), 'utf8');

async function send(method: string, path: string, body?: unknown) {
  const answer = await fetch(service.hob.url + path, {
    method,
    ...(body !== undefined && {
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json' },
    }),
  });
  return { status: answer.status, body: (await answer.json()) as Record<string, never> };
}

const list = async () =>
  (await send('GET', '/api/triggers')).body as Record<string, Record<string, unknown>[]>;

async function seen(id: string): Promise<Record<string, unknown>> {
  return until(
    `the trigger ${id} is listed`,
    async () => (await list()).items?.find((one) => one.id === id) ?? false,
  );
}

const recorder = {
  entry: ['main.sh', 'cat "$1" > seen.json\n'] as [string, string],
  tables:
    '[[service.inputs]]\nname = "files"\n[[service.params]]\nname = "quality"\ntype = "int"\ndefault = 1\n',
};

beforeEach(() => rm(file(), { force: true }));

describe('triggers over HTTP', () => {
  it('stores a trigger in triggers.toml and keeps the comments of the user', async () => {
    const id = await service.add('keeps-comments', recorder);
    await writeFile(
      file(),
      '# Mine.\n[[trigger]]\nid = "mine" # first\nscript = "nobody"\nkind = "schedule"\nevery = "1h"\n',
    );
    const put = await send('PUT', '/api/triggers/night-ly', {
      script: 'keeps-comments',
      kind: 'schedule',
      cron: '30 2 * * *',
      timezone: 'Europe/Berlin',
    });
    expect(put).toMatchObject({ status: 200, body: { id: 'night-ly', state: 'on', script_id: id } });
    expect(await text()).toBe(`# Mine.
[[trigger]]
id = "mine" # first
script = "nobody"
kind = "schedule"
every = "1h"

[[trigger]]
id = "night-ly"
script = "keeps-comments"
kind = "schedule"
cron = "30 2 * * *"
timezone = "Europe/Berlin"
`);
    expect(await send('PATCH', '/api/triggers/night-ly', { enabled: false })).toMatchObject({
      body: { state: 'off', next: [] },
    });
    expect((await text()).split('\n').at(-2)).toBe('enabled = false');
    expect((await send('DELETE', '/api/triggers/night-ly')).status).toBe(200);
    expect(await text()).not.toContain('night-ly');
    expect((await send('GET', '/api/triggers/night-ly')).status).toBe(404);
  });

  it('creates a trigger only once if the request says so', async () => {
    await service.add('created', recorder);
    const create = (quality: number) =>
      service.hob.send(
        'PUT',
        '/api/triggers/created-once',
        JSON.stringify({ script: 'created', kind: 'schedule', every: '1h', params: { quality } }),
        { 'if-none-match': '*' },
      );
    const answers = await Promise.all([1, 2, 3, 4].map(create));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409, 409, 409]);
    const refused = answers.find(({ status }) => status === 409);
    expect(refused?.body).toMatchObject({ code: 'trigger-exists', fields: ['id'] });
    const stored = answers.find(({ status }) => status === 200)?.body;
    expect((await send('GET', '/api/triggers/created-once')).body.fields).toEqual(stored?.fields);
  });

  it('notices a change of the file without a restart', async () => {
    await service.add('noticed', recorder);
    await writeFile(
      file(),
      '[[trigger]]\nid = "by-hand"\nscript = "noticed"\nkind = "schedule"\nevery = "1h"\n',
    );
    expect(await seen('by-hand')).toMatchObject({ state: 'on', line: 1 });
  });

  it.each([
    [
      'an unknown script',
      { script: 'no-such', kind: 'schedule', every: '1h' },
      'script',
      'There is no script "no-such"',
    ],
    ['no script', { kind: 'schedule', every: '1h' }, 'script', 'script is missing'],
    ['an unknown kind', { script: 'checked', kind: 'comet' }, 'kind', 'Unknown kind "comet"'],
    ['neither cron nor every', { script: 'checked', kind: 'schedule' }, 'cron', 'needs cron or every'],
    [
      'cron and every',
      { script: 'checked', kind: 'schedule', cron: '* * * * *', every: '1h' },
      'every',
      'not both',
    ],
    [
      'a duration without a unit',
      { script: 'checked', kind: 'schedule', every: '15' },
      'every',
      'is not a duration',
    ],
    [
      'an interval of no length',
      { script: 'checked', kind: 'schedule', every: '0s' },
      'every',
      'from 1s to 366d',
    ],
    [
      'a day that does not exist',
      { script: 'checked', kind: 'schedule', cron: '0 9 31 2 *' },
      'cron',
      'no month has such a day',
    ],
    [
      'an unknown zone',
      { script: 'checked', kind: 'schedule', cron: '0 9 * * *', timezone: 'Europe/Atlantis' },
      'timezone',
      'Europe/Atlantis',
    ],
    [
      'retries with an unknown field',
      { script: 'checked', kind: 'schedule', every: '1h', retries: { tries: 3 } },
      'retries.tries',
      'Unknown field',
    ],
    [
      'retries without a unit',
      { script: 'checked', kind: 'schedule', every: '1h', retries: { attempts: 3, backoff: '10' } },
      'retries.backoff',
      'must be a duration',
    ],
    [
      'a param of another type',
      { script: 'checked', kind: 'schedule', every: '1h', params: { quality: 'high' } },
      'params.quality',
      'params.quality must be',
    ],
    [
      'data that the script does not accept',
      { script: 'checked', kind: 'schedule', every: '1h', data: { pictures: [] } },
      'data.pictures',
      'the main input of',
    ],
    [
      'a relative folder',
      { script: 'checked', kind: 'folder', path: 'inbox' },
      'path',
      'not an absolute path',
    ],
    [
      'a field of another kind',
      { script: 'checked', kind: 'schedule', every: '1h', path: '/x' },
      'path',
      'A schedule has no field path',
    ],
    ['a webhook without a secret', { script: 'checked', kind: 'webhook' }, 'secret', 'needs a secret'],
    [
      'a suggestion that does not exist',
      { script: 'checked', from: 'package:none' },
      'from',
      'suggests no trigger "none"',
    ],
  ])('refuses %s with the field and the next step', async (_what, fields, field, message) => {
    if ((await service.hob.get('/api/scripts/checked')).status !== 200)
      await service.add('checked', recorder);
    const answer = await send('PUT', '/api/triggers/bad', fields);
    expect(answer).toMatchObject({ status: 400, body: { code: 'trigger-invalid' } });
    expect(answer.body.fields).toContain(field);
    expect(answer.body.message).toContain(message);
    expect(answer.body.hint).not.toBe('');
    expect(await text().catch(() => '')).not.toContain('bad');
  });

  it('refuses fields that it does not know, and ids that it cannot use', async () => {
    expect(await send('PUT', '/api/triggers/x', { colour: 1 })).toMatchObject({
      status: 400,
      body: { code: 'field-invalid' },
    });
    for (const id of ['A', '-a', 'a b', '.x', '中', 'a'.repeat(65)])
      expect(
        (await send('PUT', `/api/triggers/${encodeURIComponent(id)}`, { kind: 'schedule' })).status,
      ).toBe(400);
  });

  it('keeps the trigger of a removed script, marks it, and uses it again when the script is back', async () => {
    const options = { ...recorder, id: '0b7c1c1e-8f43-4b0e-9d0e-3f2d6a1f7c11' };
    await service.add('comes-back', options);
    await send('PUT', '/api/triggers/kept', { script: options.id, kind: 'schedule', every: '1h' });
    await rm(join(service.scripts, 'comes-back'), { recursive: true });
    await until('the trigger is marked', async () => (await seen('kept')).state === 'script-missing');
    const fired = await send('POST', '/api/triggers/kept/fire', {});
    expect(fired).toMatchObject({ status: 400, body: { code: 'trigger-invalid' } });
    await service.add('comes-back', options);
    await until('the trigger is on', async () => (await seen('kept')).state === 'on');
  });

  it('fires neither of two triggers with one id', async () => {
    await service.add('twins', recorder);
    const entry = '[[trigger]]\nid = "twin"\nscript = "twins"\nkind = "schedule"\nevery = "1h"\n';
    await writeFile(file(), entry + entry);
    await seen('twin');
    const twins = (await list()).items?.filter(({ id }) => id === 'twin') ?? [];
    expect(twins.map(({ state, problems }) => [state, JSON.stringify(problems)])).toEqual([
      ['broken', expect.stringContaining('Two triggers have the id')],
      ['broken', expect.stringContaining('Two triggers have the id')],
    ]);
  });

  it('changes and removes neither of two triggers with one id, and keeps their records', async () => {
    await service.add('one of two', recorder);
    const entry = '[[trigger]]\nid = "pair"\nscript = "one-of-two"\nkind = "schedule"\nevery = "1h"\n';
    await writeFile(file(), entry);
    await seen('pair');
    const { body } = await send('POST', '/api/triggers/pair/fire', {});
    await writeFile(file(), entry + entry);
    await until('both are broken', async () => (await seen('pair')).state === 'broken');
    for (const [method, fields] of [['DELETE'], ['PATCH', { enabled: false }]] as const)
      expect(await send(method, '/api/triggers/pair', fields)).toMatchObject({
        status: 400,
        body: { code: 'trigger-invalid', hint: expect.stringContaining('an id of its own') },
      });
    expect(await text()).toBe(entry + entry);
    await writeFile(file(), entry);
    const repaired = await until('the other one is on', async () => {
      const trigger = await seen('pair');
      return trigger.state === 'on' && trigger;
    });
    expect(repaired).toMatchObject({ last: { run_id: body.run_id } });
  });

  it('keeps the triggers of the last usable file while the file has a mistake, and changes nothing in it', async () => {
    await service.add('stays', recorder);
    await send('PUT', '/api/triggers/stays-on', { script: 'stays', kind: 'schedule', every: '1h' });
    const broken = `${await text()}\n[[trigger\n`;
    await writeFile(file(), broken);
    const { problems } = await until('the mistake is listed', async () => {
      const all = await list();
      return all.problems?.length === 1 && all;
    });
    expect(problems?.[0]).toMatchObject({ file: file(), message: expect.stringContaining('Not valid TOML') });
    expect((await seen('stays-on')).state).toBe('on');
    const refused = await send('PUT', '/api/triggers/other', {
      script: 'stays',
      kind: 'schedule',
      every: '1h',
    });
    expect(refused).toMatchObject({ status: 409, body: { code: 'triggers-file-broken' } });
    expect(await text()).toBe(broken);
    const notices = (await service.hob.get('/api/notifications')).body.items;
    expect(JSON.stringify(notices)).toContain('triggers.toml has a mistake');
  });

  it('starts a run with the data and params of the trigger, and records it', async () => {
    await service.add('fired', recorder);
    await send('PUT', '/api/triggers/by-me', {
      script: 'fired',
      kind: 'schedule',
      every: '100d',
      data: ['a b', '中文'],
      params: { quality: 80 },
    });
    const { body } = await send('POST', '/api/triggers/by-me/fire', { params: { quality: 7 } });
    const run = await service.hob.ended(String(body.run_id));
    expect(run).toMatchObject({
      origin: 'schedule',
      trigger_id: 'by-me',
      state: 'succeeded',
      data: { files: ['a b', '中文'] },
      params: { quality: 7 },
    });
    const given = JSON.parse(await readFile(join(service.scripts, 'fired', 'seen.json'), 'utf8'));
    expect(given.environment.invoke_mode).toBe('scheduled');
    const slots = await send('GET', '/api/triggers/by-me/slots');
    expect(slots.body.items).toMatchObject([{ outcome: 'fired', run_id: body.run_id, reason: null }]);
    expect((await service.hob.get('/api/runs?trigger_id=by-me')).body.items).toHaveLength(1);
  });

  it('gives the script of a webhook an empty delivery, unless the caller or the entry has another', async () => {
    const id = await service.add('takes-event', {
      ...recorder,
      tables: '[[service.params]]\nname = "event"\ntype = "dict"\nrequired = true\n',
    });
    expect((await send('PUT', '/api/secrets/mine', { value: 'correct horse' })).status).toBe(200);
    const fields = { script: id, kind: 'webhook', secret: 'mine' };
    await send('PUT', '/api/triggers/hook', fields);
    const event = { headers: {}, query: {}, body: null, body_base64: '' };
    const fired = async (body: unknown) => {
      const { run_id } = (await send('POST', '/api/triggers/hook/fire', body)).body;
      return (await service.hob.ended(String(run_id))).params;
    };
    expect(await fired({})).toEqual({ event });
    expect(await fired({ params: { other: 1 } })).toEqual({ event, other: 1 });
    expect(await fired({ params: { event: { body: 1 } } })).toEqual({ event: { body: 1 } });
    await send('PUT', '/api/triggers/hook', { ...fields, into: 'delivery', params: { event: { body: 2 } } });
    expect(await fired({})).toEqual({ event: { body: 2 }, delivery: event });
    await send('PUT', '/api/triggers/hook', { ...fields, params: { event: { body: 3 } } });
    expect(await fired({})).toEqual({ event: { body: 3 } });
  });

  it('starts the script of a folder only with a file', async () => {
    await service.add('takes-files', recorder);
    const path = join(service.scripts, '..');
    await send('PUT', '/api/triggers/box', { script: 'takes-files', kind: 'folder', path, filters: ['.x'] });
    for (const data of [undefined, [], {}, { files: [] }])
      expect(await send('POST', '/api/triggers/box/fire', { data })).toMatchObject({
        status: 400,
        body: {
          code: 'data-invalid',
          fields: ['data'],
          message: 'The trigger "box" starts its script with a file, but the request has none.',
          hint: expect.stringContaining('hob triggers fire box --data FILE'),
        },
      });
    expect((await service.hob.get('/api/runs?trigger_id=box')).body.items).toEqual([]);
    const { body } = await send('POST', '/api/triggers/box/fire', { data: ['/tmp/a.x'] });
    expect(await service.hob.ended(String(body.run_id))).toMatchObject({ data: { files: ['/tmp/a.x'] } });
    await send('DELETE', '/api/triggers/box');
  });

  it('tries a failed run of a trigger again, as its entry says', async () => {
    await service.add('fails-twice', {
      entry: ['main.sh', 'echo x >> tries\n[ "$(wc -l < tries)" -ge 3 ]\n'],
      tables: '',
    });
    await send('PUT', '/api/triggers/persistent', {
      script: 'fails-twice',
      kind: 'schedule',
      every: '100d',
      retries: { attempts: 3, backoff: '10ms' },
    });
    await send('POST', '/api/triggers/persistent/fire', {});
    const attempts = await until('the third attempt has succeeded', async () => {
      const { items } = (await service.hob.get('/api/runs?trigger_id=persistent')).body as {
        items: { attempt: number; state: string }[];
      };
      return items.some(({ state }) => state === 'succeeded') && items;
    });
    expect(attempts.map(({ attempt, state }) => `${attempt} ${state}`).sort()).toEqual([
      '1 failed',
      '2 failed',
      '3 succeeded',
    ]);
  });

  it('takes the values of a suggestion, and lets the entry override them', async () => {
    await service.add('suggests', {
      ...recorder,
      tables: `${recorder.tables}[[service.triggers.schedule]]\nname = "nightly"\ncron = "30 2 * * *"\nparams = { quality = 3 }\n`,
    });
    expect((await list()).suggestions).toContainEqual(
      expect.objectContaining({ slug: 'suggests', name: 'nightly', kind: 'schedule', trigger_id: null }),
    );
    const put = await send('PUT', '/api/triggers/enabled', {
      script: 'suggests',
      from: 'package:nightly',
      params: { quality: 9 },
    });
    expect(put).toMatchObject({
      status: 200,
      body: { state: 'on', kind: 'schedule', values: { cron: '30 2 * * *', params: { quality: 9 } } },
    });
    expect((await list()).suggestions).toContainEqual(
      expect.objectContaining({ name: 'nightly', trigger_id: 'enabled' }),
    );
  });

  it('loses no entry when several are stored at once', async () => {
    await service.add('at-once', recorder);
    const ids = Array.from({ length: 20 }, (_, index) => `at-once-${index}`);
    const fields = { script: 'at-once', kind: 'schedule', every: '1h' };
    await Promise.all(ids.map((id) => send('PUT', `/api/triggers/${id}`, fields)));
    const found = (await list()).items?.map(({ id }) => id) ?? [];
    expect(found).toEqual(expect.arrayContaining(ids));
  });

  it('writes through a link, so that settings kept elsewhere stay there', async () => {
    await service.add('linked', recorder);
    const elsewhere = join(service.scripts, '..', 'dotfiles');
    await mkdir(elsewhere, { recursive: true });
    await writeFile(join(elsewhere, 'my triggers.toml'), '# Kept elsewhere.\n');
    await symlink(join(elsewhere, 'my triggers.toml'), file());
    await send('PUT', '/api/triggers/linked', { script: 'linked', kind: 'schedule', every: '1h' });
    expect((await lstat(file())).isSymbolicLink()).toBe(true);
    expect(await readFile(join(elsewhere, 'my triggers.toml'), 'utf8')).toContain(
      '# Kept elsewhere.\n\n[[trigger]]',
    );
  });
});
