import type { FastifyReply } from 'fastify';

import type { RunOutcome, SubmittedRun } from '../runs/run-request.ts';
import { AppError } from '../shared/errors.ts';
import { jsonTextOf } from '../shared/json-text.ts';
import type { Language } from '../shared/text.ts';
import { internalError } from './error-answers.ts';
import { endJson, type JsonFields, jsonContentType, sendJson } from './send-json.ts';

/**
 * Answers a synchronous call. A script may take hours, and clients give up on a silent connection. Once the script has
 * started, the status can only be 200. So after `heartbeatMs` the header is sent, and then one space per heartbeat: JSON
 * allows white space before its first brace.
 */
export async function answerSync(
  reply: FastifyReply,
  run: SubmittedRun,
  { heartbeatMs, language }: { heartbeatMs: number; language: Language },
): Promise<FastifyReply> {
  const { raw } = reply;
  reply.request.isLasting = true;
  raw.setHeader('x-hob-run-id', run.runId);
  const outcome = await Promise.race([run.outcome, heartbeatDue(run, heartbeatMs)]);
  if (outcome !== null) return sendJson(reply, executionAnswer(outcome));

  reply.hijack();
  raw.writeHead(200, { 'content-type': jsonContentType });
  raw.write(' ');
  const beat = setInterval(() => raw.write(' '), heartbeatMs);
  // The run continues when its caller disconnects.
  raw.once('close', () => clearInterval(beat));
  const late = await run.outcome.catch((error: unknown) => {
    // The run continues in the executor and has no outcome yet. A broken connection tells the caller to ask again later.
    if (error instanceof AppError && error.code === 'service-stopping') return null;
    return failedOutcome(error, language);
  });
  clearInterval(beat);
  if (late === null) {
    raw.destroy();
    return reply;
  }
  endJson(raw, executionAnswer(late));
  return reply;
}

/** Resolves once the script has started and `heartbeatMs` have passed. Never resolves if the run ends first. */
function heartbeatDue(run: SubmittedRun, heartbeatMs: number): Promise<null> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => void run.started.then(() => resolve(null)), heartbeatMs);
    const end = () => clearTimeout(timer);
    run.outcome.then(end, end);
  });
}

/** The status 200 is already sent, so an error is reported as the outcome of a run that could not be started. */
function failedOutcome(error: unknown, language: Language): RunOutcome {
  const msg = (error instanceof AppError ? error : internalError(error)).text[language];
  return {
    exitCode: -1,
    success: false,
    timedOut: false,
    message: jsonTextOf(msg),
    stdout: jsonTextOf(''),
    stderr: jsonTextOf(''),
    result: jsonTextOf({ code: -1, msg }),
  };
}

function executionAnswer(outcome: RunOutcome): JsonFields {
  return {
    status: outcome.success ? 'success' : 'error',
    message: outcome.message,
    exit_code: outcome.exitCode,
    success: outcome.success,
    timed_out: outcome.timedOut,
    stdout: outcome.stdout,
    stderr: outcome.stderr,
    result: outcome.result,
  };
}
