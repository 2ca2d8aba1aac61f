import { mkdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';

import { shareService } from '../support/shared-service.ts';
import { until } from '../support/until.ts';

const service = shareService();

interface Problem {
  field: string | null;
  message: string;
  advice: string;
}

interface Entry {
  id: string;
  state: string;
  line: number | null;
  problems: Problem[];
  next: string[];
}

interface Listed {
  items: Entry[];
  problems: (Problem & { file: string; line: number | null })[];
}

const file = () => join(service.hob.home, 'triggers.toml');

async function list(language = 'en'): Promise<Listed> {
  const { body } = await service.hob.get('/api/triggers', { 'accept-language': language });
  return body as unknown as Listed;
}

/** Replaces triggers.toml as an editor does, and waits for its last entry. */
async function write(text: string): Promise<Listed> {
  const marker = `marker-${Math.random().toString(36).slice(2)}`;
  const last = `[[trigger]]\nid = "${marker}"\nscript = "known"\nkind = "schedule"\nevery = "9h"\n`;
  await writeFile(`${file()}.new`, `${text}\n${last}`);
  await rename(`${file()}.new`, file());
  return until('the file is read', async () => {
    const listed = await list();
    return listed.items.at(-1)?.id === marker ? listed : false;
  });
}

const entry = (id: string, fields: string) => `[[trigger]]\nid = "${id}"\nscript = "known"\n${fields}\n`;
const schedule = (fields: string) => (id: string) => entry(id, `kind = "schedule"\n${fields}`);
const inHome = (id: string, path: string) =>
  entry(id, `kind = "folder"\npath = ${JSON.stringify(join(service.hob.home, path))}`);
const every = 'every = "1h"';

/** The title, the entry, and the expected problem: its field, and a part of its message. */
const mistakes: [what: string, make: (id: string) => string, field: string, message: string][] = [
  ['31 February', schedule('cron = "0 0 31 2 *"'), 'cron', 'never fires'],
  ['an unknown time zone', schedule('cron = "@daily"\ntimezone = "Mars/Base"'), 'timezone', '"Mars/Base"'],
  ['an empty time zone', schedule('cron = "@daily"\ntimezone = ""'), 'timezone', 'timezone'],
  ['an unknown zone of an interval', schedule(`${every}\ntimezone = "Mars/Base"`), 'timezone', '"Mars/Base"'],
  ['a minute that does not exist', schedule('cron = "61 * * * *"'), 'cron', '61'],
  ['a cron expression of four fields', schedule('cron = "* * * *"'), 'cron', 'fields'],
  ['a cron expression in Chinese', schedule('cron = "每天两点"'), 'cron', 'cron'],
  ['a cron expression that is a number', schedule('cron = 5'), 'cron', 'cron'],
  ['a very long cron expression', schedule(`cron = "${'1,'.repeat(5000)}1 * * * *"`), 'cron', 'cron'],
  ['an interval of 300 years', schedule('every = "109500d"'), 'every', 'from 1s to 366d'],
  ['a negative interval', schedule('every = "-5m"'), 'every', 'is not a duration'],
  ['an unknown policy', schedule(`${every}\nmissed = "perhaps"`), 'missed', 'missed'],
  ['a jitter of a year', schedule(`${every}\njitter = "366d"`), 'jitter', 'from 0s to 1d'],
  ['an unknown field', schedule(`${every}\ntime_zone = "UTC"`), 'time_zone', 'Unknown field'],
  ['params that are no table', schedule(`${every}\nparams = 5`), 'params', 'params'],
  [
    'retries that never start',
    schedule(`${every}\nretries = { attempts = 0 }`),
    'retries.attempts',
    'at least 1',
  ],
  ['enabled that is a text', schedule(`${every}\nenabled = "yes"`), 'enabled', 'enabled'],
  ['no id', () => `[[trigger]]\nscript = "known"\nkind = "schedule"\n${every}\n`, 'id', 'id is missing'],
  ['an id in Chinese', () => entry('备份', `kind = "schedule"\n${every}`), 'id', '备份'],
  [
    'an id that is a number',
    () => `[[trigger]]\nid = 5\nscript = "known"\nkind = "schedule"\n${every}\n`,
    'id',
    'id',
  ],
  [
    'no script',
    (id) => `[[trigger]]\nid = "${id}"\nkind = "schedule"\n${every}\n`,
    'script',
    'script is missing',
  ],
  [
    'a script that does not exist',
    (id) => schedule(every)(id).replace('known', 'gone'),
    'script',
    'no script "gone"',
  ],
  [
    'a secret that is not stored',
    (id) => entry(id, 'kind = "webhook"\nsecret = "none"'),
    'secret',
    'no stored secret "none"',
  ],
  ['a folder without a path', (id) => entry(id, 'kind = "folder"'), 'path', 'path is missing'],
  ['a path with a NUL', (id) => entry(id, 'kind = "folder"\npath = "/tmp/a\\u0000b"'), 'path', 'path'],
  ['the home itself', (id) => inHome(id, ''), 'path', 'belongs to Hob'],
  ['a folder in the home', (id) => inHome(id, 'scripts/a'), 'path', 'belongs to Hob'],
  [
    'a folder above the home with its subfolders',
    (id) => `${inHome(id, '..')}recursive = true\n`,
    'path',
    'where Hob writes on each run',
  ],
  ['an empty entry', () => '[[trigger]]\n', 'id', 'id is missing'],
  ['the id of another entry', () => entry('twin', `kind = "schedule"\n${every}`), 'id', 'neither fires'],
  ['the same id again', () => entry('twin', `kind = "schedule"\n${every}`), 'id', 'neither fires'],
];

beforeAll(async () => {
  await service.add('known', { tables: '[[service.inputs]]\nname = "files"\n' });
});

describe('an entry of triggers.toml with a mistake', () => {
  /** The line of each entry. */
  const lines: number[] = [];
  let english: Listed;
  let chinese: Listed;

  beforeAll(async () => {
    let text = '';
    for (const [index, [, make]] of mistakes.entries()) {
      lines.push(text.split('\n').length);
      text += make(`entry-${index}`);
    }
    english = await write(text);
    chinese = await list('zh');
  });
  afterAll(() => rm(file(), { force: true }));

  it.each(mistakes.map(([what, , field, message], index) => ({ what, index, field, message })))(
    '$what: names the field, the mistake and the next step in both languages',
    ({ index, field, message }) => {
      const at = ({ items }: Listed) => items.find(({ line }) => line === lines[index]);
      const found = at(english);
      const isSame = (problem: Problem) => problem.field === field;
      const problem = found?.problems.find(isSame);
      expect(problem, JSON.stringify(found)).toBeDefined();
      expect(problem?.message).toContain(message);
      expect(problem?.message.length).toBeLessThan(400);
      expect(problem?.advice).not.toBe('');
      expect(found?.next).toEqual([]);
      expect(['broken', 'script-missing']).toContain(found?.state);
      const translated = at(chinese)?.problems.find(isSame);
      expect(translated?.message).not.toMatch(/应为[a-z]/i);
      for (const words of [translated?.message, translated?.advice]) expect(words).toMatch(/\p{Script=Han}/u);
    },
  );

  it('stops no other entry', () => {
    expect(english.items).toHaveLength(mistakes.length + 1);
    expect(english.items.at(-1)).toMatchObject({ state: 'on', problems: [] });
    expect(english.problems).toEqual([]);
  });
});

/** Makes something unusable at the path of triggers.toml. */
const brokenFiles: [what: string, make: (path: string) => Promise<unknown>, message: string][] = [
  ['half a table', (path) => writeFile(path, '[[trigger\n'), 'Not valid TOML'],
  ['another table', (path) => writeFile(path, '[service]\nname = "x"\n'), 'only [[trigger]] tables'],
  ['a single table', (path) => writeFile(path, '[trigger]\nid = "x"\n'), 'only [[trigger]] tables'],
  ['a key twice', (path) => writeFile(path, '[[trigger]]\nid = "x"\nid = "y"\n'), 'Not valid TOML'],
  [
    'the bytes of a picture',
    (path) => writeFile(path, Buffer.from('89504e470d0a1a0a00ff', 'hex')),
    'Not valid TOML',
  ],
  ['a comment in Latin-1', (path) => writeFile(path, Buffer.from('# caf\xe9\n', 'latin1')), 'UTF-8'],
  ['9 MiB', (path) => writeFile(path, '# long\n'.repeat(1_400_000)), 'The file is larger than 8 MiB'],
  ['a folder', (path) => mkdir(path), 'There is a folder in place of the file'],
  ['a link to itself', (path) => symlink(path, path), 'a link to itself'],
  [
    'a link to a missing file',
    (path) => symlink(`${path} elsewhere`, path),
    'elsewhere, which does not exist',
  ],
];

describe('a triggers.toml in an unusual form', () => {
  const note = 'params = { note = """\n[[trigger]]\n""" }\n';
  it.each([
    ['a quoted name', '[["trigger"]]'],
    ['spaces in its header', '  [[ trigger ]]  # mine'],
  ])('keeps an entry with %s when another one is changed', async (_what, header) => {
    onTestFinished(() => rm(file(), { recursive: true, force: true }));
    const unusual = `${header}\nid = "unusual"\nscript = "known"\nkind = "schedule"\n${every}\n${note}`;
    await write(`${unusual}${entry('plain', `kind = "schedule"\n${every}`)}`);
    const before = await readFile(file(), 'utf8');
    const answer = await service.hob.send('PATCH', '/api/triggers/plain', '{"enabled":false}');
    expect(answer.status).toBe(200);
    const after = await readFile(file(), 'utf8');
    expect(after.replace('enabled = false\n', '')).toBe(before);
    expect((await list()).items.map(({ id, state }) => [id, state]).slice(0, 2)).toEqual([
      ['unusual', 'on'],
      ['plain', 'off'],
    ]);
  });
});

it('a change that also switches a trigger off is refused if it has a mistake', async () => {
  onTestFinished(() => rm(file(), { recursive: true, force: true }));
  await write(entry('checked', `kind = "schedule"\n${every}`));
  const before = await readFile(file(), 'utf8');
  const patch = (fields: object) =>
    service.hob.send('PATCH', '/api/triggers/checked', JSON.stringify(fields));
  expect(await patch({ enabled: false, cron: 'garbage' })).toMatchObject({
    status: 400,
    body: { code: 'trigger-invalid', fields: expect.arrayContaining(['cron']) },
  });
  expect(await readFile(file(), 'utf8')).toBe(before);
  expect((await patch({ enabled: false, jitter: '1m' })).status).toBe(200);
});

describe('a triggers.toml that cannot be used', () => {
  it.each(brokenFiles)('%s: keeps the last usable triggers', async (_what, make, message) => {
    onTestFinished(() => rm(file(), { recursive: true, force: true }));
    const before = await write(entry('stays', `kind = "schedule"\n${every}`));
    await rm(file());
    await make(file());
    const { items, problems } = await until('the mistake is listed', async () => {
      const listed = await list();
      return listed.problems.length === 1 ? listed : false;
    });
    expect(problems[0]).toMatchObject({ file: file(), message: expect.stringContaining(message) });
    expect(problems[0]?.advice).not.toBe('');
    expect(items).toEqual(before.items);
    const refused = await service.hob.send('PATCH', '/api/triggers/stays', '{"enabled":false}');
    expect(refused).toMatchObject({ status: 409, body: { code: 'triggers-file-broken' } });
    await rm(file(), { recursive: true, force: true });
    expect((await write('')).problems).toEqual([]);
  });
});

describe('a schedule of every second', () => {
  const slots = async (id: string) => {
    const { body } = await service.hob.get(`/api/triggers/${id}/slots?limit=500`);
    return body.items as { due_at: string; outcome: string; reason: string | null }[];
  };
  const firedAfter = (id: string, time: number) =>
    until(`${id} fires`, async () =>
      (await slots(id)).some(({ outcome, due_at }) => outcome === 'fired' && Date.parse(due_at) > time),
    );
  const remove = async (path: string) => rm(path, { recursive: true, force: true });

  it('fires on while triggers.toml has a mistake', async () => {
    onTestFinished(() => remove(file()));
    await write(entry('goes-on', 'kind = "schedule"\nevery = "1s"\noverlap = "allow"'));
    await firedAfter('goes-on', 0);
    await writeFile(file(), '[[trigger\n');
    await until('the mistake is listed', async () => (await list()).problems.length === 1);
    await firedAfter('goes-on', Date.now());
  });

  it('skips the slots without its script, says why, and fires again when the script is back', async () => {
    onTestFinished(() => remove(file()));
    const id = 'd1c8f1a2-6a0e-4a58-9d0f-6b8f3f1f2a10';
    await service.add('comes-back', { id });
    const stateOf = async () => (await list()).items[0]?.state;
    await write(
      `[[trigger]]\nid = "waits"\nscript = "${id}"\nkind = "schedule"\nevery = "1s"\noverlap = "allow"\n`,
    );
    await firedAfter('waits', 0);
    await remove(join(service.scripts, 'comes-back'));
    await until('the trigger is marked', async () => (await stateOf()) === 'script-missing');
    const gone = Date.now();
    await until('three slots pass', async () => Date.now() > gone + 3000);
    expect((await slots('waits')).filter(({ due_at }) => Date.parse(due_at) > gone)).toEqual([]);
    const back = Date.now();
    await service.add('comes-back', { id });
    await firedAfter('waits', back);
    const between = (await slots('waits')).filter(
      ({ due_at }) => Date.parse(due_at) > gone && Date.parse(due_at) <= back,
    );
    expect(between.length).toBeGreaterThanOrEqual(2);
    for (const slot of between) expect(slot).toMatchObject({ outcome: 'skipped', reason: 'script-missing' });
  });

  it('fires neither of two entries with one id', async () => {
    onTestFinished(() => remove(file()));
    const twin = entry('twin', 'kind = "schedule"\nevery = "1s"');
    await write(`${twin}${twin}${entry('single', 'kind = "schedule"\nevery = "1s"\noverlap = "allow"')}`);
    const start = Date.now();
    await firedAfter('single', start + 2000);
    expect(await slots('twin')).toEqual([]);
    await write(twin);
    await firedAfter('twin', start);
  });
});
