import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import Type, { type Static } from 'typebox';
import Value from 'typebox/value';

import * as schemas from '../../contract/runs.ts';
import type { Origin } from '../../contract/values.ts';
import type { Connection } from '../../runs/callers/trace-caller.ts';
import { readData, readParams, readTempFile } from '../../runs/inputs.ts';
import type { KeyUse } from '../../runs/keys/key-store.ts';
import { fingerprint } from '../../runs/keys/keyed-runs.ts';
import { depthOfExecute, depthOfLink } from '../../runs/run.ts';
import type { RunOutcome, SubmittedRun } from '../../runs/run-request.ts';
import { AppError } from '../../shared/errors.ts';
import { findJsonHazard, type Json, jsonTextOf } from '../../shared/json.ts';
import { whereNotJson } from '../../shared/scan-json.ts';
import { fixedText, type Language } from '../../shared/text.ts';
import type { AppDependencies } from '../dependencies.ts';
import { internalError } from '../error-answers.ts';
import { type Body, bodyOf, languageOf, whenAnswered, whenAnsweredOr } from '../request.ts';
import { route } from '../route.ts';
import { type Encoded, endJson, jsonContentType, sendJson } from '../send-json.ts';

export function addExecuteRoute(
  app: FastifyInstance,
  { catalogue, runs, keyedRuns, heartbeatMs, closing }: AppDependencies,
): void {
  route(app, 'POST /api/execute', {
    summary: 'Run a script',
    description: 'Runs any script by its id. With `sync` true, the response waits for the end of the run.',
    consumes: ['application/json', 'application/x-www-form-urlencoded'],
    headers: schemas.ExecuteHeaders,
    body: {
      content: {
        'application/json': { schema: schemas.ExecuteBody },
        'application/x-www-form-urlencoded': { schema: schemas.ExecuteForm },
      },
    },
    answer: Type.Union([schemas.ExecutionAnswer, schemas.AcceptedAnswer], {
      description: 'The outcome of the run, or the confirmation that it was accepted.',
    }),
    error: schemas.ExecutionError,
    async handle(request, reply) {
      const body = bodyOf(request);
      const language = languageOf(request, 'zh');
      const scriptId = readScriptId(body);
      const sync = readSync(body);
      // Few requests have a key, and the list of distinct headers is built on access.
      const key = 'idempotency-key' in request.headers ? readIdempotencyKey(request.raw) : null;
      const submit = async (use?: KeyUse) => {
        const script = await catalogue.resolve(scriptId);
        const tempFile = readTempFilePath(body);
        const sent = tempFile === null ? null : await readTempFile(tempFile);
        return runs.submit({
          script,
          origin: originOf(request),
          caller: request.caller,
          depth: depthOfExecute(request.caller),
          sync,
          data: readData(script, sent === null ? readStructured(body, 'data') : sent.data),
          params: readParams(script, sent === null ? readStructured(body, 'params') : sent.params),
          language,
          ...(use !== undefined && { key: use }),
        });
      };
      if (key === null) return answer(await submit());

      // The key is checked before the script, so a repeated request gets its run even if the script was changed or removed.
      const use = fingerprint({ key, scriptId, ...body });
      const keyed = await keyedRuns.once(use, () => submit(use));
      if (keyed.isRepeat) reply.raw.setHeader('idempotency-replayed', 'true');
      return answer(sync ? keyed.follow(request.caller, whenAnsweredOr(closing, request, reply)) : keyed);

      function answer(run: { runId: string } | SubmittedRun): FastifyReply | Promise<FastifyReply> {
        if ('outcome' in run && sync) return answerSync(reply, run, { heartbeatMs, language });
        reply.raw.setHeader('x-hob-run-id', run.runId);
        return reply.send({ status: 'success', message: '脚本执行请求已接收', run_id: run.runId });
      }
    },
  });
}

export function addLinkRoute(
  app: FastifyInstance,
  { catalogue, runs, bareCallers, heartbeatMs }: AppDependencies,
): void {
  route(app, 'POST /api/link', {
    summary: 'Run a node from a running script',
    description: 'Called by a running script. Waits for the end of the node and returns its envelope.',
    body: schemas.LinkBody,
    answer: schemas.ExecutionAnswer,
    error: schemas.ExecutionError,
    async handle(request, reply) {
      const body = bodyOf(request);
      const language = languageOf(request, 'zh');
      const script = await catalogue.resolve(readScriptId(body));
      if (!script.isNode) throw notANode(script.name);
      const caller =
        request.caller ?? (await bareCallers.identify(connectionOf(request), whenAnswered(request, reply)));
      const run = await runs.submit({
        script,
        origin: 'link',
        caller,
        depth: depthOfLink(caller),
        sync: true,
        data: readData(script, readStructured(body, 'data')),
        params: readParams(script, readStructured(body, 'params')),
        language,
      });
      return answerSync(reply, run, { heartbeatMs, language });
    },
  });
}

