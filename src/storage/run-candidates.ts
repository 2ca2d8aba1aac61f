import type { Cursor, RunQuery } from '../runs/history/history-store.ts';
import type { Database } from './database.ts';

interface Numbered {
  readonly seq: number;
}

class Source<Item extends Numbered> {
  readonly #slices: Iterator<readonly Item[]>;
  #slice: readonly Item[] = [];
  #at = 0;
  isOver = false;

  constructor(slices: Iterator<readonly Item[]>) {
    this.#slices = slices;
  }

  get isEmpty(): boolean {
    return this.#at >= this.#slice.length;
  }

  get seq(): number {
    return this.#slice[this.#at]?.seq ?? Number.NEGATIVE_INFINITY;
  }

  /** False if there are no more slices. */
  advance(): boolean {
    const { value, done } = this.#slices.next();
    this.isOver = done === true;
    this.#slice = this.isOver ? [] : value;
    this.#at = 0;
    return !this.isOver;
  }

  take(): readonly Item[] {
    const taken = this.#slice.slice(this.#at, this.#at + 1);
    this.#at++;
    return taken;
  }
}

/** A run that matches the query. */
export interface Candidate {
  readonly seq: number;
  readonly queuedAt: string;
}

/** Number of runs examined at once: few at first, because they may suffice; at most as many as take a few milliseconds. */
const firstSliceRows = 200;
const largestSliceRows = 2500;
/** A text found in more runs than this is common. */
const rareMatches = 1000;
/** The runs that a filter leaves are counted up to this number, to find the most selective filter. */
const countedRows = 5000;
/** The search index splits texts into groups of three characters. */
const shortestIndexed = 3;

type Bound = string | number;

interface Condition {
  readonly sql: string;
  readonly values: readonly Bound[];
  /** Whether an index lists the matching runs in order of time. */
  readonly isIndexed: boolean;
}

