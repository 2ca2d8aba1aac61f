import { existsSync } from 'node:fs';

import { DatabaseSync } from '@photostructure/sqlite';
import Type, { type Static } from 'typebox';

import { endCauses, origins, runStates } from '../contract/values.ts';
import type { AgentChoice } from '../mcp/choices.ts';
import type { SlugEntry } from '../scripts/slug-store.ts';
import { ExplainedError } from '../shared/errors.ts';
import { type Database, knownVersion } from './database.ts';
import { migrations } from './migrations.ts';
import { readAgentChoices } from './sqlite-agent-choice-store.ts';
import { columns, type SqliteRunStore, toRecord } from './sqlite-run-store.ts';
import { readSlugs } from './sqlite-slug-store.ts';

const text = Type.String();
const number = Type.Number();
const nullable = <Schema extends Type.TSchema>(schema: Schema) => Type.Union([schema, Type.Null()]);
const time = Type.String({ pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]+Z$' });

/** An ended run for another home: its row, without the token and the executor. `data`, `params` and `result` are JSON texts. */
export const ExportedRunSchema = Type.Object({
  run_id: Type.String({ pattern: '^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$' }),
  script_id: text,
  script_name: text,
  script_version: nullable(text),
  origin: Type.Enum([...origins]),
  /** Absent in exports of older releases, like the other optional fields. */
  trigger_id: Type.Optional(nullable(text)),
  client: Type.Optional(nullable(text)),
  parent_run_id: nullable(text),
  depth: Type.Integer(),
  sync: Type.Integer(),
  attempt: Type.Optional(Type.Integer({ minimum: 1 })),
  first_run_id: Type.Optional(nullable(text)),
  state: Type.Enum([...runStates]),
  end_cause: Type.Enum([...endCauses]),
  exit_code: nullable(Type.Integer()),
  code: nullable(number),
  message: nullable(text),
  envelope: nullable(Type.Enum(['own', 'synthesized'])),
  queued_at: time,
  started_at: nullable(time),
  ended_at: time,
  duration_ms: nullable(number),
  stdout_bytes: nullable(number),
  stderr_bytes: nullable(number),
  stdout_head: nullable(number),
  stdout_tail: nullable(number),
  stderr_head: nullable(number),
  stderr_tail: nullable(number),
  truncated: nullable(number),
  left_running: nullable(number),
  data: text,
  params: text,
  result: nullable(text),
});
export type ExportedRun = Static<typeof ExportedRunSchema>;

export interface EndedRuns {
  readonly count: number;
  readonly slugs: readonly SlugEntry[];
  readonly agentChoices: readonly AgentChoice[];
  rows(): Iterable<Record<string, unknown>>;
  close(): void;
}

/** The slugs, the user's choices for agents and the ended runs of a database that a service may be using. The runs do not change any more, so each is read by itself. */
export function openEndedRuns(path: string): EndedRuns {
  if (!existsSync(path)) return { count: 0, slugs: [], agentChoices: [], rows: () => [], close: () => {} };
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    database.exec('PRAGMA busy_timeout = 5000');
    if (knownVersion(database, path) < migrations.length) throw notUpgraded(path);
    const totals = database
      .prepare('SELECT count(*) AS runs, max(seq) AS last FROM runs WHERE ended_at IS NOT NULL')
      .get();
    const next = database.prepare(
      `SELECT seq, ${columns} FROM runs WHERE seq > ? AND seq <= ? AND ended_at IS NOT NULL ORDER BY seq LIMIT 1`,
    );
    const last = Number(totals?.last ?? 0);
    return {
      count: Number(totals?.runs ?? 0),
      slugs: readSlugs(database),
      agentChoices: readAgentChoices(database),
      *rows() {
        for (let row = next.get(0, last); row !== undefined; row = next.get(Number(row.seq), last)) {
          // A series of attempts does not continue in another home.
          const { seq, executor, next_attempt_at: _due, retries: _plan, result, ...rest } = row;
          yield { ...rest, result: result instanceof Uint8Array ? Buffer.from(result).toString() : null };
        }
      },
      close: () => database.close(),
    };
  } catch (error) {
    database.close();
    throw error;
  }
}

export function countRuns(database: Database): number {
  return Number(database.prepare('SELECT count(*) AS runs FROM runs').get()?.runs);
}

/** Adds runs of another home, all of them or none. The history keeper of the service measures and indexes them later. */
export function addRuns(store: SqliteRunStore, runs: Iterable<ExportedRun>): void {
  const addAll = () => {
    for (const run of runs) {
      const result = run.result === null ? null : Buffer.from(run.result);
      const series = {
        trigger_id: run.trigger_id ?? null,
        client: run.client ?? null,
        attempt: run.attempt ?? 1,
        first_run_id: run.first_run_id ?? null,
        next_attempt_at: null,
        retries: null,
      };
      const record = toRecord({ ...run, ...series, result, executor: null });
      // No token has this hash.
      store.insert({ ...record, state: 'queued' }, `imported ${record.runId}`, { durable: false });
      store.finish(record.runId, record);
    }
  };
  store.atomically(addAll, { durable: true });
}

function notUpgraded(path: string): ExplainedError {
  return new ExplainedError({
    en: `${path} was written by an older Hob. Start this Hob once to upgrade it (hob start), then try again.`,
    zh: `${path} 由旧版本的 Hob 写入。请先启动一次当前的 Hob（hob start）完成升级，然后重试。`,
  });
}
