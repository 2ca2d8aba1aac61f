import { once } from 'node:events';
import type { ServerResponse } from 'node:http';

import type { FastifyInstance } from 'fastify';
import Value from 'typebox/value';

import * as schemas from '../../contract/runs.ts';
import { leftOutLine } from '../../runs/outcome/read-outcome.ts';
import { type Gap, gapsOf } from '../../runs/output/log-layout.ts';
import type { OutputPiece, OutputView, StreamName } from '../../runs/output/run-outputs.ts';
import { stopping } from '../../runs/refusals.ts';
import { AppError } from '../../shared/errors.ts';
import type { AppDependencies } from '../dependencies.ts';
import { checkQuery } from '../fields.ts';
import { whenAnswered, whenAnsweredOr } from '../request.ts';
import { route } from '../route.ts';

const streams: readonly StreamName[] = ['stdout', 'stderr'];

export function addOutputRoutes(
  app: FastifyInstance,
  { runs, outputs, closing, log }: AppDependencies,
): void {
  for (const stream of streams) {
    route(app, `GET /api/runs/:id/${stream}`, {
      operationId: `getRun${stream === 'stdout' ? 'Stdout' : 'Stderr'}`,
      tag: 'Runs',
      summary: `Get the ${stream} of a run`,
      description:
        'Returns the bytes as the script wrote them, during the run and afterwards. With `follow`, the response continues until the run ends. To resume an interrupted response, send `Range: bytes=<bytes received>-`.',
      query: schemas.OutputQuery,
      headers: schemas.OutputHeaders,
      answer: schemas.OutputAnswer,
      otherAnswers: { 206: schemas.OutputPartAnswer },
      async handle(request, reply) {
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
        const signal = follow ? whenAnsweredOr(closing, request, reply) : whenAnswered(request, reply);
        try {
          const pieces = outputs.read({ runId, stream, from: plan.from, until: plan.until }, signal);
          await sendOutput(raw, plan, pieces, signal);
        } catch (error) {
          log.error({ err: error, run: runId }, 'cannot send the output of a run');
          raw.destroy();
        }
        return reply;
      },
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
  if (Value.Check(schemas.OutputQuery, query)) {
    checkQuery(query, schemas.OutputQuery);
    return ['', 'true', '1'].includes(query.follow ?? 'false');
  }
  throw new AppError('field-invalid', {
    en: 'follow must be true or false',
    zh: 'follow 应为 true 或 false',
    fields: ['follow'],
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

/** The range in a `Range` header. `last` is inclusive; null: to the end. */
type ByteRange =
  | { readonly kind: 'from'; readonly first: number; readonly last: number | null }
  | { readonly kind: 'end'; readonly count: number };

/** The end of a range that still grows (RFC 8673): the largest integer that JSON and HTTP clients read exactly. */
export const farthestByte = Number.MAX_SAFE_INTEGER;

/**
 * Parses a single range of bytes. Returns null for several ranges, other units and invalid values; the answer is then the whole
 * output, as RFC 9110 allows. `If-Range` also gives null, because an output has no validator to compare with.
 */
export function parseRange(header: string | undefined, isConditional: boolean): ByteRange | null {
  const match = /^bytes=[ \t]*(\d*)-(\d*)[ \t]*$/i.exec(header ?? '');
  if (match === null || isConditional) return null;
  const [, first = '', last = ''] = match;
  if (first === '') return last === '' ? null : { kind: 'end', count: toCount(last) };
  if (last === '') return { kind: 'from', first: toCount(first), last: null };
  const range = { kind: 'from', first: toCount(first), last: toCount(last) } as const;
  return range.first <= range.last ? range : null;
}

function toCount(digits: string): number {
  return Math.min(Number(digits), farthestByte);
}

/** How to answer a request for output, decided before any output is read. */
export interface OutputPlan {
  readonly status: 200 | 206;
  readonly contentRange: string | null;
  /** Null: not known yet. */
  readonly contentLength: number | null;
  readonly from: number;
  readonly until: number;
  /** Whether a line replaces each gap in the output. Not in ranges, whose byte positions must be exact. */
  readonly withLines: boolean;
}

/** None of the requested bytes exist. */
interface Unsatisfiable {
  readonly refusal: AppError;
  readonly contentRange: string;
}

export function planOutput(
  view: OutputView,
  range: ByteRange | null,
  follow: boolean,
): OutputPlan | Unsatisfiable {
  const gaps = gapsOf(view);
  const { endBytes } = view;
  if (range === null) {
    return {
      status: 200,
      contentRange: null,
      contentLength: view.isLive ? null : lengthWithLines(endBytes, gaps),
      from: 0,
      until: follow ? Number.POSITIVE_INFINITY : endBytes,
      withLines: true,
    };
  }
  const first = range.kind === 'from' ? range.first : startOfEnd(endBytes, range.count, gaps);
  const gap = gaps.find(({ from, to }) => from <= first && first < to);
  if (gap !== undefined) return unsatisfiable(view, missing(gap));
  if (first > endBytes || (first === endBytes && !follow)) return unsatisfiable(view, beyond(first));
  const wanted = range.kind === 'from' ? (range.last ?? farthestByte) : farthestByte;
  if (follow) {
    return {
      status: 206,
      contentRange: `bytes ${first}-${wanted}/*`,
      contentLength: null,
      from: first,
      until: wanted === farthestByte ? Number.POSITIVE_INFINITY : wanted + 1,
      withLines: false,
    };
  }
  const nextGap = gaps.find(({ from }) => from > first);
  const until = Math.min(wanted + 1, endBytes, nextGap?.from ?? endBytes);
  return {
    status: 206,
    contentRange: `bytes ${first}-${until - 1}/${view.isLive ? '*' : endBytes}`,
    contentLength: until - first,
    from: first,
    until,
    withLines: false,
  };
}

function unsatisfiable({ endBytes, isLive }: OutputView, why: Why): Unsatisfiable {
  const text = {
    en: `${why.en} The script has written ${endBytes} bytes${isLive ? ' so far' : ''}.`,
    zh: `${why.zh}脚本${isLive ? '目前' : ''}共输出 ${endBytes} 字节。`,
  };
  const refusal = new AppError(
    'range-not-satisfiable',
    text,
    why.hint === undefined ? {} : { hint: why.hint },
  );
  return { refusal, contentRange: `bytes */${endBytes}` };
}

interface Why {
  en: string;
  zh: string;
  hint?: { en: string; zh: string };
}

function missing({ from, to }: Gap): Why {
  return {
    en: `Bytes ${from} to ${to - 1} were not kept.`,
    zh: `第 ${from} 至 ${to - 1} 字节未保留。`,
    hint: { en: `Continue with Range: bytes=${to}-`, zh: `可从 bytes=${to}- 继续` },
  };
}

function beyond(first: number): Why {
  return { en: `Byte ${first} does not exist.`, zh: `没有第 ${first} 字节。` };
}

/** Start of the last `count` bytes. Never before the last gap, because the end is what the caller wants. */
function startOfEnd(endBytes: number, count: number, gaps: readonly Gap[]): number {
  return Math.max(0, endBytes - count, gaps.at(-1)?.to ?? 0);
}

function lengthWithLines(endBytes: number, gaps: readonly Gap[]): number {
  return gaps.reduce(
    (sum, { from, to }) => sum - (to - from) + Buffer.byteLength(leftOutLine(to - from)),
    endBytes,
  );
}
