import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { ask } from '../support/ask.ts';
import { type Hob, launchHob } from '../support/hob.ts';
import { writeFileAt, writeFiles, writeHuggingFaceRepo } from '../support/model-caches.ts';

const encoded = (text: string) => `repo_id=${encodeURIComponent(text)}`;

/** Whole query strings, exactly as sent. */
const hostile: readonly string[] = [
  // Missing, or not a single value.
  '',
  'repo_id',
  'repo_id=',
  'repo=owner/name',
  'REPO_ID=owner/name',
  'repo_id=owner/name&repo_id=owner/name',
  'repo_id=owner/name&repo_id=../../etc',
  'repo_id[]=owner/name',
  'repo_id[0]=owner/name',
  'repo_id[owner]=name',
  'repo_id%00=owner/name',
  '__proto__=owner/name',
  '__proto__[repo_id]=owner/name',
  // Not two names.
  encoded('owner'),
  encoded('owner/'),
  encoded('/name'),
  encoded('/'),
  encoded('owner//name'),
  encoded('owner/name/'),
  encoded('owner/name/config.json'),
  encoded('/owner/name'),
  encoded('//owner/name'),
  encoded('models--owner--name'),
  encoded('["owner/name"]'),
  encoded('{"owner":"name"}'),
  // Outside of the folder.
  encoded('..'),
  encoded('../..'),
  encoded('../name'),
  encoded('owner/..'),
  encoded('owner/.'),
  encoded('./name'),
  encoded('owner/../../etc'),
  encoded('../../../../etc/passwd'),
  encoded('/etc/passwd'),
  encoded('owner/name/..'),
  encoded('owner/...'),
  encoded('owner/na..me'),
  encoded('~/name'),
  encoded('file:///etc/passwd'),
  // Encoded once too often.
  encoded('..%2f..'),
  encoded('%2e%2e/name'),
  encoded('owner%2Fname'),
  encoded('owner/%2e%2e'),
  encoded('owner/name%00'),
  encoded('%252e%252e%252fname'),
  encoded('owner/%c0%ae%c0%ae'),
  encoded('%u002e%u002e/name'),
  // Bytes that are not text, and invalid escapes.
  'repo_id=%c0%ae%c0%ae/name',
  'repo_id=owner%c0%afname',
  'repo_id=owner%e0%80%afname',
  'repo_id=owner/%ff%fe',
  'repo_id=owner/%ed%a0%80',
  'repo_id=owner/%',
  'repo_id=owner/%zz',
  'repo_id=owner/%2',
  // NUL and other control characters.
  encoded('owner/name\0'),
  encoded('owner/name\0.png'),
  encoded('\0/name'),
  encoded('owner/name\n'),
  encoded('owner/na\nme'),
  encoded('owner/name\r\nX-Evil: 1'),
  encoded('owner/na\tme'),
  encoded('owner/na\u007fme'),
  encoded('owner/na\u0085me'),
  encoded('owner/na\u001b[2Jme'),
  // Blanks, and endings that some systems drop.
  encoded(' owner/name'),
  encoded('owner/name '),
  encoded('owner/name.'),
  encoded('owner./name'),
  encoded('owner/ '),
  encoded('owner/na me'),
  'repo_id=owner/name+',
  encoded('owner/name\u00a0'),
  // Look-alikes and invisible characters.
  encoded('οwner/name'),
  encoded('owner/nаme'),
  encoded('ｏｗｎｅｒ/name'),
  encoded('owner／name'),
  encoded('owner\u2215name'),
  encoded('owner\u2044name'),
  encoded('\uff0e\uff0e/name'),
  encoded('\u2024\u2024/name'),
  encoded('owner/\u2025'),
  encoded('owner/name\u200b'),
  encoded('owner/\u202ename'),
  encoded('\u200fowner/name'),
  encoded('owner/\ufeffname'),
  encoded('owner/nam\u0065\u0301'),
  encoded('owner/ﬁle'),
  encoded('owner/name😀'),
  encoded('🤗/name'),
  encoded('所有者/模型'),
  encoded('owner/K\u212a'),
  // Windows: devices, drives, streams, backslashes.
  encoded('con/name'),
  encoded('owner/CoN'),
  encoded('owner/nul.txt'),
  encoded('AUX/name'),
  encoded('owner/prn'),
  encoded('owner/COM1'),
  encoded('lpt9/name'),
  encoded('owner/com\u00b9'),
  encoded('owner/conin$'),
  encoded('C:/name'),
  encoded('C:\\Windows\\System32'),
  encoded('owner\\name'),
  encoded('owner/na\\me'),
  encoded('..\\..\\name'),
  encoded('\\\\server\\share/name'),
  encoded('\\\\?\\C:/name'),
  encoded('owner/name::$DATA'),
  encoded('owner/name:stream'),
  // Names that would share a folder with another, or have a meaning to a program.
  encoded('a--b/c'),
  encoded('a/b--c'),
  encoded('owner--name/x'),
  encoded('.git/config'),
  encoded('owner/.git'),
  encoded('owner/name.git'),
  encoded('owner/name.GiT'),
  encoded('.owner/name'),
  encoded('owner/.hob.json'),
  encoded('-owner/name'),
  encoded('owner/--source'),
  encoded('owner/*'),
  encoded('owner/na?e'),
  encoded('owner/[a-z]'),
  encoded('owner/$HOME'),
  encoded('owner/$(id)'),
  encoded('owner/`id`'),
  encoded('owner/name;id'),
  encoded('owner/name|id'),
  encoded('owner/name&x=y'),
  encoded('owner/<script>'),
  encoded('https://huggingface.co/owner/name'),
  encoded('owner@host/name'),
  // Too long.
  encoded(`${'a'.repeat(97)}/name`),
  encoded(`owner/${'b'.repeat(97)}`),
  encoded(`owner/${'b'.repeat(5000)}`),
  encoded('a/'.repeat(2000)),
  encoded('../'.repeat(1000)),
];