/** Finds the runs that match a query, in small steps that do not block other work, for any number of runs. */
export class Candidates {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
    database.function('folded', { deterministic: true }, folded);
  }

  /** The matching runs, newest first, in slices of any size, including empty ones. */
  slices(query: RunQuery): Generator<readonly Candidate[]> {
    const { text } = query;
    const conditions = conditionsOf(query);
    const driver = this.#fewest(conditions.filter(({ isIndexed }) => isIndexed));
    const isSearchable = text !== null && [...text].length >= shortestIndexed;
    if (isSearchable) {
      const found = this.#rare(matching(text));
      if (found !== null) return this.#search(query, text, found);
      const isUnfiltered = conditions.length === 0 && spanOf(query).length === 0;
      if (isUnfiltered) return this.#search(query, text, matching(text));
    }
    // Runs with a common text are found quickly by scanning the runs that another filter leaves. A span of time is such
    // a filter.
    const others = conditions.filter((condition) => condition !== driver);
    return this.#walk(query, driver, text === null ? others : [...others, containing(text)]);
  }

  /**
   * Scans the index of one filter, and checks the other conditions on a limited number of rows at a time. A single
   * statement would run until it has found enough matches.
   */
  *#walk(
    query: RunQuery,
    driver: Condition | null,
    others: readonly Condition[],
  ): Generator<readonly Candidate[]> {
    const order = 'ORDER BY queued_at DESC, seq DESC';
    const driving = driver === null ? [] : [driver];
    const sliceRows = others.length === 0 ? query.limit + 1 : firstSliceRows;
    let { after } = query;
    for (let rows = sliceRows; ; rows = grown(rows)) {
      const upper = upperOf(query, after);
      const rest = joined([...driving, ...lowerOf(query, null), ...upper]);
      const end = this.#database
        .prepare(`SELECT seq, queued_at FROM runs WHERE ${rest.sql} ${order} LIMIT 1 OFFSET ${rows - 1}`)
        .get(...rest.values);
      const last = end === undefined ? null : toCandidate(end);
      const slice = joined([...driving, ...lowerOf(query, last), ...upper, ...others]);
      yield this.#database
        .prepare(`SELECT seq, queued_at FROM runs WHERE ${slice.sql} ${order}`)
        .all(...slice.values)
        .map(toCandidate);
      if (last === null) return;
      after = last;
    }
  }

  /** Searches the text index, and scans the few runs that are not in it yet. */
  #search(query: RunQuery, text: string, indexed: Condition): Generator<readonly Candidate[]> {
    const fitting = [...conditionsOf(query), ...spanOf(query)];
    return mergeDescending(
      this.#descending(query, indexed, fitting),
      this.#descending(query, untended, [...fitting, containing(text)]),
    );
  }

  *#descending(
    query: RunQuery,
    source: Condition,
    fitting: readonly Condition[],
  ): Generator<readonly Candidate[]> {
    const { sql, values } = joined(fitting);
    let before = query.after?.seq ?? Number.MAX_SAFE_INTEGER;
    for (let rows = fitting.length === 0 ? query.limit + 1 : firstSliceRows; ; rows = grown(rows)) {
      const looked = this.#database
        .prepare(
          `SELECT runs.seq, queued_at, ${sql} AS fits
             FROM (${source.sql} AND seq < ? ORDER BY seq DESC LIMIT ${rows}) AS found CROSS JOIN runs USING (seq)`,
        )
        .all(...values, ...source.values, before);
      yield looked.filter((row) => row.fits === 1).map(toCandidate);
      const last = looked.at(-1);
      if (looked.length < rows || last === undefined) return;
      before = Number(last.seq);
    }
  }

  /**
   * Returns all runs with a text if there are few; otherwise null. The text index finds a rare text several times
   * faster in ascending order than in descending order, because it cannot skip in the latter.
   */
  #rare({ sql, values }: Condition): Condition | null {
    const rows = this.#database.prepare(`${sql} ORDER BY seq LIMIT ${rareMatches}`).all(...values);
    if (rows.length === rareMatches) return null;
    const found = JSON.stringify(rows.map((row) => row.seq));
    return plain('SELECT value AS seq FROM json_each(?) WHERE TRUE', found);
  }

  #fewest(conditions: readonly Condition[]): Condition | null {
    if (conditions.length <= 1) return conditions[0] ?? null;
    const counted = conditions.map((condition) => ({
      condition,
      rows: this.#count(plain(`SELECT 1 FROM runs WHERE ${condition.sql}`, ...condition.values)),
    }));
    return counted.sort((a, b) => a.rows - b.rows)[0]?.condition ?? null;
  }

  #count({ sql, values }: Condition): number {
    const row = this.#database
      .prepare(`SELECT count(*) AS rows FROM (${sql} LIMIT ${countedRows})`)
      .get(...values);
    return Number(row?.rows ?? 0);
  }
}

function conditionsOf(query: RunQuery): Condition[] {
  const oneOf = (column: string, words: readonly string[] | null): Condition[] =>
    words === null ? [] : [anyOf(column, words)];
  const script = oneOf('script_id', query.scriptId === null ? null : [query.scriptId]);
  const state = stateOf(query);
  return [
    // This pair has an index of its own, because failures of a script are a common query.
    ...(state?.isIndexed && script.length === 1
      ? [{ ...joined([...script, state]), isIndexed: true }]
      : [...script, ...(state === null ? [] : [state])]),
    ...oneOf('parent_run_id', query.parentRunId === null ? null : [query.parentRunId]),
    ...oneOf('trigger_id', query.triggerId === null ? null : [query.triggerId]),
    ...unusual('end_cause', query.endCauses, 'exit'),
    ...unusual('origin', query.origins, 'execute'),
  ];
}

/** The indexes of states cover only failed and unfinished runs, so the query must repeat the condition of the index. */
function stateOf({ states }: RunQuery): Condition | null {
  if (states === null) return null;
  const any = anyOf('state', states);
  const [state] = states;
  if (state === undefined || states.length > 1 || state === 'succeeded') return { ...any, isIndexed: false };
  const isOver = state !== 'queued' && state !== 'running';
  const part = isOver ? "ended_at IS NOT NULL AND state <> 'succeeded'" : 'ended_at IS NULL';
  return { ...any, sql: `(${any.sql} AND ${part})` };
}

