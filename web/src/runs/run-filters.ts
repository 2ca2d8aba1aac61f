import {
  type BriefRun,
  type EndCause,
  endCauses,
  type Origin,
  origins,
  type RunState,
  runStates,
} from '../api/wire.ts';

/** The filters of the runs page. They are part of the URL, so that they can be shared and restored. */
export interface RunFilters {
  readonly text: string;
  readonly scriptId: string | null;
  readonly triggerId: string | null;
  readonly states: readonly RunState[];
  readonly ends: readonly EndCause[];
  readonly origins: readonly Origin[];
  readonly span: Span;
}

/** Days such as 2026-05-01 are in the time zone of the browser, both ends included. Days of another time zone are given as timestamps. */
export type Span =
  | { readonly kind: 'any' }
  | { readonly kind: 'last'; readonly days: number }
  | { readonly kind: 'between'; readonly from: string | null; readonly to: string | null }
  | { readonly kind: 'moments'; readonly since: string | null; readonly until: string | null };

/** The origins, with that of most runs in the console first. */
export const orderedOrigins: readonly Origin[] = [
  'console',
  ...origins.filter((origin) => origin !== 'console'),
];

const idPattern = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const triggerPattern = /^[a-z0-9-]{1,64}$/;
const dayPattern = /^\d{4}-\d{2}-\d{2}$/;
const momentPattern = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;
const longestDays = 400;

/** Reads the filters from a URL. Invalid values are ignored. */
export function readFilters(address: URLSearchParams): RunFilters {
  const script = address.get('script')?.toLowerCase() ?? '';
  const trigger = address.get('trigger') ?? '';
  return {
    text: address.get('q') ?? '',
    scriptId: idPattern.test(script) ? script : null,
    triggerId: triggerPattern.test(trigger) ? trigger : null,
    states: wordsIn(address.get('state'), runStates),
    ends: wordsIn(address.get('end'), endCauses),
    origins: wordsIn(address.get('origin'), orderedOrigins),
    span: readSpan(address),
  };
}

export function writeFilters({ text, scriptId, triggerId, states, ends, origins, span }: RunFilters): string {
  return searchOf({
    q: text,
    script: scriptId,
    trigger: triggerId,
    state: states.join(','),
    end: ends.join(','),
    origin: origins.join(','),
    days: span.kind === 'last' ? String(span.days) : null,
    from: span.kind === 'between' ? span.from : null,
    to: span.kind === 'between' ? span.to : null,
    since: span.kind === 'moments' ? span.since : null,
    until: span.kind === 'moments' ? span.until : null,
  });
}

export function isFiltered(filters: RunFilters): boolean {
  return writeFilters(filters) !== '';
}

/** The filters as query parameters of the API. */
export function queryOf(filters: RunFilters, now: Date): string {
  const { since, until } = boundsOf(filters.span, now);
  return searchOf({
    q: filters.text,
    script: filters.scriptId,
    trigger_id: filters.triggerId,
    state: filters.states.join(','),
    end_cause: filters.ends.join(','),
    origin: filters.origins.join(','),
    since,
    until,
  });
}

/** Whether a run from an event matches the filters, by the same rules as the service. */
export function fits(
  run: BriefRun,
  { text, scriptId, triggerId, states, ends, origins, span }: RunFilters,
  now: Date,
): boolean {
  const { since, until } = boundsOf(span, now);
  const sought = text.toLowerCase();
  return (
    (scriptId === null || run.script_id === scriptId) &&
    (triggerId === null || run.trigger_id === triggerId) &&
    (states.length === 0 || states.includes(run.state)) &&
    (ends.length === 0 || (run.end_cause !== null && ends.includes(run.end_cause))) &&
    (origins.length === 0 || origins.includes(run.origin)) &&
    (since === null || run.queued_at >= since) &&
    (until === null || run.queued_at < until) &&
    `${run.script_name}\n${run.result?.msg ?? ''}`.toLowerCase().includes(sought)
  );
}

/** The timestamps at which a span begins and ends. Days begin at midnight in the time zone of the browser. */
function boundsOf(span: Span, now: Date): { since: string | null; until: string | null } {
  switch (span.kind) {
    case 'any':
      return { since: null, until: null };
    case 'last':
      return { since: midnight(now, 1 - span.days), until: null };
    case 'between':
      return {
        since: span.from === null ? null : midnight(dayOf(span.from), 0),
        until: span.to === null ? null : midnight(dayOf(span.to), 1),
      };
    case 'moments':
      return { since: span.since, until: span.until };
  }
}

function midnight(date: Date, days: number): string {
  return new Date(date.getFullYear(), date.getMonth(), date.getDate() + days).toISOString();
}

/** Noon avoids the clock changes at night. */
function dayOf(text: string): Date {
  return new Date(`${text}T12:00:00`);
}

function readSpan(address: URLSearchParams): Span {
  const days = Number(address.get('days') ?? 0);
  if (Number.isInteger(days) && days > 0 && days <= longestDays) return { kind: 'last', days };
  const [from, to] = [readDay(address.get('from')), readDay(address.get('to'))];
  if (from !== null || to !== null) return { kind: 'between', from, to };
  const [since, until] = [readMoment(address.get('since')), readMoment(address.get('until'))];
  return since === null && until === null ? { kind: 'any' } : { kind: 'moments', since, until };
}

function readDay(text: string | null): string | null {
  if (text === null || !dayPattern.test(text)) return null;
  return Number.isNaN(dayOf(text).getTime()) ? null : text;
}

/** Accepts only the format of the service, because timestamps are compared as texts. */
function readMoment(text: string | null): string | null {
  return text !== null && momentPattern.test(text) && !Number.isNaN(Date.parse(text)) ? text : null;
}

function wordsIn<Word extends string>(text: string | null, known: readonly Word[]): Word[] {
  const words = text?.split(',') ?? [];
  return known.filter((word) => words.includes(word));
}

function searchOf(fields: Readonly<Record<string, string | null>>): string {
  const given = Object.entries(fields).flatMap(([name, value]) =>
    value === null || value === '' ? [] : [[name, value]],
  );
  return new URLSearchParams(given).toString();
}
