import { execFileSync } from 'node:child_process';
import { chmod, readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';

import { DatabaseSync } from '@photostructure/sqlite';
import { expect, it, onTestFinished } from 'vitest';

import { migrations } from '../../src/storage/migrations.ts';
import { runCli, startHob, tempFolder } from '../support/hob.ts';
import { has } from '../support/needs.ts';
import { until } from '../support/until.ts';

const canMount = has(
  'a small disk of its own (root on Linux)',
  process.platform === 'linux' && process.getuid?.() === 0,
);

/** A home whose database has schema version 2, with this many runs. */
async function oldHome(home: string, runs: number): Promise<string> {
  const path = join(home, 'hob.db');
  const database = new DatabaseSync(path);
  for (const migration of migrations.slice(0, 2)) database.exec(migration);
  database.exec(`
    WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${runs})
    INSERT INTO runs (run_id, token_hash, script_id, script_name, origin, depth, sync, state, end_cause, exit_code, result, envelope,
        data, params, queued_at, started_at, ended_at, duration_ms, stdout_bytes, stderr_bytes, truncated, left_running)
      SELECT format('00000000-0000-4000-8000-%012d', n), n, '11111111-1111-4111-8111-111111111111', '旧脚本', 'execute', 0, 0,
        'succeeded', 'exit', 0, '{"code":0,"msg":"ok"}', 'own', '{"text":"${'x'.repeat(500)}"}', '{}', at, at, at, 5, 0, 0, 0, 0
        FROM numbers, (SELECT strftime('%Y-%m-%dT%H:%M:%fZ') AS at);
    PRAGMA user_version = 2;`);
  database.close();
  return path;
}

async function copiesIn(home: string): Promise<string[]> {
  return (await readdir(home)).filter((name) => name.startsWith('hob.db.schema-'));
}

function runsIn(path: string): unknown {
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    return database.prepare('SELECT count(*) AS runs FROM runs').get()?.runs;
  } finally {
    database.close();
  }
}

it('a service that is killed during the copy or the migration starts the next time with every run', async () => {
  const home = await tempFolder();
  const path = await oldHome(home, 8000);
  const sights = [
    async () => (await stat(`${path}.schema-copy`).catch(() => null)) !== null,
    async () => (await copiesIn(home)).some((name) => name.endsWith('Z')),
  ];
  for (const isSeen of sights) {
    const { child, ended } = runCli(['serve', '--home', home, '--port', '0']);
    await until('the copy is begun or made', isSeen);
    child.kill('SIGKILL');
    await ended;
  }
  const hob = await startHob({ home, settings: 'history_days = 0\n' });
  expect((await hob.get('/api/health')).body).toMatchObject({ status: 'ok' });
  const last = '00000000-0000-4000-8000-000000008000';
  expect((await hob.get(`/api/runs/${last}`)).body).toMatchObject({ script_name: '旧脚本', exit_code: 0 });
  await hob.stop();
  expect(runsIn(path)).toBe(8000);
  const copies = await copiesIn(home);
  expect(copies).not.toContain('hob.db.schema-copy');
  for (const name of copies) expect(runsIn(join(home, name))).toBe(8000);
});

it.skipIf(!canMount)(
  'without room for the copy the service does not start, and changes nothing',
  async () => {
    const home = await tempFolder();
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=3m,mode=700', 'tmpfs', home]);
    onTestFinished(() => {
      execFileSync('umount', ['-l', home]);
    });
    const path = await oldHome(home, 3000);
    await chmod(path, 0o600);
    const before = await readFile(path);
    const { code, stdout, stderr } = await runCli(['serve', '--home', home, '--port', '0']).ended;
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(
      /^hob: Hob cannot copy its database .*\(SQLITE_FULL\), .* then start Hob again\.\n$/,
    );
    expect((await readFile(path)).equals(before)).toBe(true);
    expect(await copiesIn(home)).toEqual([]);
  },
);

it('a home of a newer release is refused by the name of that release, and nothing in it changes', async () => {
  const home = await tempFolder();
  const hob = await startHob({ home });
  await hob.stop();
  const path = join(home, 'hob.db');
  const database = new DatabaseSync(path);
  database.exec(`PRAGMA user_version = 99; UPDATE facts SET value = '7.1.0' WHERE name = 'release';`);
  database.close();
  // SQLite may leave two empty files of a database that was only read.
  const namesIn = async () => (await readdir(home)).filter((name) => !/-(?:wal|shm)$/.test(name)).toSorted();
  const [names, before] = [await namesIn(), await readFile(path)];
  const { code, stderr } = await runCli(['serve', '--home', home, '--port', '0']).ended;
  expect(code).toBe(1);
  expect(stderr).toBe(
    `hob: ${path} was written by a newer Hob 7.1.0 (schema version 99; this Hob supports ${migrations.length}). ` +
      'Install the newer Hob again, or choose another home with --home.\n',
  );
  expect(await namesIn()).toEqual(names);
  expect((await readFile(path)).equals(before)).toBe(true);
});
