import { cp, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { DatabaseSync } from '@photostructure/sqlite';
import { expect, it } from 'vitest';

import { migrations } from '../../src/storage/migrations.ts';
import { type Hob, projectRoot, runCli, startHob, tempFolder } from '../support/hob.ts';

const recorded = join(projectRoot, 'test', 'upgrades', 'first-release');
const schemaOfFirstRelease = 5;

const scripts = {
  count: '字数 统计',
  fail: 'Fail',
  slow: 'Slow',
  wait: 'Wait',
  parent: 'Parent',
  outside: '外面 的',
  packaged: 'Packaged',
};
const noResult =
  'The script ended well, but wrote no result: a JSON object with code and msg, to environment.output_json';

/** Runs that had ended, with the output of each. */
const endedRuns = {
  'd4472ec5-6453-494a-aa06-762add3aa935': {
    stdout: '你好 2\nhello world 11\n',
    record: {
      script_name: scripts.count,
      state: 'succeeded',
      data: { texts: ['你好', 'hello world'] },
      params: { unit: '个字符', key: '***' },
      result: { code: 0, msg: '共 13 个字符', counts: [2, 11] },
      envelope: 'own',
    },
  },
  '8bcb2c6b-46aa-4705-bbfd-ad79cf3c8d14': {
    stdout: 'before\n',
    stderr: 'cannot go on\n',
    record: { script_name: scripts.fail, state: 'failed', end_cause: 'exit', exit_code: 3 },
  },
  '421fad48-6f7c-4a52-b899-79b550c18580': {
    stdout: 'started\n',
    record: {
      script_name: scripts.slow,
      end_cause: 'timeout',
      result: { code: -2, msg: expect.any(String) },
    },
  },
  '48fa9661-61b5-44ef-9a82-ecb70fdb7ac1': {
    stdout: 'waiting\n',
    record: { script_name: scripts.wait, state: 'failed', end_cause: 'cancelled' },
  },
  'cf6a65d1-1463-480f-8a99-441b58c3c4d1': {
    stdout: '',
    record: { script_name: scripts.parent, depth: 0, result: { child: { msg: '共 2 字' } } },
  },
  '4f06b645-6f2b-4d0d-b681-b808c6c2da96': {
    stdout: '孩子 2\n',
    record: { origin: 'link', depth: 1, parent_run_id: 'cf6a65d1-1463-480f-8a99-441b58c3c4d1' },
  },
  'c1512fcc-ff0d-46d7-a998-3e51ca86003e': {
    stdout: '你好\n',
    record: { script_name: scripts.outside, result: { code: -3, msg: noResult }, envelope: 'synthesized' },
  },
  'd75d9ef9-0534-4577-bc37-a803f051e5c4': {
    stdout: 'before\n',
    stderr: 'cannot go on\n',
    record: { script_name: scripts.fail, exit_code: 3 },
  },
  '905284ba-f6e7-4467-8e30-dae8f1456110': {
    stdout: 'from a package\n',
    record: { script_name: scripts.packaged, script_version: '1.0.0', state: 'succeeded' },
  },
  '7468b70f-5ae0-4047-af16-b920aa8b865e': { stdout: '你好\n', record: { script_name: scripts.outside } },
};

/** Runs that had not ended when the machine crashed, and their end. */
const unfinished = {
  // Only in entries.jsonl. The executor saw the end, and the service did not.
  justBegun: ['97e53fea-bb8e-4e03-8211-93ced2fdca20', { end_cause: 'timeout', exit_code: 143 }],
  terminated: ['d74c834c-6088-491d-9a74-9cfacd1e1bc1', { end_cause: 'signal', exit_code: 143 }],
  lost: ['571a2d13-3f80-4f2b-b592-5dfc5b1c5070', { end_cause: 'lost', state: 'unknown' }],
  queued: ['9e40c1ed-757a-4030-87bc-9a1998b3c88c', { end_cause: 'exit', exit_code: 6 }],
} as const;

/** A copy of the recorded home in which the recorded paths are those of the copy. */
async function copyHome(): Promise<string> {
  const folder = await tempFolder();
  for (const name of ['home', 'more'])
    await cp(join(recorded, name), join(folder, name), { recursive: true });
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const file = join(entry.parentPath, entry.name);
    if (!entry.isFile() || entry.name === 'hob.db') continue;
    await writeFile(file, (await readFile(file, 'utf8')).replaceAll('/first-release', folder));
  }
  const home = join(folder, 'home');
  // The queued run ends as soon as it has started.
  await writeFile(join(home, 'scripts', 'wait', 'go'), '');
  // A key does not live longer than a year.
  const database = new DatabaseSync(join(home, 'hob.db'));
  database.exec(`UPDATE idempotency_keys SET used_at = strftime('%Y-%m-%dT%H:%M:%fZ')`);
  database.close();
  return home;
}

