import { leftOutLine } from '../../runs/outcome/read-outcome.ts';
import { type Gap, gapsOf } from '../../runs/output/log-layout.ts';
import type { OutputView } from '../../runs/output/run-outputs.ts';
import { AppError } from '../../shared/errors.ts';
import { type ByteRange, farthestByte } from './byte-range.ts';

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
