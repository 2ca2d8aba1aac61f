import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Static } from 'typebox';
import Value from 'typebox/value';

import * as schemas from '../../contract/runs.ts';
import type { Retries } from '../../contract/values.ts';
import { claimedOrigins, type Origin } from '../../contract/values.ts';
import { readData, readParams, readTempFile } from '../../runs/inputs.ts';
import type { KeyUse } from '../../runs/keys/key-store.ts';
import { fingerprint, type KeyedRun } from '../../runs/keys/keyed-runs.ts';
import { depthOfExecute, depthOfLink } from '../../runs/run.ts';
import type { RunOutcome, SubmittedRun } from '../../runs/run-request.ts';
import type { Script } from '../../scripts/script.ts';
import { AppError } from '../../shared/errors.ts';
import { findJsonHazard, type Json, jsonTextOf } from '../../shared/json.ts';
import { whereNotJson } from '../../shared/scan-json.ts';
import { fixedText, type Language } from '../../shared/text.ts';
import type { AppDependencies } from '../dependencies.ts';
import { internalError } from '../error-answers.ts';
import { type Body, bodyOf, connectionOf, languageOf, whenAnswered, whenAnsweredOr } from '../request.ts';
import { route } from '../route.ts';
import { type Encoded, endJson, type JsonFields, jsonContentType, sendJson } from '../send-json.ts';

export function addExecuteRoute(app: FastifyInstance, dependencies: AppDependencies): void {
  const { catalogue, heartbeatMs, closing } = dependencies;
  route(app, 'POST /api/execute', {
    operationId: 'executeScript',
    tag: 'Run scripts',
    summary: 'Run a script',
    description: 'Runs any script by its id. With `sync` true, the response waits for the end of the run.',
    headers: schemas.ExecuteHeaders,
    body: {
      content: {
        'application/json': { schema: schemas.ExecuteBody },
        'application/x-www-form-urlencoded': { schema: schemas.ExecuteForm },
      },
    },
    examples: {
      wait: {
        summary: 'Run a script and wait for its end',
        body: {
          script_id: '2f0c5c5e-8f43-4b0e-9d0e-3f2d6a1f7c11',
          sync: true,
          data: { images: ['/home/ada/pictures/cat.png'] },
          params: { quality: 85 },
        },
      },
      background: {
        summary: 'Start a script',
        body: { script_id: '2f0c5c5e-8f43-4b0e-9d0e-3f2d6a1f7c11', data: ['/home/ada/pictures/cat.png'] },
      },
    },
    answer: schemas.ExecuteAnswer,
    error: schemas.ExecutionError,
    async handle(request, reply) {
      const body = bodyOf(request);
      const language = languageOf(request, 'zh');
      const scriptId = readScriptId(body);
      const sync = readSync(body);
      const resolve = () => catalogue.resolve(scriptId);
      const run = await startRun(dependencies, request, reply, { scriptId, resolve, body, sync, language });
      if (sync) {
        const followed =
          'outcome' in run ? run : run.follow(request.caller, whenAnsweredOr(closing, request, reply));
        return answerSync(reply, followed, { heartbeatMs, language });
      }
      reply.raw.setHeader('x-hob-run-id', run.runId);
      return reply.send({ status: 'success', message: '脚本执行请求已接收', run_id: run.runId });
    },
  });
}

interface StartOptions {
  scriptId: string;
  /** Finds the script, or throws the error for the caller. */
  resolve: () => Promise<Script>;
  /** `data`, `params` and, where the operation accepts it, `temp_file`. */
  body: Body;
  /** Whether the caller waits for the outcome. */
  sync: boolean;
  /** Reads the retries of the request; undefined if it has none. Absent where the operation accepts none. */
  readRetries?: (script: Script) => Retries | null | undefined;
  language: Language;
}

/** Checks a request for a run and submits it. A request with an idempotency key starts its run only once. */
export async function startRun(
  { runs, keyedRuns }: Pick<AppDependencies, 'runs' | 'keyedRuns'>,
  request: FastifyRequest,
  reply: FastifyReply,
  { scriptId, resolve, body, sync, readRetries, language }: StartOptions,
): Promise<SubmittedRun | KeyedRun> {
  // Few requests have a key, and the list of distinct headers is built on access.
  const key = 'idempotency-key' in request.headers ? readIdempotencyKey(request.raw) : null;
  const submit = async (use?: KeyUse) => {
    const script = await resolve();
    const tempFile = readTempFilePath(body);
    const retries = readRetries?.(script);
    const sent = tempFile === null ? null : await readTempFile(tempFile);
    return runs.submit({
      script,
      origin: originOf(request),
      caller: request.caller,
      depth: depthOfExecute(request.caller),
      sync,
      data: readData(script, sent === null ? readStructured(body, 'data') : sent.data),
      params: readParams(script, sent === null ? readStructured(body, 'params') : sent.params),
      ...(retries !== undefined && { retries }),
      language,
      ...(use !== undefined && { key: use }),
    });
  };
  if (key === null) return submit();

  // The key is checked before the script, so a repeated request gets its run even if the script was changed or removed.
  const use = fingerprint({ key, scriptId, ...body });
  const keyed = await keyedRuns.once(use, () => submit(use));
  if (keyed.isRepeat) reply.raw.setHeader('idempotency-replayed', 'true');
  return keyed;
}

