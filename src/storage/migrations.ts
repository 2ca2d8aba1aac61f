/** The history of the schema. One is never changed once it was released; a new one is added at the end. */
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
  ALTER TABLE runs ADD COLUMN stdout_head INTEGER;
  ALTER TABLE runs ADD COLUMN stdout_tail INTEGER;
  ALTER TABLE runs ADD COLUMN stderr_head INTEGER;
  ALTER TABLE runs ADD COLUMN stderr_tail INTEGER;
  `,
];
