import { once } from 'node:events';
import type { ServerResponse } from 'node:http';

import type { FastifyInstance } from 'fastify';
import Value from 'typebox/value';
import { LaterError } from '../../contract/common.ts';
import { OutputAnswer, OutputHeaders, OutputPartAnswer, OutputQuery } from '../../contract/runs.ts';
import { leftOutLine } from '../../runs/outcome/read-outcome.ts';
import type { OutputPiece, StreamName } from '../../runs/output/run-outputs.ts';
import { stopping } from '../../runs/refusals.ts';
import { AppError } from '../../shared/errors.ts';
import type { AppDependencies } from '../dependencies.ts';
import { parseRange } from '../output/byte-range.ts';
import { type OutputPlan, planOutput } from '../output/plan-output.ts';
import { checkQuery } from '../query-fields.ts';

const streams: readonly StreamName[] = ['stdout', 'stderr'];

export function addOutputRoutes(
  app: FastifyInstance,
  { runs, outputs, closing, log }: AppDependencies,
): void {
  for (const stream of streams) {
    const schema = {
      summary: `Get the ${stream} of a run`,
      description:
        'Returns the bytes as the script wrote them, during the run and afterwards. With `follow`, the response continues until the run ends. To resume an interrupted response, send `Range: bytes=<bytes received>-`.',
      querystring: OutputQuery,
      headers: OutputHeaders,
      response: { 200: OutputAnswer, 206: OutputPartAnswer, '4xx': LaterError, '5xx': LaterError },
    };
    app.get<{ Params: { id: string } }>(`/api/runs/:id/${stream}`, { schema }, async (request, reply) => {
      const record = runs.getBrief(request.params.id);
      const { runId } = record;
      const isHead = request.method === 'HEAD';
      const follow = followOf(request.query) && !isHead;
      if (follow && closing.aborted) throw stopping();
      request.isLasting = follow;
      const { raw } = reply;
      raw.setHeader('x-hob-run-id', runId);
      raw.setHeader('accept-ranges', 'bytes');
      const range = parseRange(request.headers.range, request.headers['if-range'] !== undefined);
      const plan = planOutput(await outputs.look(record, stream), range, follow);
      if ('refusal' in plan) {
        raw.setHeader('content-range', plan.contentRange);
        throw plan.refusal;
      }

      reply.hijack();
      raw.writeHead(plan.status, headersOf(plan));
      if (isHead) {
        raw.end();
        return reply;
      }
      // Stop reading output when the client disconnects, or, for a followed output, when the service closes.
      const stopped = new AbortController();
      const stop = () => stopped.abort();
      raw.once('close', stop);
      if (follow) closing.addEventListener('abort', stop, { once: true });
      if (raw.destroyed || (follow && closing.aborted)) stop();
      try {
        const pieces = outputs.read({ runId, stream, from: plan.from, until: plan.until }, stopped.signal);
        await sendOutput(raw, plan, pieces, stopped.signal);
      } catch (error) {
        log.error({ err: error, run: runId }, 'cannot send the output of a run');
        raw.destroy();
      } finally {
        closing.removeEventListener('abort', stop);
      }
      return reply;
    });
  }
}

function headersOf({ contentRange, contentLength }: OutputPlan): Record<string, string> {
  return {
    'content-type': 'text/plain; charset=utf-8',
    ...(contentRange !== null && { 'content-range': contentRange }),
    ...(contentLength !== null && { 'content-length': String(contentLength) }),
  };
}

function followOf(query: unknown): boolean {
  if (Value.Check(OutputQuery, query)) {
    checkQuery(query, OutputQuery);
    return ['', 'true', '1'].includes(query.follow ?? 'false');
  }
  throw new AppError('field-invalid', {
    en: 'follow must be true or false',
    zh: 'follow 应为 true 或 false',
  });
}

/**
 * Sends output at the speed of its reader: reads the next piece when the previous one is written. If the answer cannot match its
 * header, closes the connection early, so that the reader does not take the answer for complete.
 */
export async function sendOutput(
  raw: ServerResponse,
  plan: OutputPlan,
  pieces: AsyncIterable<OutputPiece>,
  signal: AbortSignal,
): Promise<void> {
  let left = plan.contentLength ?? Number.POSITIVE_INFINITY;
  // Send the header now: the first output may come much later.
  raw.flushHeaders();
  for await (const piece of pieces) {
    if ('missing' in piece && !plan.withLines) {
      cutOff(raw);
      return;
    }
    const bytes = 'missing' in piece ? Buffer.from(leftOutLine(piece.missing)) : piece.bytes;
    left -= bytes.length;
    if (left < 0 || signal.aborted) break;
    if (!raw.write(bytes)) await once(raw, 'drain', { signal }).catch(() => {});
  }
  if (signal.aborted) raw.destroy();
  else if (plan.contentLength !== null && left !== 0) cutOff(raw);
  else raw.end();
}

/** Closes the connection after the data already written, without the end marker of HTTP. */
function cutOff(raw: ServerResponse): void {
  if (raw.socket === null) raw.destroy();
  else raw.socket.end();
}
