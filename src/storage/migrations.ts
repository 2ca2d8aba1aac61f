/** The migrations of the schema, in order. A released migration is never changed; new ones are added at the end. */
export const migrations: readonly string[] = [
  `
  CREATE TABLE runs (
    run_id TEXT PRIMARY KEY,
    token_hash TEXT NOT NULL UNIQUE,
    script_id TEXT NOT NULL,
    script_name TEXT NOT NULL,
    script_version TEXT,
    origin TEXT NOT NULL,
    parent_run_id TEXT,
    depth INTEGER NOT NULL,
    sync INTEGER NOT NULL,
    state TEXT NOT NULL,
    end_cause TEXT,
    exit_code INTEGER,
    result TEXT,
    envelope TEXT,
    data TEXT NOT NULL,
    params TEXT NOT NULL,
    queued_at TEXT NOT NULL,
    started_at TEXT,
    ended_at TEXT,
    duration_ms INTEGER,
    stdout_bytes INTEGER,
    stderr_bytes INTEGER,
    truncated INTEGER,
    left_running INTEGER
  ) STRICT;
  CREATE INDEX runs_unfinished ON runs (queued_at) WHERE ended_at IS NULL;
  CREATE TABLE facts (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
  `,
  'ALTER TABLE runs ADD COLUMN executor TEXT;',
  `
  CREATE TABLE new_runs (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    run_id TEXT NOT NULL UNIQUE,
    token_hash TEXT NOT NULL UNIQUE,
    script_id TEXT NOT NULL,
    script_name TEXT NOT NULL,
    script_version TEXT,
    origin TEXT NOT NULL,
    parent_run_id TEXT,
    depth INTEGER NOT NULL,
    sync INTEGER NOT NULL,
    executor TEXT,
    state TEXT NOT NULL,
    end_cause TEXT,
    exit_code INTEGER,
    code INTEGER,
    message TEXT,
    envelope TEXT,
    queued_at TEXT NOT NULL,
    started_at TEXT,
    ended_at TEXT,
    duration_ms INTEGER,
    stdout_bytes INTEGER,
    stderr_bytes INTEGER,
    stdout_head INTEGER,
    stdout_tail INTEGER,
    stderr_head INTEGER,
    stderr_tail INTEGER,
    truncated INTEGER,
    left_running INTEGER,
    /* Size of the run on disk, including its record. Zero until the service has measured it. */
    disk_bytes INTEGER NOT NULL DEFAULT 0,
    /* 1: its size is known and its texts can be searched. */
    tended INTEGER NOT NULL DEFAULT 0,
    /* These columns may be large. They come last, so that reading the others does not read them. */
    data TEXT NOT NULL,
    params TEXT NOT NULL,
    result TEXT
  ) STRICT;
  INSERT INTO new_runs (run_id, token_hash, script_id, script_name, script_version, origin, parent_run_id, depth, sync, executor,
      state, end_cause, exit_code, code, message, envelope, queued_at, started_at, ended_at, duration_ms, stdout_bytes, stderr_bytes,
      truncated, left_running, data, params, result)
    SELECT run_id, token_hash, script_id, script_name, script_version, origin, parent_run_id, depth, sync, executor,
      state, end_cause, exit_code, result ->> 'code', substr(result ->> 'msg', 1, 1000), envelope, queued_at, started_at, ended_at,
      duration_ms, stdout_bytes, stderr_bytes, truncated, left_running, data, params, result
    FROM runs ORDER BY rowid;
  DROP TABLE runs;
  ALTER TABLE new_runs RENAME TO runs;
  CREATE INDEX runs_by_time ON runs (queued_at);
  CREATE INDEX runs_by_script ON runs (script_id, queued_at);
  CREATE INDEX runs_by_script_and_state ON runs (script_id, state, queued_at);
  CREATE INDEX runs_by_state ON runs (state, queued_at);
  CREATE INDEX runs_by_cause ON runs (end_cause, queued_at) WHERE end_cause IS NOT NULL;
  CREATE INDEX runs_by_origin ON runs (origin, queued_at);
  CREATE INDEX runs_by_end ON runs (ended_at) WHERE ended_at IS NOT NULL;
  CREATE INDEX runs_by_parent ON runs (parent_run_id) WHERE parent_run_id IS NOT NULL;
  CREATE INDEX runs_unfinished ON runs (seq) WHERE ended_at IS NULL;
  CREATE INDEX runs_untended ON runs (seq) WHERE tended = 0;
  CREATE VIRTUAL TABLE run_texts USING fts5(script_name, message, content = 'runs', content_rowid = 'seq', tokenize = 'trigram');
  /*
   * The service merges the parts of the index in small steps while it is idle, so that no write has to. A step cannot stop within a
   * term, and some terms are in every run, so large parts are merged rarely: sixteen at a time.
   */
  INSERT INTO run_texts (run_texts, rank) VALUES ('automerge', 0), ('crisismerge', 1000), ('usermerge', 16);

  CREATE TABLE history (id INTEGER PRIMARY KEY CHECK (id = 1), runs INTEGER NOT NULL, bytes INTEGER NOT NULL) STRICT;
  INSERT INTO history SELECT 1, count(*), 0 FROM runs;
  CREATE TRIGGER runs_counted AFTER INSERT ON runs BEGIN UPDATE history SET runs = runs + 1; END;
  CREATE TRIGGER runs_measured AFTER UPDATE OF disk_bytes ON runs BEGIN
    UPDATE history SET bytes = bytes + new.disk_bytes - old.disk_bytes;
  END;
  CREATE TRIGGER runs_discounted AFTER DELETE ON runs BEGIN
    UPDATE history SET runs = runs - 1, bytes = bytes - old.disk_bytes;
  END;

  CREATE TABLE run_days (
    day TEXT NOT NULL,
    script_id TEXT NOT NULL,
    /* [[state, end cause, runs], ...] */
    outcomes TEXT NOT NULL,
    /* [[bucket, runs, total of their milliseconds], ...] */
    durations TEXT NOT NULL,
    PRIMARY KEY (day, script_id)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE script_names (script_id TEXT PRIMARY KEY, script_name TEXT NOT NULL) STRICT, WITHOUT ROWID;
  INSERT INTO run_days SELECT day, script_id, json_group_array(json_array(state, end_cause, runs)), '[]'
    FROM (SELECT date(ended_at, 'localtime') AS day, script_id, state, end_cause, count(*) AS runs FROM runs
      WHERE ended_at IS NOT NULL GROUP BY 1, 2, 3, 4) GROUP BY day, script_id;
  UPDATE run_days SET durations = timed.durations
    FROM (SELECT day, script_id, json_group_array(json_array(bucket, runs, total_ms)) AS durations
      FROM (SELECT date(ended_at, 'localtime') AS day, script_id,
          CASE WHEN duration_ms < 1 THEN 0 ELSE 1 + CAST(4 * log2(duration_ms) AS INTEGER) END AS bucket, count(*) AS runs,
          sum(duration_ms) AS total_ms
        /* The duration of a lost run is unknown. */
        FROM runs WHERE ended_at IS NOT NULL AND started_at IS NOT NULL AND end_cause IS NOT 'lost' GROUP BY 1, 2, 3) GROUP BY day, script_id) AS timed
    WHERE run_days.day = timed.day AND run_days.script_id = timed.script_id;
  INSERT INTO script_names SELECT script_id, script_name FROM runs GROUP BY script_id HAVING seq = max(seq);

  CREATE TABLE idempotency_keys (
    script_id TEXT NOT NULL,
    key_hash TEXT NOT NULL,
    body_mac TEXT NOT NULL,
    run_id TEXT NOT NULL,
    used_at TEXT NOT NULL,
    PRIMARY KEY (script_id, key_hash)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX idempotency_keys_by_run ON idempotency_keys (run_id);
  CREATE INDEX idempotency_keys_by_time ON idempotency_keys (used_at);

  CREATE TABLE events (seq INTEGER PRIMARY KEY AUTOINCREMENT, type TEXT NOT NULL, run_id TEXT, data TEXT NOT NULL) STRICT;
  CREATE INDEX events_by_run ON events (run_id) WHERE run_id IS NOT NULL;
  `,
  `
  CREATE TABLE notifications (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    notification_id TEXT NOT NULL,
    type TEXT NOT NULL,
    /* As JSON: a text in the database ends at its first NUL, and cannot hold half a surrogate pair. */
    message TEXT,
    /* May be more than an INTEGER holds. */
    duration_ms REAL NOT NULL,
    show_close INTEGER NOT NULL,
    run_id TEXT,
    script_id TEXT,
    script_name TEXT,
    at TEXT NOT NULL
  ) STRICT;
  CREATE INDEX notifications_by_run ON notifications (run_id) WHERE run_id IS NOT NULL;
  `,
  `
  /* Most runs have the same origin and succeed. A search finds those quickly without an index; the indexes cover the others. */
  DROP INDEX runs_by_state;
  DROP INDEX runs_by_script_and_state;
  DROP INDEX runs_by_cause;
  DROP INDEX runs_by_origin;
  DROP INDEX runs_unfinished;
  DROP INDEX runs_untended;
  CREATE INDEX runs_unfinished ON runs (state, queued_at) WHERE ended_at IS NULL;
  CREATE INDEX runs_untended ON runs (seq) WHERE tended = 0 AND ended_at IS NOT NULL;
  CREATE INDEX runs_by_state ON runs (state, queued_at) WHERE ended_at IS NOT NULL AND state <> 'succeeded';
  CREATE INDEX runs_by_script_and_state ON runs (script_id, state, queued_at) WHERE ended_at IS NOT NULL AND state <> 'succeeded';
  CREATE INDEX runs_by_cause ON runs (end_cause, queued_at) WHERE end_cause <> 'exit';
  CREATE INDEX runs_by_origin ON runs (origin, queued_at) WHERE origin <> 'execute';
  `,
  `
  CREATE TABLE slugs (
    slug TEXT PRIMARY KEY,
    script_id TEXT NOT NULL,
    /* 0: an earlier slug of the script. */
    is_current INTEGER NOT NULL,
    /* 0: the script belongs to an installed package. */
    is_own INTEGER NOT NULL,
    /* The slug in the manifest when this one was assigned. */
    declared TEXT
  ) STRICT, WITHOUT ROWID;
  CREATE UNIQUE INDEX slugs_by_script ON slugs (script_id) WHERE is_current = 1;
  `,
  `
  /*
   * Triggers and retries. The table is copied instead of altered: a column after the large ones could only be read together with them.
   */
  CREATE TABLE new_runs (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    run_id TEXT NOT NULL UNIQUE,
    token_hash TEXT NOT NULL UNIQUE,
    script_id TEXT NOT NULL,
    script_name TEXT NOT NULL,
    script_version TEXT,
    origin TEXT NOT NULL,
    trigger_id TEXT,
    parent_run_id TEXT,
    depth INTEGER NOT NULL,
    sync INTEGER NOT NULL,
    attempt INTEGER NOT NULL DEFAULT 1,
    /* The first attempt. Null in that attempt itself. */
    first_run_id TEXT,
    /* When the next attempt is due. Null if there is none, and from the moment when it is queued. */
    next_attempt_at TEXT,
    /* As JSON: when the run is tried again. */
    retries TEXT,
    executor TEXT,
    state TEXT NOT NULL,
    end_cause TEXT,
    exit_code INTEGER,
    code INTEGER,
    message TEXT,
    envelope TEXT,
    queued_at TEXT NOT NULL,
    started_at TEXT,
    ended_at TEXT,
    duration_ms INTEGER,
    stdout_bytes INTEGER,
    stderr_bytes INTEGER,
    stdout_head INTEGER,
    stdout_tail INTEGER,
    stderr_head INTEGER,
    stderr_tail INTEGER,
    truncated INTEGER,
    left_running INTEGER,
    disk_bytes INTEGER NOT NULL DEFAULT 0,
    tended INTEGER NOT NULL DEFAULT 0,
    /* These columns may be large. They come last, so that reading the others does not read them. */
    data TEXT NOT NULL,
    params TEXT NOT NULL,
    result TEXT
  ) STRICT;
  INSERT INTO new_runs (seq, run_id, token_hash, script_id, script_name, script_version, origin, parent_run_id, depth, sync, executor,
      state, end_cause, exit_code, code, message, envelope, queued_at, started_at, ended_at, duration_ms, stdout_bytes, stderr_bytes,
      stdout_head, stdout_tail, stderr_head, stderr_tail, truncated, left_running, disk_bytes, tended, data, params, result)
    SELECT seq, run_id, token_hash, script_id, script_name, script_version, origin, parent_run_id, depth, sync, executor,
      state, end_cause, exit_code, code, message, envelope, queued_at, started_at, ended_at, duration_ms, stdout_bytes, stderr_bytes,
      stdout_head, stdout_tail, stderr_head, stderr_tail, truncated, left_running, disk_bytes, tended, data, params, result
    FROM runs ORDER BY seq;
  /* A number of a removed run is not used again. */
  DELETE FROM sqlite_sequence WHERE name = 'new_runs';
  INSERT INTO sqlite_sequence (name, seq) SELECT 'new_runs', seq FROM sqlite_sequence WHERE name = 'runs';
  DROP TABLE runs;
  ALTER TABLE new_runs RENAME TO runs;
  CREATE INDEX runs_by_time ON runs (queued_at);
  CREATE INDEX runs_by_script ON runs (script_id, queued_at);
  CREATE INDEX runs_by_end ON runs (ended_at) WHERE ended_at IS NOT NULL;
  CREATE INDEX runs_by_parent ON runs (parent_run_id) WHERE parent_run_id IS NOT NULL;
  CREATE INDEX runs_unfinished ON runs (state, queued_at) WHERE ended_at IS NULL;
  CREATE INDEX runs_untended ON runs (seq) WHERE tended = 0 AND ended_at IS NOT NULL;
  CREATE INDEX runs_by_state ON runs (state, queued_at) WHERE ended_at IS NOT NULL AND state <> 'succeeded';
  CREATE INDEX runs_by_script_and_state ON runs (script_id, state, queued_at) WHERE ended_at IS NOT NULL AND state <> 'succeeded';
  CREATE INDEX runs_by_cause ON runs (end_cause, queued_at) WHERE end_cause <> 'exit';
  CREATE INDEX runs_by_origin ON runs (origin, queued_at) WHERE origin <> 'execute';
  CREATE INDEX runs_by_trigger ON runs (trigger_id, queued_at) WHERE trigger_id IS NOT NULL;
  CREATE INDEX runs_by_series ON runs (first_run_id, attempt) WHERE first_run_id IS NOT NULL;
  CREATE INDEX runs_awaiting ON runs (next_attempt_at) WHERE next_attempt_at IS NOT NULL;
  CREATE TRIGGER runs_counted AFTER INSERT ON runs BEGIN UPDATE history SET runs = runs + 1; END;
  CREATE TRIGGER runs_measured AFTER UPDATE OF disk_bytes ON runs BEGIN
    UPDATE history SET bytes = bytes + new.disk_bytes - old.disk_bytes;
  END;
  CREATE TRIGGER runs_discounted AFTER DELETE ON runs BEGIN
    UPDATE history SET runs = runs - 1, bytes = bytes - old.disk_bytes;
  END;
  `,
  `
  /* How the run ended whose end the notification reports. */
  ALTER TABLE notifications ADD COLUMN run_state TEXT;
  ALTER TABLE notifications ADD COLUMN end_cause TEXT;
  ALTER TABLE notifications ADD COLUMN exit_code INTEGER;
  /* 1: must still be sent to the URL of the user. */
  ALTER TABLE notifications ADD COLUMN unsent INTEGER NOT NULL DEFAULT 0;
  `,
  `
  CREATE TABLE trigger_firings (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    trigger_id TEXT NOT NULL,
    /* Identifies the slot, file or delivery. */
    key TEXT,
    due_at TEXT NOT NULL,
    recorded_at TEXT NOT NULL,
    outcome TEXT NOT NULL,
    reason TEXT,
    detail TEXT,
    run_id TEXT
  ) STRICT;
  CREATE UNIQUE INDEX trigger_firings_by_key ON trigger_firings (trigger_id, key) WHERE key IS NOT NULL;
  CREATE INDEX trigger_firings_by_trigger ON trigger_firings (trigger_id, seq);
  CREATE TABLE trigger_positions (trigger_id TEXT PRIMARY KEY, position TEXT NOT NULL) STRICT, WITHOUT ROWID;
  CREATE TABLE trigger_files (
    trigger_id TEXT NOT NULL,
    path TEXT NOT NULL,
    inode TEXT NOT NULL,
    modified_ms REAL NOT NULL,
    bytes INTEGER NOT NULL,
    PRIMARY KEY (trigger_id, path)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE trigger_handovers (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    trigger_id TEXT NOT NULL,
    key TEXT NOT NULL,
    /* As JSON. */
    files TEXT NOT NULL,
    /* When the files were chosen, before their run started. */
    chosen_at TEXT NOT NULL,
    run_id TEXT,
    UNIQUE (trigger_id, key)
  ) STRICT;
  `,
  'ALTER TABLE runs ADD COLUMN client TEXT;',
  `
  /* The choices of the user for the tools of scripts. Null: the rule for all scripts applies. */
  CREATE TABLE agent_choices (script_id TEXT PRIMARY KEY, is_offered INTEGER, is_asked INTEGER) STRICT, WITHOUT ROWID;
  `,
];