export function addLinkRoute(
  app: FastifyInstance,
  { catalogue, runs, bareCallers, heartbeatMs }: AppDependencies,
): void {
  route(app, 'POST /api/link', {
    operationId: 'linkScript',
    tag: 'Run scripts',
    summary: 'Run a node from a running script',
    description: 'Called by a running script. Waits for the end of the node and returns its envelope.',
    body: schemas.LinkBody,
    examples: {
      node: {
        summary: 'Run a node with one image',
        body: {
          script_id: '2f0c5c5e-8f43-4b0e-9d0e-3f2d6a1f7c11',
          data: { images: ['/home/ada/pictures/cat.png'] },
        },
      },
    },
    answer: schemas.LinkAnswer,
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
      fields: [field],
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

/** The console, the command line, and the entries in menus and shortcuts identify themselves with a header. */
export function originOf({ headers }: { headers: IncomingHttpHeaders }): Origin {
  const claimed = headers['x-hob-origin'];
  return claimedOrigins.find((origin) => origin === claimed) ?? 'execute';
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

function invalid(field: string, en: string, zh: string): AppError {
  return new AppError('field-invalid', {
    en: `${field} must be ${en}`,
    zh: `${field} 应为 ${zh}`,
    fields: [field],
  });
}

function notANode(name: string): AppError {
  return new AppError('script-not-a-node', {
    en: `The script "${name}" is not declared as a node, so it cannot be linked. Set enabled = true in its node table.`,
    zh: `脚本 "${name}" 未声明为节点，不允许联动调用`,
  });
}

/** Answers a synchronous call. Once the script has started, the status can only be 200. */
async function answerSync(
  reply: FastifyReply,
  run: SubmittedRun,
  { heartbeatMs, language }: { heartbeatMs: number; language: Language },
): Promise<FastifyReply> {
  reply.raw.setHeader('x-hob-run-id', run.runId);
  return answerWhenReady(reply, {
    status: 200,
    certain: run.started,
    answer: run.outcome.then((outcome) => {
      // The last attempt of a series. After the first heartbeat the header is sent and names the first one.
      if (!reply.raw.headersSent) reply.raw.setHeader('x-hob-run-id', outcome.runId);
      return executionAnswer(outcome);
    }),
    late: (error) => {
      // The run continues in the executor and has no outcome yet. A broken connection tells the caller to ask again later.
      if (error instanceof AppError && error.code === 'service-stopping') return null;
      return executionAnswer(failedOutcome(run.runId, error, language));
    },
    heartbeatMs,
  });
}

interface LateAnswer {
  status: number;
  /** Resolves when the answer can only have this status. */
  certain: Promise<void>;
  answer: Promise<JsonFields>;
  /** The answer for an error after the header was sent; null to break the connection. */
  late: (error: unknown) => JsonFields | null;
  heartbeatMs: number;
}

/**
 * Answers a call that waits for a run. A script may take hours, and clients give up on a silent connection. So after
 * `heartbeatMs` the header is sent, and then one space per heartbeat: JSON allows white space before its first brace. The
 * run continues when its caller disconnects.
 */
export async function answerWhenReady(
  reply: FastifyReply,
  { status, certain, answer, late, heartbeatMs }: LateAnswer,
): Promise<FastifyReply> {
  const { raw } = reply;
  reply.request.isLasting = true;
  const early = await new Promise<JsonFields | null>((resolve, reject) => {
    const timer = setTimeout(() => void certain.then(() => resolve(null)), heartbeatMs);
    answer.then(resolve, reject).finally(() => clearTimeout(timer));
  });
  if (early !== null) return sendJson(reply, early, status);

  reply.hijack();
  raw.writeHead(status, { 'content-type': jsonContentType });
  raw.write(' ');
  const beat = setInterval(() => raw.write(' '), heartbeatMs);
  raw.once('close', () => clearInterval(beat));
  const fields = await answer.catch(late);
  clearInterval(beat);
  if (fields === null) raw.destroy();
  else endJson(raw, fields);
  return reply;
}

/** The status 200 is already sent, so an error is reported as the outcome of a run that could not be started. */
function failedOutcome(runId: string, error: unknown, language: Language): RunOutcome {
  const msg = (error instanceof AppError ? error : internalError(error)).text[language];
  return {
    runId,
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
