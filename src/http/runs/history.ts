import type { FastifyInstance } from 'fastify';

import * as schemas from '../../contract/history.ts';
import { endCauses, origins, runStates } from '../../contract/values.ts';

import {
  type Cursor,
  describeCounts,
  growTree,
  type RunQuery,
  type RunTree,
  type ScriptOutcomes,
  type Tally,
} from '../../runs/history/history-store.ts';
import { builderId } from '../../scripts/script.ts';

import { beginOfDay, lastDays } from '../../shared/clock.ts';
import type { JsonObject } from '../../shared/json.ts';
import type { Language } from '../../shared/text.ts';
import type { AppDependencies } from '../dependencies.ts';
import { checkQuery, invalidCursor, QueryFields } from '../fields.ts';
import { languageOf, whenAnswered } from '../request.ts';
import { route } from '../route.ts';
import { jsonContentType, toJson } from '../send-json.ts';
import { findRun, runAnswer } from './run-answer.ts';

/** A larger tree is truncated. Serializing or parsing a deeper one could overflow the stack, here and in clients. */
const treeBounds = { members: 5000, generations: 100 };

export function addHistoryRoutes(app: FastifyInstance, { history, runs, clock }: AppDependencies): void {
  route(app, 'GET /api/runs', {
    operationId: 'listRuns',
    tag: 'Runs',
    summary: 'List runs',
    description: 'Lists the stored runs that match, newest first, in pages.',
    query: schemas.RunsQuery,
    answer: schemas.RunsAnswer,
    async handle(request, reply) {
      // The search stops when the caller disconnects.
      const page = await history.page(readQuery(request.query), whenAnswered(request, reply));
      const items = page.runs.map((run) => toJson(runAnswer(run))).join(',');
      const next = page.next === null ? null : writeCursor(page.next);
      return reply.type(jsonContentType).send(`{"items":[${items}],"next":${JSON.stringify(next)}}`);
    },
  });

  route(app, 'GET /api/runs/:id/tree', {
    operationId: 'getRunTree',
    tag: 'Runs',
    summary: 'Get the chain of a run',
    description:
      'Returns the run, its ancestors and all their descendants, as a tree. The root is the oldest stored ancestor.',
    answer: schemas.TreeAnswer,
    async handle(request, reply) {
      checkQuery(request.query);
      const { runId } = findRun(runs, request, reply);
      const { members, isComplete } = history.family(runId, treeBounds);
      const tree = growTree(members);
      return { run_id: runId, runs: members.length, complete: isComplete, root: tree && treeAnswer(tree) };
    },
  });

  route(app, 'GET /api/stats', {
    operationId: 'getStats',
    tag: 'Runs',
    summary: 'Get statistics',
    description:
      'Counts outcomes and durations by script and by day in local time. Includes runs that are no longer stored.',
    query: schemas.StatsQuery,
    answer: schemas.StatsAnswer,
    async handle(request) {
      const query = new QueryFields(request.query, schemas.StatsQuery);
      const days = lastDays(query.integer('days'), clock.now());
      const [from = '', to = ''] = [days[0], days.at(-1)];
      const counts = await history.counts({ from, to, scriptId: query.uuid('script') });
      const { all, scripts, days: byDay } = describeCounts(counts, days);
      const totals = history.totals();
      return {
        from,
        to,
        time_zone: Intl.DateTimeFormat().resolvedOptions().timeZone,
        history: { runs: totals.runs, bytes: totals.bytes },
        running: runs.running,
        queued: runs.queued,
        all: tallyAnswer(all),
        scripts: scripts.map((each) => ({
          script_id: each.scriptId,
          script_name: countedName(each, languageOf(request, 'en')),
          ...tallyAnswer(each),
        })),
        days: byDay.map((each) => ({
          day: each.day,
          begins_at: beginOfDay(each.day).toISOString(),
          ...tallyAnswer(each),
        })),
      };
    },
  });

  route(app, 'GET /api/outcomes', {
    operationId: 'listOutcomes',
    tag: 'Runs',
    summary: 'List the latest outcomes of each script',
    description:
      'Lists the state, queue time and duration of the latest runs of all scripts, or of the given ones.',
    query: schemas.OutcomesQuery,
    answer: schemas.OutcomesAnswer,
    async handle(request) {
      const fields = new QueryFields(request.query, schemas.OutcomesQuery);
      const outcomes = await history.outcomes({
        scriptIds: fields.uuids('script'),
        runsEach: fields.integer('limit'),
      });
      return { items: outcomes.map((each) => outcomesAnswer(each, languageOf(request, 'en'))) };
    },
  });
}

function readQuery(query: unknown): RunQuery {
  const fields = new QueryFields(query, schemas.RunsQuery);
  const cursor = fields.text('cursor');
  return {
    scriptId: fields.uuid('script'),
    parentRunId: fields.uuid('parent'),
    triggerId: fields.text('trigger_id'),
    states: fields.words('state', runStates),
    endCauses: fields.words('end_cause', endCauses),
    origins: fields.words('origin', origins),
    since: fields.time('since'),
    until: fields.time('until'),
    text: fields.text('q'),
    after: cursor === null ? null : readCursor(cursor),
    limit: fields.integer('limit'),
  };
}

function treeAnswer({ run, children }: RunTree): JsonObject {
  return {
    run_id: run.runId,
    script_id: run.scriptId,
    script_name: run.scriptName,
    origin: run.origin,
    parent_run_id: run.parentRunId,
    depth: run.depth,
    state: run.state,
    end_cause: run.endCause,
    exit_code: run.exitCode,
    queued_at: run.queuedAt,
    started_at: run.startedAt,
    ended_at: run.endedAt,
    duration_ms: run.durationMs,
    children: children.map(treeAnswer),
  };
}

function tallyAnswer({ runs, succeeded, failed, unknown, endCauses: causes, durations }: Tally): JsonObject {
  return {
    runs,
    succeeded,
    failed,
    unknown,
    end_causes: { ...causes },
    duration_ms:
      durations === null
        ? null
        : { mean: durations.meanMs, median: durations.medianMs, p95: durations.p95Ms },
  };
}

function outcomesAnswer(outcomes: ScriptOutcomes, language: Language): JsonObject {
  return {
    script_id: outcomes.scriptId,
    script_name: countedName(outcomes, language),
    runs: outcomes.runs.map((run) => ({
      run_id: run.runId,
      state: run.state,
      end_cause: run.endCause,
      queued_at: run.queuedAt,
      duration_ms: run.durationMs,
    })),
  };
}

const environmentBuilds = { en: 'Environment builds', zh: '构建运行环境' };

/** The name of all runs of a script. Each build of an environment has the name of the script it is for, so their last name fits only one. */
function countedName(
  { scriptId, scriptName }: { scriptId: string; scriptName: string },
  language: Language,
): string {
  return scriptId === builderId ? environmentBuilds[language] : scriptName;
}

/** The end of a page, as an opaque text. */
function writeCursor({ queuedAt, seq }: Cursor): string {
  return Buffer.from(`${seq} ${queuedAt}`).toString('base64url');
}

function readCursor(text: string): Cursor {
  const match = /^(\d{1,15}) (\d{4}-\d{2}-\d{2}T[\d:.]{8,12}Z)$/.exec(
    Buffer.from(text, 'base64url').toString(),
  );
  const [, seq, queuedAt] = match ?? [];
  if (seq === undefined || queuedAt === undefined) throw invalidCursor();
  return { seq: Number(seq), queuedAt };
}