/** Fields of execute and link. Each has its own reader, because the interface fixes the order of the checks. */
export function readScriptId({ fields }: Body): string {
  const id = fields.script_id;
  if (id === undefined || id === null || id === '') {
    throw new AppError('script-id-missing', fixedText('缺少script_id参数'));
  }
  if (typeof id !== 'string') throw invalid('script_id', 'a string', '字符串');
  return id;
}

const formBooleans = new Map([
  ...['true', '1', 'yes', 'on'].map((word) => [word, true] as const),
  ...['false', '0', 'no', 'off', ''].map((word) => [word, false] as const),
]);

export function readSync({ kind, fields }: Body): boolean {
  const given = fields.sync ?? false;
  const sync = kind === 'form' ? formBooleans.get(String(given).trim().toLowerCase()) : given;
  if (typeof sync !== 'boolean') throw invalid('sync', 'true or false', 'true 或 false');
  return sync;
}

/** The path of the legacy argument file, or null. */
export function readTempFilePath({ fields }: Body): string | null {
  const path = fields.temp_file ?? '';
  if (typeof path !== 'string') throw invalid('temp_file', 'an absolute path', '绝对路径');
  return path === '' ? null : path;
}

/** `data` or `params`: a JSON value, or JSON text in a form. Null counts as absent. */
export function readStructured({ kind, fields }: Body, field: 'data' | 'params'): Json | undefined {
  const value = fields[field] ?? undefined;
  if (kind === 'json' || value === undefined) return value;
  if (value === '') return undefined;
  const parsed = parseText(String(value));
  if (parsed === undefined || findJsonHazard(parsed) !== undefined) {
    const code = field === 'data' ? 'data-invalid' : 'params-invalid';
    const where = whereNotJson(String(value));
    throw new AppError(code, {
      en: `${field} is not valid JSON${where.en}`,
      zh: `${field} 不是有效的 JSON 文本${where.zh}`,
    });
  }
  return parsed ?? undefined;
}

function parseText(text: string): Json | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The console and the command line identify themselves with a header. */
export function originOf({ headers }: { headers: IncomingHttpHeaders }): Origin {
  const claimed = headers['x-hob-origin'];
  return claimed === 'console' || claimed === 'cli' ? claimed : 'execute';
}

/** The `Idempotency-Key` of a request, or null. */
export function readIdempotencyKey({
  headersDistinct,
}: Pick<IncomingMessage, 'headersDistinct'>): string | null {
  const [key, second] = headersDistinct['idempotency-key'] ?? [];
  if (key === undefined) return null;
  if (second === undefined && Value.Check(schemas.ExecuteHeaders.properties['idempotency-key'], key))
    return key;
  // The text does not contain the key, because clients may treat it as a secret.
  throw new AppError('idempotency-key-invalid', {
    en: 'Idempotency-Key must be sent once and consist of 1 to 255 visible ASCII characters (no spaces).',
    zh: 'Idempotency-Key 只能发送一次，且应为 1 到 255 个可见 ASCII 字符（不含空格）。',
  });
}

/** Null if the caller has disconnected. */
function connectionOf({ socket }: FastifyRequest): Connection | null {
  const { remoteAddress, remotePort, localAddress, localPort } = socket;
  if (!remoteAddress || !remotePort || !localAddress || !localPort) return null;
  return {
    clientAddress: remoteAddress,
    clientPort: remotePort,
    serverAddress: localAddress,
    serverPort: localPort,
  };
}

function invalid(field: string, en: string, zh: string): AppError {
  return new AppError('field-invalid', { en: `${field} must be ${en}`, zh: `${field} 应为 ${zh}` });
}

function notANode(name: string): AppError {
  return new AppError('script-not-a-node', {
    en: `The script "${name}" is not declared as a node, so it cannot be linked. Set enabled = true in its node table.`,
    zh: `脚本 "${name}" 未声明为节点，不允许联动调用`,
  });
}

/**
 * Answers a synchronous call. A script may take hours, and clients give up on a silent connection. Once the script has
 * started, the status can only be 200. So after `heartbeatMs` the header is sent, and then one space per heartbeat: JSON
 * allows white space before its first brace.
 */
async function answerSync(
  reply: FastifyReply,
  run: SubmittedRun,
  { heartbeatMs, language }: { heartbeatMs: number; language: Language },
): Promise<FastifyReply> {
  const { raw } = reply;
  reply.request.isLasting = true;
  raw.setHeader('x-hob-run-id', run.runId);
  const outcome = await outcomeOrHeartbeat(run, heartbeatMs);
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

/** Resolves with the outcome, or with null once the script has started and `heartbeatMs` have passed. */
function outcomeOrHeartbeat(run: SubmittedRun, heartbeatMs: number): Promise<RunOutcome | null> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => void run.started.then(() => resolve(null)), heartbeatMs);
    run.outcome.then(resolve, reject).finally(() => clearTimeout(timer));
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

function executionAnswer(outcome: RunOutcome): Encoded<Static<typeof schemas.ExecutionAnswer>> {
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
