import type { FastifyInstance, FastifyRequest } from 'fastify';
import Value from 'typebox/value';

import { firingReasons } from '../contract/firings.ts';
import * as schemas from '../contract/triggers.ts';
import type { Firing, Trigger, TriggerSuggestion } from '../contract/types.ts';
import { AppError } from '../shared/errors.ts';
import { isJsonObject, type JsonObject } from '../shared/json.ts';
import type { Language } from '../shared/text.ts';
import type { TriggerEntry, TriggerProblem } from '../triggers/trigger.ts';
import type { StoredFiring } from '../triggers/trigger-store.ts';
import { requireSameUser } from './access/same-user.ts';
import type { AppDependencies } from './dependencies.ts';
import { checkQuery, fieldsAtFault, invalidCursor, QueryFields, refuseUnknown } from './fields.ts';
import { bodyOf, languageOf, success } from './request.ts';
import { route } from './route.ts';

const tag = 'Triggers';

const example = { script: 'resize-images', kind: 'schedule', cron: '30 2 * * *', timezone: 'Europe/Berlin' };

export function addTriggerRoutes(app: FastifyInstance, dependencies: AppDependencies): void {
  const { triggers, triggerStore, catalogue, slugs } = dependencies;
  route(app, 'GET /api/triggers', {
    operationId: 'listTriggers',
    tag,
    summary: 'List triggers',
    description: 'Lists the triggers of triggers.toml, and those that manifests suggest.',
    answer: schemas.TriggersAnswer,
    async handle(request) {
      await requireSameUser(request, dependencies);
      checkQuery(request.query);
      await slugs.update();
      const language = languageOf(request, 'en');
      const latest = triggerStore.latest(triggers.entries.map(({ id }) => id));
      const { fileProblem } = triggers;
      return {
        items: triggers.entries.map((entry) => triggerAnswer(entry, latest.get(entry.id) ?? null, language)),
        suggestions: suggestions(language),
        problems:
          fileProblem === null
            ? []
            : [
                {
                  file: triggers.path,
                  line: fileProblem.line,
                  message: fileProblem.message[language],
                  advice: fileProblem.advice[language],
                },
              ],
        file: triggers.path,
        next: null,
      };
    },
  });

  route(app, 'POST /api/triggers/check', {
    operationId: 'checkTrigger',
    tag,
    summary: 'Check a trigger',
    description: 'Returns what a trigger with these fields would do, and its mistakes, without storing it.',
    body: schemas.TriggerCheckBody,
    examples: { schedule: { summary: 'A schedule', body: example } },
    answer: schemas.TriggerChecked,
    async handle(request) {
      await requireSameUser(request, dependencies);
      const { fields } = bodyOf(request);
      refuseUnknown(fields, schemas.TriggerCheckBody);
      const { id, ...rest } = fields;
      const language = languageOf(request, 'en');
      await slugs.update();
      const { entry, status } = triggers.check(typeof id === 'string' ? id : 'new', rest);
      return {
        problems: [
          ...entry.problems,
          ...(entry.trigger?.valuesProblem ? [entry.trigger.valuesProblem] : []),
        ].map((problem) => problemAnswer(problem, language)),
        words: status?.words[language] ?? '',
        next: (status?.next ?? []).map((date) => date.toISOString()),
      };
    },
  });

  route(app, 'GET /api/triggers/:id', {
    operationId: 'getTrigger',
    tag,
    summary: 'Get a trigger',
    description: 'Returns a trigger with its next times, its problems and the last firing.',
    answer: schemas.TriggerAnswer,
    async handle(request) {
      await requireSameUser(request, dependencies);
      checkQuery(request.query);
      return answerOf(request, request.params.id);
    },
  });

  route(app, 'PUT /api/triggers/:id', {
    operationId: 'putTrigger',
    tag,
    summary: 'Create or replace a trigger',
    description: 'Stores the trigger in triggers.toml. The other entries and all comments stay as they are.',
    headers: schemas.TriggerHeaders,
    body: schemas.TriggerFields,
    examples: { schedule: { summary: 'Run a script every night', body: example } },
    answer: schemas.TriggerAnswer,
    async handle(request) {
      await requireSameUser(request, dependencies);
      const { fields } = bodyOf(request);
      refuseUnknown(fields, schemas.TriggerFields);
      await slugs.update();
      const mustBeNew = request.headers['if-none-match'] !== undefined;
      await triggers.put(request.params.id, fields, { mustBeNew });
      return answerOf(request, request.params.id);
    },
  });

  route(app, 'PATCH /api/triggers/:id', {
    operationId: 'changeTrigger',
    tag,
    summary: 'Change a trigger',
    description:
      'Changes the given fields and keeps the others. `enabled` false pauses a trigger, true resumes it; slots that passed while it was paused are not made up for.',
    body: schemas.TriggerChange,
    examples: { pause: { summary: 'Pause it', body: { enabled: false } } },
    answer: schemas.TriggerAnswer,
    async handle(request) {
      await requireSameUser(request, dependencies);
      const { fields } = bodyOf(request);
      refuseUnknown(fields, schemas.TriggerChange);
      await slugs.update();
      await triggers.change(request.params.id, fields);
      return answerOf(request, request.params.id);
    },
  });

  route(app, 'DELETE /api/triggers/:id', {
    operationId: 'removeTrigger',
    tag,
    summary: 'Remove a trigger',
    description: 'Removes the trigger and its records. Its runs stay in the history.',
    answer: schemas.TriggerRemoved,
    async handle(request) {
      await requireSameUser(request, dependencies);
      checkQuery(request.query);
      await triggers.remove(request.params.id);
      return success(request, { en: 'The trigger was removed', zh: '已删除触发器' }, {});
    },
  });

  route(app, 'POST /api/triggers/:id/fire', {
    operationId: 'fireTrigger',
    tag,
    summary: 'Fire a trigger now',
    description:
      'Starts a run as the trigger would, also while it is paused. `data` and `params` override its own. A folder trigger needs `data`.',
    body: schemas.FireBody,
    examples: { now: { summary: 'With its own data and params', body: {} } },
    answer: schemas.FiredAnswer,
    async handle(request, reply) {
      await requireSameUser(request, dependencies);
      const { fields } = bodyOf(request);
      refuseUnknown(fields, schemas.FireBody);
      if (!Value.Check(schemas.FireBody, fields)) throw invalidFire(fieldsAtFault(schemas.FireBody, fields));
      const { data, params } = fields;
      const runId = await triggers.fire(request.params.id, {
        data: data ?? undefined,
        params: isJsonObject(params) ? params : undefined,
      });
      reply.raw.setHeader('x-hob-run-id', runId);
      return success(request, { en: 'The run was accepted', zh: '运行请求已接收' }, { run_id: runId });
    },
  });

  route(app, 'GET /api/triggers/:id/slots', {
    operationId: 'listSlots',
    tag,
    summary: 'List the slots of a trigger',
    description:
      'Lists the past slots of a schedule, the arrivals in a folder, or the deliveries to a webhook, the newest first: fired with the run, or skipped or refused with the reason.',
    query: schemas.SlotsQuery,
    answer: schemas.SlotsAnswer,
    async handle(request) {
      await requireSameUser(request, dependencies);
      const fields = new QueryFields(request.query, schemas.SlotsQuery);
      const { id } = triggers.get(request.params.id);
      const given = fields.text('cursor');
      const before = given === null ? null : Number(given);
      if (before !== null && !Number.isSafeInteger(before)) throw invalidCursor();
      const page = triggerStore.page(id, { before, limit: fields.integer('limit') });
      const language = languageOf(request, 'en');
      return {
        items: page.firings.map((firing) => firingAnswer(firing, language)),
        next: page.next === null ? null : String(page.next),
      };
    },
  });

  function answerOf(request: FastifyRequest, id: string): Trigger {
    const last = triggerStore.latest([id]).get(id) ?? null;
    return triggerAnswer(triggers.get(id), last, languageOf(request, 'en'));
  }

  function triggerAnswer(entry: TriggerEntry, last: StoredFiring | null, language: Language): Trigger {
    const status = triggers.statusOf(entry);
    const isOn = triggers.stateOf(entry) === 'on';
    const problems = [...entry.problems, ...(isOn && status?.problem ? [status.problem] : [])];
    return {
      id: entry.id,
      kind: entry.kind,
      state: triggers.stateOf(entry),
      script: entry.script,
      script_id: entry.scriptId,
      script_name: entry.scriptName,
      from: entry.from,
      words: status?.words[language] ?? '',
      next: isOn ? (status?.next ?? []).map((date) => date.toISOString()) : [],
      address: status?.address ?? null,
      problems: problems.map((problem) => problemAnswer(problem, language)),
      last: last === null ? null : firingAnswer(last, language),
      line: entry.line,
      fields: entry.written,
      values: entry.values,
    };
  }

  function suggestions(language: Language): TriggerSuggestion[] {
    return catalogue.scripts().flatMap((script) =>
      script.triggers.suggestions.map(({ kind, name, values }) => {
        const fields: JsonObject = { script: script.id, kind, from: `package:${name}` };
        const made = triggers.entries.find(
          (entry) => entry.scriptId === script.id && entry.from === name && entry.kind === kind,
        );
        return {
          script_id: script.id,
          script_name: script.name,
          slug: slugs.of(script.id),
          kind,
          name,
          words: triggers.check('new', fields).status?.words[language] ?? '',
          values,
          trigger_id: made?.id ?? null,
        };
      }),
    );
  }
}

function problemAnswer({ field, message, advice }: TriggerProblem, language: Language) {
  return { field, message: message[language], advice: advice[language] };
}

function firingAnswer(firing: StoredFiring, language: Language): Firing {
  const { dueAt, recordedAt, outcome, reason, detail, runId } = firing;
  return {
    due_at: dueAt,
    recorded_at: recordedAt,
    outcome,
    reason,
    message: reason === null ? null : firingReasons[reason][language],
    detail,
    run_id: runId,
  };
}

function invalidFire(fields: readonly string[]): AppError {
  return new AppError(
    'field-invalid',
    {
      en: 'data must be an object or an array, and params an object.',
      zh: 'data 应为对象或数组，params 应为对象。',
    },
    { fields },
  );
}
