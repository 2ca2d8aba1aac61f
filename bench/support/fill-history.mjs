import { openDatabase } from '../dist/storage/database.js';

/**
 * Writes a history of so many runs into a database, as if they had been run one after the other over the last 30 days: twenty
 * scripts, one run in twenty-five failed, each with a message of its own.
 */
export function fillHistory(path, runs) {
  const database = openDatabase(path);
  database.exec('PRAGMA synchronous = OFF; PRAGMA cache_size = -200000;');
  const days = 30;
  const started = Date.now();
  database.exec('BEGIN');
  database
    .prepare(
      `WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < $runs),
       times AS (SELECT n, $end - ($runs - n) * ($span * 1.0 / $runs) AS at, n % 20 AS script, n % 25 = 0 AS failed FROM numbers)
       INSERT INTO runs (run_id, token_hash, script_id, script_name, script_version, origin, parent_run_id, depth, sync, executor,
         state, end_cause, exit_code, code, message, envelope, queued_at, started_at, ended_at, duration_ms, stdout_bytes,
         stderr_bytes, stdout_head, stdout_tail, stderr_head, stderr_tail, truncated, left_running, disk_bytes, tended, data, params, result)
       SELECT printf('%08x-0000-4000-8000-%012x', n, n), printf('%064x', n),
         printf('%08x-0000-4000-9000-000000000000', script), 'Resize images ' || script, '1.0.' || (n % 7),
         CASE n % 3 WHEN 0 THEN 'execute' WHEN 1 THEN 'cli' ELSE 'console' END, NULL, 0, 0, '1-aa',
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
    .run({ $runs: runs, $end: started / 1000, $span: days * 86_400 });
  database.exec(`
    INSERT INTO run_texts (rowid, script_name, message) SELECT seq, script_name, message FROM runs;
    UPDATE history SET bytes = (SELECT sum(disk_bytes) FROM runs);
    INSERT INTO run_days SELECT date(ended_at, 'localtime'), script_id, state, end_cause, count(*) FROM runs GROUP BY 1, 2, 3, 4;
    INSERT INTO run_durations SELECT date(ended_at, 'localtime'), script_id, 1 + CAST(4 * log2(duration_ms) AS INTEGER), count(*),
      sum(duration_ms) FROM runs GROUP BY 1, 2, 3;
    INSERT INTO script_names SELECT script_id, script_name FROM runs GROUP BY script_id;
    COMMIT;
    PRAGMA wal_checkpoint(TRUNCATE);
  `);
  database.close();
}