async function outputOf(hob: Hob, runId: string, stream: 'stdout' | 'stderr'): Promise<string> {
  return (await fetch(`${hob.url}/api/runs/${runId}/${stream}`)).text();
}

it('a home of the first release starts with all its scripts, settings, runs, outputs, results and keys', async () => {
  const home = await copyHome();
  const hob = await startHob({ home });

  expect(hob.log()).toMatch(
    /parameters_in_memory in .*settings\.toml: this setting was removed and is ignored/,
  );
  const doctor = await runCli(['doctor', '--home', home]).ended;
  expect(doctor.stdout).toMatch(/parameters_in_memory in [^:]*: this setting was removed/);
  const settings = (await hob.get('/api/settings')).body.items;
  expect(settings).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ name: 'max_runs', value: 5 }),
      expect.objectContaining({ name: 'scripts', value: [join(home, '..', 'more')] }),
    ]),
  );

  const listed = (await hob.get('/api/scripts')).body;
  expect(listed.problems).toEqual([]);
  const known: { id: string; name: string }[] = Object(listed.scripts);
  expect(known.map(({ name }) => name).toSorted()).toEqual(Object.values(scripts).toSorted());
  const idOf = (name: string) => known.find((script) => script.name === name)?.id ?? '';

  for (const [runId, { record, stdout, ...rest }] of Object.entries(endedRuns)) {
    expect((await hob.get(`/api/runs/${runId}`)).body).toMatchObject({ run_id: runId, ...record });
    const stderr = 'stderr' in rest ? rest.stderr : '';
    expect(await outputOf(hob, runId, 'stdout')).toBe(stdout);
    expect(await outputOf(hob, runId, 'stderr')).toBe(stderr);
  }
  for (const [runId, end] of Object.values(unfinished)) expect(await hob.ended(runId)).toMatchObject(end);
  expect(await outputOf(hob, unfinished.queued[0], 'stdout')).toBe('waiting\ngone\n');
  const all = (await hob.get('/api/runs?limit=100')).body.items;
  const expected = [...Object.keys(endedRuns), ...Object.values(unfinished).map(([runId]) => runId)];
  expect(
    Object(all)
      .map(({ run_id }: { run_id: string }) => run_id)
      .toSorted(),
  ).toEqual(expected.toSorted());
  const found = (await hob.get(`/api/runs?q=${encodeURIComponent('个字符')}`)).body.items;
  expect(found).toMatchObject([{ run_id: 'd4472ec5-6453-494a-aa06-762add3aa935' }]);

  const again = await hob.post(
    '/api/execute',
    { script_id: idOf(scripts.fail) },
    { 'idempotency-key': 'recorded-key' },
  );
  expect(again.headers.get('idempotency-replayed')).toBe('true');
  expect(again.body.run_id).toBe('d75d9ef9-0534-4577-bc37-a803f051e5c4');
  expect((await hob.get('/api/notifications')).body.items).toMatchObject([{ message: '全部完成' }]);
  expect((await hob.get('/api/packages')).body.items).toMatchObject([{ name: 'Packaged', version: '1.0.0' }]);

  for (const name of [scripts.parent, scripts.outside, scripts.packaged])
    expect((await hob.run(idOf(name))).body).toMatchObject({ success: true });
});

it('a home of the first release gets a copy of its database if the schema has changed since', async () => {
  const home = await copyHome();
  const hob = await startHob({ home });
  await hob.stop();
  const copies = (await readdir(home)).filter((name) => name.startsWith('hob.db.schema-'));
  const isNewer = migrations.length > schemaOfFirstRelease;
  expect(copies).toEqual(
    isNewer ? [expect.stringMatching(`^hob\\.db\\.schema-${schemaOfFirstRelease}-`)] : [],
  );
});
