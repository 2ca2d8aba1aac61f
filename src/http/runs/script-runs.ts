import type { FastifyInstance, FastifyReply } from 'fastify';
import { ExecuteHeaders, longestWaitS, ScriptRunBody, StartedRunAnswer } from '../../contract/runs.ts';
import type { Retries } from '../../contract/values.ts';
import { readRetries } from '../../scripts/retries.ts';
import type { Script } from '../../scripts/script.ts';
import { AppError } from '../../shared/errors.ts';
import type { Json } from '../../shared/json.ts';
import type { AppDependencies } from '../dependencies.ts';
import { invalidField, refuseUnknown } from '../fields.ts';
import { bodyOf, languageOf, whenAnsweredOr } from '../request.ts';
import { route } from '../route.ts';
import { resolveScript } from '../scripts.ts';
import { answerWhenReady, startRun } from './execute.ts';
import { runAnswer } from './run-answer.ts';
import { waitForEnd } from './runs.ts';

export function addScriptRunRoute(app: FastifyInstance, dependencies: AppDependencies): void {
  const { catalogue, slugs, runs, runEnds, heartbeatMs, closing } = dependencies;
  route(app, 'POST /api/scripts/:id/runs', {
    operationId: 'startRun',
    tag: 'Run scripts',
    summary: 'Start a run of a script',
    description:
      'Starts a run by the id or slug of the script and returns its record. With `wait_s`, the response waits for the end of the run and of its further attempts, for at most that many seconds. A run continues when its caller disconnects.',
    headers: ExecuteHeaders,
    body: ScriptRunBody,
    examples: {
      wait: {
        summary: 'Start a run and wait up to a minute for its end',
        body: { data: { images: ['/home/ada/pictures/cat.png'] }, params: { quality: 85 }, wait_s: 60 },
      },
    },
    status: 201,
    answer: StartedRunAnswer,
    async handle(request, reply) {
      if (request.caller !== null) throw notForRuns();
      const given = request.params.id;
      const { fields, ...rest } = bodyOf(request);
      refuseUnknown(fields, ScriptRunBody);
      // A repeated request may wait longer or shorter than the first one.
      const { wait_s, ...inputs } = fields;
      const waitMs = readWaitS(wait_s ?? 0) * 1000;
      const scriptId = (await slugs.find(given)) ?? given;
      const { runId } = await startRun(dependencies, request, reply, {
        scriptId,
        resolve: () => resolveScript(catalogue, scriptId, given),
        body: { ...rest, fields: inputs },
        sync: false,
        readRetries: (script) => readRequestRetries(inputs.retries, script),
        language: languageOf(request, 'en'),
      });
      nameRun(reply, runId);
      const signal = whenAnsweredOr(closing, request, reply);
      const ended =
        waitMs === 0 ? Promise.resolve() : waitForEnd(runId, { runEnds, waitMs, signal, isSeries: true });
      return answerWhenReady(reply, {
        status: 201,
        certain: Promise.resolve(),
        answer: ended.then(() => {
          const last = waitMs === 0 ? runId : runs.lastAttempt(runId).runId;
          nameRun(reply, last);
          return runAnswer(runs.get(last));
        }),
        // The run was deleted just after its end.
        late: () => null,
        heartbeatMs,
      });
    },
  });
}

/** The answer names the run whose record it has. After the first heartbeat the headers are sent and name the first attempt. */
function nameRun({ raw }: FastifyReply, runId: string): void {
  if (raw.headersSent) return;
  raw.setHeader('x-hob-run-id', runId);
  raw.setHeader('location', `/api/runs/${runId}`);
}

/** Undefined if the request has none: the retries of the manifest then apply. */
function readRequestRetries(given: Json | undefined, { runtime }: Script): Retries | null | undefined {
  if (given === undefined || given === null) return undefined;
  const reading = readRetries(given);
  if (reading.kind === 'invalid')
    throw new AppError('field-invalid', { ...reading.message, fields: [reading.field] });
  if (runtime.lock !== null && reading.retries?.on.includes('lost') === true)
    throw invalidField(
      'retries.on',
      'without "lost", because the script has a lock',
      '不含 "lost" 的列表，因为脚本设置了 lock',
    );
  return reading.retries;
}

function readWaitS(wait: Json): number {
  if (typeof wait === 'number' && wait >= 0 && wait <= longestWaitS) return wait;
  throw invalidField(
    'wait_s',
    `a number of seconds from 0 to ${longestWaitS}`,
    ` 0 到 ${longestWaitS} 之间的秒数`,
  );
}

/** For operations that start runs for others than scripts. */
export function notForRuns(): AppError {
  return new AppError('not-for-runs', {
    en: 'A run token cannot call this operation.',
    zh: '运行令牌不能调用此操作。',
    hint: {
      en: 'A running script starts others with POST /api/execute or POST /api/link.',
      zh: '运行中的脚本请用 POST /api/execute 或 POST /api/link 启动其他脚本。',
    },
  });
}
