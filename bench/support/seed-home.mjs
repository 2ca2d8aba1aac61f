import { randomBytes, randomUUID } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { DatabaseSync } from '@photostructure/sqlite';

import { startService } from './service.mjs';

/**
 * Writes ended runs, oldest first, into a new home. A service creates the database, so that the schema is that of the release. The counts
 * per day outlive the runs: `repeatAfterDays` repeats them at this interval for 400 days.
 */
export async function seedHome(home, runs, { repeatAfterDays } = {}) {
  mkdirSync(home, { recursive: true, mode: 0o700 });
  await (await startService(home, '')).stop();
  const database = new DatabaseSync(join(home, 'hob.db'));
  database.exec('PRAGMA synchronous = OFF; PRAGMA cache_size = -400000; BEGIN;');
  let insert;
  for (const run of runs) {
    const row = rowOf(run);
    const columns = Object.keys(row);
    insert ??= database.prepare(`INSERT INTO runs (${columns}) VALUES (${columns.map(() => '?')})`);
    insert.run(...Object.values(row));
  }
  database.exec(`
    UPDATE history SET bytes = (SELECT sum(disk_bytes) FROM runs);
    INSERT INTO script_names (script_id, script_name) SELECT script_id, script_name FROM runs GROUP BY script_id;

    /* Merge the index of texts as if the runs had ended one by one, then restore its configuration. */
    CREATE TEMP TABLE configuration AS SELECT k, v FROM run_texts_config WHERE k IN ('automerge', 'crisismerge');
    INSERT INTO run_texts (run_texts, rank) VALUES ('automerge', 4), ('crisismerge', 16);
    INSERT INTO run_texts (rowid, script_name, message) SELECT seq, script_name, message FROM runs;
    INSERT INTO run_texts (run_texts, rank) SELECT k, v FROM configuration;
  `);
  countDays(database, repeatAfterDays);
  database.exec('COMMIT; PRAGMA wal_checkpoint(TRUNCATE);');
  database.close();
}

function countDays(database, repeatAfterDays) {
  database.exec(`
    /* Outcomes: [[state, end cause, runs], ...]. Durations: [[bucket, runs, total of their milliseconds], ...]. */
    WITH ended AS (SELECT date(ended_at, 'localtime') AS day, script_id, state, end_cause, duration_ms,
        1 + CAST(4 * log2(duration_ms) AS INTEGER) AS bucket FROM runs),
      outcomes AS (SELECT day, script_id, json_group_array(json_array(state, end_cause, runs)) AS outcomes
        FROM (SELECT day, script_id, state, end_cause, count(*) AS runs FROM ended GROUP BY 1, 2, 3, 4) GROUP BY 1, 2),
      durations AS (SELECT day, script_id, json_group_array(json_array(bucket, runs, total_ms)) AS durations
        FROM (SELECT day, script_id, bucket, count(*) AS runs, sum(duration_ms) AS total_ms FROM ended GROUP BY 1, 2, 3)
        GROUP BY 1, 2)
    INSERT INTO run_days (day, script_id, outcomes, durations)
      SELECT day, script_id, outcomes, durations FROM outcomes JOIN durations USING (day, script_id);
  `);
  if (repeatAfterDays === undefined) return;
  database.exec(`
    WITH RECURSIVE past (days) AS
      (SELECT ${repeatAfterDays} UNION ALL SELECT days + ${repeatAfterDays} FROM past WHERE days < 400)
    INSERT OR IGNORE INTO run_days (day, script_id, outcomes, durations)
      SELECT date(day, -days || ' days'), script_id, outcomes, durations FROM run_days, past;
  `);
}

/** The row of a run. Its size is set and its texts are indexed, so the service has nothing left to do for it. */
function rowOf({ runId = randomUUID(), parentRunId = null, atMs, tookMs, isFailure, message, ...run }) {
  const code = isFailure ? 1 : 0;
  const [beganAt, endedAt] = [atMs, atMs + tookMs].map((ms) => new Date(ms).toISOString());
  return {
    run_id: runId,
    token_hash: randomBytes(32).toString('hex'),
    script_id: run.scriptId,
    script_name: run.scriptName,
    script_version: run.version ?? '1.2.0',
    origin: run.origin ?? 'execute',
    parent_run_id: parentRunId,
    depth: parentRunId === null ? 0 : 1,
    sync: 0,
    state: isFailure ? 'failed' : 'succeeded',
    end_cause: run.endCause ?? 'exit',
    exit_code: code,
    code,
    message,
    envelope: 'own',
    queued_at: beganAt,
    started_at: beganAt,
    ended_at: endedAt,
    duration_ms: tookMs,
    stdout_bytes: 0,
    stderr_bytes: 0,
    stdout_head: 0,
    stdout_tail: 0,
    stderr_head: 0,
    stderr_tail: 0,
    truncated: 0,
    left_running: 0,
    disk_bytes: 4096,
    tended: 1,
    data: JSON.stringify(run.data ?? {}),
    params: JSON.stringify(run.params ?? {}),
    result: JSON.stringify({ code, msg: message, ...run.result }),
  };
}

/** Creates the folders of the oldest runs, with the files of a run, and returns their paths. */
export function fillFolders(home, folders) {
  const database = new DatabaseSync(join(home, 'hob.db'));
  const oldest = database.prepare('SELECT run_id FROM runs ORDER BY seq LIMIT ?').all(folders);
  database.close();
  return oldest.map(({ run_id }) => {
    const folder = join(home, 'runs', run_id);
    mkdirSync(folder, { recursive: true });
    for (const name of ['params.json', 'result.json', 'stdout.log'])
      writeFileSync(join(folder, name), 'x'.repeat(100));
    return folder;
  });
}
