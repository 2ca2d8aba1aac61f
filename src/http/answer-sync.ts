import type { FastifyReply } from 'fastify';

import type { RunOutcome, SubmittedRun } from '../runs/run-request.ts';
import { AppError } from '../shared/errors.ts';
import { jsonTextOf } from '../shared/json-text.ts';
import type { Language } from '../shared/text.ts';
import { internalError } from './error-answers.ts';
import { endJson, type JsonFields, jsonContentType, sendJson } from './send-json.ts';

/**
 * Answers a call that waits for its script. Clients give up on silence, and a script may take hours: once it has started, the
 * status can only be 200, so after a while the header is sent, and then a space now and again, which JSON allows before
 * its first brace.
 */
export async function answerSync(
  reply: FastifyReply,
  run: SubmittedRun,
  { heartbeatMs, language }: { heartbeatMs: number; language: Language },
): Promise<FastifyReply> {
  const { raw } = reply;
  reply.request.isLasting = true;
  raw.setHeader('x-hob-run-id', run.runId);
  const outcome = await Promise.race([run.outcome, patienceEnds(run, heartbeatMs)]);
  if (outcome !== null) return sendJson(reply, executionAnswer(outcome));

  reply.hijack();
  raw.writeHead(200, { 'content-type': jsonContentType });
  raw.write(' ');
  const beat = setInterval(() => raw.write(' '), heartbeatMs);
  // A caller that hangs up does not end the run; there is just nobody left to tell.
  raw.once('close', () => clearInterval(beat));
  const late = await run.outcome.catch((error: unknown) => {
    // The run goes on without this service, so there is no outcome to make up: the caller is to come back.
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

/** Resolves when the script has started and its caller has waited long enough; the run's own end makes it irrelevant. */
function patienceEnds(run: SubmittedRun, heartbeatMs: number): Promise<null> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => void run.started.then(() => resolve(null)), heartbeatMs);
    const end = () => clearTimeout(timer);
    run.outcome.then(end, end);
  });
}

/** The status is out already, so a refusal takes the form of a run that could not be carried out. */
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