let hob: Hob;

beforeAll(async () => {
  const folder = await mkdtemp(join(tmpdir(), 'hob-hostile-'));
  const home = join(folder, 'home');
  const hub = join(folder, 'hub');
  await mkdir(home);
  // A model to be found if one of them led anywhere.
  await writeFiles(join(home, 'models', 'owner', 'name'), { 'config.json': '{}' });
  await writeFileAt(join(home, 'models', 'config.json'));
  await writeFileAt(join(folder, 'name', 'config.json'));
  await writeFileAt(join(dirname(home), 'etc', 'config.json'));
  await writeHuggingFaceRepo(hub, { repoId: 'owner/name' });
  hob = await launchHob({ home, env: { HF_HUB_CACHE: hub, MODELSCOPE_CACHE: join(folder, 'scope') } });
  return async () => {
    await hob.stop();
    await rm(folder, { recursive: true, force: true });
  };
});

it('the list has at least sixty hostile repo_ids, no two the same', () => {
  expect(new Set(hostile).size).toBe(hostile.length);
  expect(hostile.length).toBeGreaterThanOrEqual(60);
});

it('a valid repo_id is answered', async () => {
  expect((await ask(`${hob.url}/api/model/path?repo_id=owner/name`, 'GET')).status).toBe(200);
  expect((await ask(`${hob.url}/api/model/path?repo_id=owner%2Fname`, 'GET')).status).toBe(200);
});

it.each(hostile.map((query) => [query.length > 80 ? `${query.slice(0, 80)}…` : query, query]))(
  'a repo_id such as %s is refused with 400 and gets no path',
  async (_name, query) => {
    const { status, headers, text } = await ask(`${hob.url}/api/model/path?${query}`, 'GET');
    expect({ status, code: headers['x-hob-error'], body: JSON.parse(text) }).toEqual({
      status: 400,
      code: 'repo-id-invalid',
      body: { code: 400, data: {}, message: 'repo_id 缺失或格式错误，应为 owner/name', success: false },
    });
  },
);

it.each([
  '..%2f../etc',
  'owner/..%2f..',
  'owner/%2e%2e',
  '%2e%2e/name',
  'owner/name%00',
  'a--b/c',
  'owner/name.git',
  'owner/%5c..',
  'con/name',
  'owner/na%20me',
  'owner/%ef%bc%8e%ef%bc%8e',
  `owner/${'b'.repeat(97)}`,
])('a hostile repo_id removes nothing either: %s', async (path) => {
  const { status, text } = await ask(`${hob.url}/api/models/${path}`, 'DELETE');
  expect([status, JSON.parse(text).code]).toEqual([400, 'repo-id-invalid']);
  expect((await ask(`${hob.url}/api/model/path?repo_id=owner/name`, 'GET')).status).toBe(200);
});
