import type { IncomingMessage } from 'node:http';

import type { FastifyInstance, FastifyReply } from 'fastify';
import Type from 'typebox';
import {
  AcceptedAnswer,
  ExecuteBody,
  ExecuteForm,
  ExecuteHeaders,
  ExecutionAnswer,
  ExecutionError,
} from '../../contract/operations.ts';
import { depthOfExecute } from '../../runs/callers/chain.ts';
import { readData, readParams } from '../../runs/inputs.ts';
import type { KeyUse } from '../../runs/keys/key-store.ts';
import { fingerprint } from '../../runs/keys/keyed-runs.ts';
import type { SubmittedRun } from '../../runs/run-request.ts';
import { readTempFile } from '../../runs/temp-file.ts';
import { AppError } from '../../shared/errors.ts';
import { answerSync } from '../answer-sync.ts';
import { bodyOf } from '../body-parsers.ts';
import type { AppDependencies } from '../dependencies.ts';
import { languageOf } from '../language.ts';
import { originOf, readScriptId, readStructured, readSync, readTempFilePath } from '../run-fields.ts';
import { whenAnsweredOr } from '../when-answered.ts';

const keyPattern = /^[\x21-\x7e]{1,255}$/;

export function addExecuteRoute(
  app: FastifyInstance,
  { catalogue, runs, keyedRuns, heartbeatMs, closing }: AppDependencies,
): void {
  const schema = {
    summary: 'Run a script',
    description: 'Runs any script by its id. With `sync` true, the response waits for the end of the run.',
    consumes: ['application/json', 'application/x-www-form-urlencoded'],
    headers: ExecuteHeaders,
    body: {
      content: {
        'application/json': { schema: ExecuteBody },
        'application/x-www-form-urlencoded': { schema: ExecuteForm },
      },
    },
    response: {
      200: Type.Union([ExecutionAnswer, AcceptedAnswer], {
        description: 'The outcome of the run, or the confirmation that it was accepted.',
      }),
      '4xx': ExecutionError,
      '5xx': ExecutionError,
    },
  };
  app.post('/api/execute', { schema }, async (request, reply) => {
    const body = bodyOf(request);
    const language = languageOf(request, 'zh');
    const scriptId = readScriptId(body);
    const sync = readSync(body);
    const key = readIdempotencyKey(request.raw);
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
  });
}

/** The `Idempotency-Key` of a request, or null. */
export function readIdempotencyKey({
  headersDistinct,
}: Pick<IncomingMessage, 'headersDistinct'>): string | null {
  const values = headersDistinct['idempotency-key'] ?? [];
  const [key, second] = values;
  if (key === undefined) return null;
  if (second === undefined && keyPattern.test(key)) return key;
  // The text does not contain the key, because clients may treat it as a secret.
  throw new AppError('idempotency-key-invalid', {
    en: 'Idempotency-Key must be sent once and consist of 1 to 255 visible ASCII characters (no spaces).',
    zh: 'Idempotency-Key 只能发送一次，且应为 1 到 255 个可见 ASCII 字符（不含空格）。',
  });
}