/** The index omits the most common value. */
function unusual(column: string, words: readonly string[] | null, rule: string): Condition[] {
  if (words === null) return [];
  const any = anyOf(column, words);
  if (!any.isIndexed || words[0] === rule) return [{ ...any, isIndexed: false }];
  return [{ ...any, sql: `(${any.sql} AND ${column} <> '${rule}')` }];
}

/** Only a single value keeps the rows of an index in order of time. */
function anyOf(column: string, words: readonly string[]): Condition {
  const sql = `(${words.map(() => `${column} = ?`).join(' OR ')})`;
  return { sql, values: words, isIndexed: words.length === 1 };
}

function spanOf(query: RunQuery): Condition[] {
  return [...lowerOf(query, null), ...upperOf(query, null)];
}

/** Uses one bound at each end, the tighter one: with two, SQLite might search the index by the other. */
function lowerOf({ since }: RunQuery, last: Cursor | null): Condition[] {
  if (last !== null) return [plain('(queued_at, seq) >= (?, ?)', last.queuedAt, last.seq)];
  return since === null ? [] : [plain('queued_at >= ?', since)];
}

function upperOf({ until }: RunQuery, after: Cursor | null): Condition[] {
  if (after !== null && (until === null || after.queuedAt < until))
    return [plain('(queued_at, seq) < (?, ?)', after.queuedAt, after.seq)];
  return until === null ? [] : [plain('queued_at < ?', until)];
}

function containing(text: string): Condition {
  // LIKE ignores case only for a to z. Folding the case of all texts is slower, so it is used only when necessary.
  if (hasOtherCase(text)) {
    const sought = folded(text);
    return plain(
      "(instr(folded(script_name), ?) > 0 OR instr(folded(coalesce(message, '')), ?) > 0)",
      sought,
      sought,
    );
  }
  const pattern = `%${text.replace(/[%_\\]/g, '\\$&')}%`;
  return plain("(script_name LIKE ? ESCAPE '\\' OR message LIKE ? ESCAPE '\\')", pattern, pattern);
}

function hasOtherCase(text: string): boolean {
  return [...text].some((letter) => letter > '\x7f' && letter.toLowerCase() !== letter.toUpperCase());
}

function folded(text: unknown): string {
  return String(text).toLowerCase();
}

/** Ended runs that are not in the text index, and runs that have not ended. */
const untended = plain(
  `SELECT seq FROM (SELECT seq FROM runs WHERE tended = 0 AND ended_at IS NOT NULL
     UNION ALL SELECT seq FROM runs WHERE ended_at IS NULL) WHERE TRUE`,
);

function matching(text: string): Condition {
  return plain(
    'SELECT rowid AS seq FROM run_texts WHERE run_texts MATCH ?',
    `"${text.replaceAll('"', '""')}"`,
  );
}

function plain(sql: string, ...values: Bound[]): Condition {
  return { sql, values, isIndexed: false };
}

function joined(conditions: readonly Condition[]): Condition {
  const sql = conditions.map((condition) => condition.sql).join(' AND ');
  return plain(sql === '' ? 'TRUE' : sql, ...conditions.flatMap(({ values }) => values));
}

function grown(rows: number): number {
  return Math.min(4 * rows, largestSliceRows);
}

function toCandidate(row: Record<string, unknown>): Candidate {
  return { seq: Number(row.seq), queuedAt: String(row.queued_at) };
}

/** Merges descending sequences, each given in slices, into one. Yields slices, which may be empty. */
function* mergeDescending<Item extends Numbered>(
  ...sequences: readonly Iterator<readonly Item[]>[]
): Generator<readonly Item[]> {
  const sources = sequences.map((slices) => new Source(slices));
  for (;;) {
    for (const source of sources) {
      // Yields after each slice, because reading a slice may take a while.
      while (source.isEmpty && source.advance()) yield [];
    }
    const batch: Item[] = [];
    for (let next = largest(sources); next !== undefined; next = largest(sources)) {
      batch.push(...next.take());
      if (next.isEmpty && !next.isOver) break;
    }
    if (batch.length === 0) return;
    yield batch;
  }
}

function largest<Item extends Numbered>(sources: readonly Source<Item>[]): Source<Item> | undefined {
  const [first] = sources.filter((source) => !source.isEmpty).sort((a, b) => b.seq - a.seq);
  return first;
}
