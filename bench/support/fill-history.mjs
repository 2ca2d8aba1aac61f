import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { bucketOf } from '../../build/runs/history/durations.js';
import { localDay } from '../../build/shared/local-day.js';
import { openDatabase } from '../../build/storage/database.js';
import { countDuration, countOutcome } from '../../build/storage/day-counts.js';

/** Run ids are unordered like real ones; script ids are made from a number. */
const runId = (n) => `printf('%08x-0000-4000-8000-%012x', (${n}) * 2654435761 & 4294967295, ${n})`;
const scripts = 20;
const historyDays = 29;

export function scriptId(number) {
  return `${number.toString(16).padStart(8, '0')}-0000-4000-9000-000000000000`;
}

/**
 * Writes a history of `runs` runs into the database of a home, spread over the last 29 days: twenty scripts, one run in twenty-five failed, each
 * with its own message, and two in ten linked by the previous run.
 */
export function fillHistory(home, runs) {
  mkdirSync(home, { recursive: true });
  const database = openDatabase(join(home, 'hob.db'));
  database.exec('PRAGMA synchronous = OFF; PRAGMA cache_size = -400000;');
  database.exec('BEGIN');
  database
    .prepare(
      `WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < $runs),
       times AS (SELECT n, $end - ($runs - n) * ($span * 1.0 / $runs) AS at, n % ${scripts} AS script, n % 25 = 0 AS failed,
         n % 10 IN (1, 2) AND n > 10 AS linked FROM numbers)
       INSERT INTO runs (run_id, token_hash, script_id, script_name, script_version, origin, parent_run_id, depth, sync, executor,
         state, end_cause, exit_code, code, message, envelope, queued_at, started_at, ended_at, duration_ms, stdout_bytes,
         stderr_bytes, stdout_head, stdout_tail, stderr_head, stderr_tail, truncated, left_running, disk_bytes, tended, data, params, result)
       SELECT ${runId('n')}, printf('%08x%056x', n * 2246822519 & 4294967295, n),
         printf('%08x-0000-4000-9000-000000000000', script), 'Resize images ' || script, '1.0.' || (n % 7),
         CASE WHEN linked THEN 'link' WHEN n % 3 = 0 THEN 'execute' WHEN n % 3 = 1 THEN 'cli' ELSE 'console' END,
         CASE WHEN linked THEN ${runId('n - n % 10')} END, linked, 0, '1-aa',
         CASE WHEN failed THEN 'failed' ELSE 'succeeded' END,
         CASE WHEN NOT failed THEN 'exit' WHEN n % 100 = 0 THEN 'timeout' ELSE 'exit' END, CASE WHEN failed THEN 1 ELSE 0 END,
         CASE WHEN failed THEN -1 ELSE 0 END,
         CASE WHEN failed THEN '文件 ' || n || ' 无法读取' ELSE 'done: ' || n || ' pictures were resized' END, 'own',
         strftime('%Y-%m-%dT%H:%M:%fZ', at, 'unixepoch'), strftime('%Y-%m-%dT%H:%M:%fZ', at, 'unixepoch'),
         strftime('%Y-%m-%dT%H:%M:%fZ', at + 0.1, 'unixepoch'), 50 + n % 1000, 100, 0, 100, 0, 0, 0, 0, 0, 4096, 1,
         json_object('images', json_array('/home/ada/pictures/' || n || '.jpg')), '{"quality":85,"format":"png","keep":true}',
         json_object('code', CASE WHEN failed THEN -1 ELSE 0 END, 'msg', 'done', 'output_paths', json_array('/home/ada/small/' || n || '.png'))
       FROM times`,
    )
    .run({ $runs: runs, $end: Date.now() / 1000, $span: historyDays * 86_400 });
  database.exec(`
    /* Merged as it would be if the runs had come one by one, with somebody tidying up in between. */
    INSERT INTO run_texts (run_texts, rank) VALUES ('automerge', 4), ('crisismerge', 16);
    INSERT INTO run_texts (rowid, script_name, message) SELECT seq, script_name, message FROM runs;
    INSERT INTO run_texts (run_texts, rank) VALUES ('automerge', 0), ('crisismerge', 1000);
    UPDATE history SET bytes = (SELECT sum(disk_bytes) FROM runs);
    INSERT INTO script_names SELECT script_id, script_name FROM runs GROUP BY script_id;
    COMMIT;
    PRAGMA wal_checkpoint(TRUNCATE);
  `);
  countDays(database, runs / historyDays);
  database.close();
}

/** Fills the counts per day, which outlive the runs: on each of 400 days as many runs as on each recorded day. */
function countDays(database, dayRuns) {
  const put = database.prepare('INSERT INTO run_days VALUES (?, ?, ?, ?)');
  database.exec('BEGIN');
  for (let ago = 0; ago < 400; ago++) {
    const day = localDay(new Date(Date.now() - ago * 86_400_000));
    for (let script = 0; script < scripts; script++) {
      const counts = { outcomes: [], durations: [] };
      for (let run = 0; run < Math.min(200, dayRuns / scripts); run++) {
        const isFailed = run % 25 === 24;
        countOutcome(
          counts,
          isFailed ? 'failed' : 'succeeded',
          isFailed && run % 2 === 1 ? 'timeout' : 'exit',
        );
        const durationMs = 50 + ((run * 377 + script) % 1000);
        countDuration(counts, bucketOf(durationMs), durationMs);
      }
      put.run(day, scriptId(script), JSON.stringify(counts.outcomes), JSON.stringify(counts.durations));
    }
  }
  database.exec('COMMIT');
}

/** Creates the folders of the oldest runs, with the files of a run, and returns their paths. */
export function fillFolders(home, folders) {
  const database = openDatabase(join(home, 'hob.db'));
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
