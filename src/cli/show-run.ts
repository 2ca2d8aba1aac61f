import { randomUUID } from 'node:crypto';

import type { JsonObject } from '../shared/json.ts';
import { longestTimerMs } from '../shared/longest-timer.ts';
import { numberOf, textOf } from './answer-fields.ts';
import { describeEnd, isSuccessful, readRun } from './describe-run.ts';
import { catchInterrupt } from './interrupt.ts';
import { tr } from './language.ts';
import { CollectingDisplay, passingDisplay, type RunDisplay, type StreamName } from './run-display.ts';
import { type Connection, followHint, type SeenEvent, watchRun } from './run-events.ts';
import { RefusedError, UnreachableError } from './service-client.ts';
import { printJson } from './terminal/print.ts';
import { exitCodes, ReportedError, UserError } from './user-error.ts';

interface Showing {
  readonly connection: Connection;
  readonly isJson: boolean;
  readonly timeoutMs?: number | null;
}

/** Shows a run until it ends, prints its result and sets the exit code of the command. */
export async function showRun(
  runId: string,
  { connection, isJson, timeoutMs = null }: Showing,
): Promise<void> {
  const { record, stopCode } = isJson
    ? await collect(runId, connection, timeoutMs)
    : await pass(runId, connection, timeoutMs);
  const isFine = isSuccessful(readRun(record));
  // A run that succeeded just before it was cancelled counts as a success.
  if (!isFine) throw new ReportedError(stopCode ?? exitCodes.failed);
}

async function pass(runId: string, connection: Connection, timeoutMs: number | null) {
  const followed = await followRun(runId, { connection, display: passingDisplay(), timeoutMs });
  process.stderr.write(describeEnd(followed.record));
  return followed;
}

async function collect(runId: string, connection: Connection, timeoutMs: number | null) {
  const display = new CollectingDisplay();
  const followed = await followRun(runId, { connection, display, timeoutMs });
  const answer: JsonObject = endAnswer(followed.record, display);
  printJson(answer);
  return followed;
}

/** The response of a synchronous execute call, plus the run id. */
function endAnswer(record: JsonObject, display: CollectingDisplay): JsonObject {
  const isSuccess = record.state === 'succeeded';
  const { result, exit_code, run_id } = record;
  const message = typeof result === 'object' && result !== null && 'msg' in result ? result.msg : null;
  return {
    status: isSuccess ? 'success' : 'error',
    message: message ?? '',
    exit_code: exit_code ?? -1,
    success: isSuccess,
    timed_out: record.end_cause === 'timeout',
    stdout: display.textOf('stdout'),
    stderr: display.textOf('stderr'),
    result: result ?? {},
    run_id: run_id ?? '',
  };
}

interface Following {
  readonly connection: Connection;
  readonly display: RunDisplay;
  /** The run is cancelled after this time. */
  readonly timeoutMs?: number | null;
}

interface FollowedRun {
  /** The record of the ended run. */
  readonly record: JsonObject;
  /** The exit code if this command cancelled the run; else null. */
  readonly stopCode: number | null;
}

/** The exit code of `timeout`(1). */
const timedOutCode = 124;

/** Shows a run until it ends. The first Ctrl-C cancels it, and so does the timeout. */
async function followRun(
  runId: string,
  { connection, display, timeoutMs = null }: Following,
): Promise<FollowedRun> {
  connection.printWith((line) => display.say(line));
  const interrupt = catchInterrupt();
  const stop = new Cancellation(runId, connection);
  const onInterrupt = () => {
    display.say(
      tr(
        'Cancelling the run ... (press Ctrl-C again to exit without waiting)',
        '正在停止运行……（再按一次 Ctrl-C 直接退出）',
      ),
    );
    interrupt.waitForCleanup(stop.request(() => interrupt.exitCode));
  };
  interrupt.signal.addEventListener('abort', onInterrupt, { once: true });
  const timer = startTimer(timeoutMs, () => {
    display.say(tr('The timeout expired. Cancelling the run ...', '时间已到，正在停止运行……'));
    void stop.request(() => timedOutCode);
  });
  try {
    for await (const event of watchRun(runId, connection)) {
      await showEvent(event, display);
      // A service that was restarted in the meantime does not know of the cancellation.
      if (event.type === 'run.queued' || event.type === 'run.started') void stop.repeat();
    }
    display.clear();
    const record = await connection.ask(followHint(runId), (client) =>
      client.get(`/api/runs/${encodeURIComponent(runId)}`),
    );
    return { record, stopCode: stop.exitCode };
  } finally {
    clearTimeout(timer);
    display.clear();
    interrupt.signal.removeEventListener('abort', onInterrupt);
    interrupt.release();
  }
}

export async function showEvent({ type, data }: SeenEvent, display: RunDisplay): Promise<void> {
  if (type === 'run.progress')
    display.progress({ fraction: numberOf(data.fraction), message: textOf(data.message) });
  if (type !== 'run.output') return;
  const stream: StreamName = data.stream === 'stderr' ? 'stderr' : 'stdout';
  await display.output(stream, bytesOf(data));
}

/** Output dropped from the middle is replaced by the same line as in the logs. */
function bytesOf({ missing, base64, text }: JsonObject): Uint8Array {
  const dropped = numberOf(missing);
  if (dropped !== null) return Buffer.from(`\n[... ${dropped} bytes left out by Hob ...]\n`);
  const exact = textOf(base64);
  return exact === null ? Buffer.from(textOf(text) ?? '') : Buffer.from(exact, 'base64');
}

/** A cancellation request that is repeated for a restarted service. */
class Cancellation {
  readonly #runId: string;
  readonly #connection: Connection;
  #exitCode: (() => number) | null = null;

  constructor(runId: string, connection: Connection) {
    this.#runId = runId;
    this.#connection = connection;
  }

  get exitCode(): number | null {
    return this.#exitCode?.() ?? null;
  }

  /** Resolves when the service has received the request or is not reachable. */
  request(exitCode: () => number): Promise<void> {
    this.#exitCode ??= exitCode;
    return this.repeat();
  }

  async repeat(): Promise<void> {
    if (this.#exitCode === null) return;
    try {
      await this.#connection.client.post(`/api/runs/${encodeURIComponent(this.#runId)}/cancel`);
    } catch (error) {
      // The run has just ended, or the service is down and gets the request when it is back.
      if (!(error instanceof RefusedError || error instanceof UnreachableError)) throw error;
    }
  }
}

function startTimer(ms: number | null, onEnd: () => void): NodeJS.Timeout | undefined {
  return ms === null ? undefined : setTimeout(onEnd, Math.min(ms, longestTimerMs));
}

interface RunRequest {
  readonly scriptId: string;
  /** The main input, keyed by its name; empty if there is none. */
  readonly data: JsonObject;
  readonly params: JsonObject;
  /** Whether this command shows the run itself, so that no window must open. */
  readonly isWatched: boolean;
}

/** Starts a run. The idempotency key makes sure that a repeated request starts it only once. */
export async function startRun(connection: Connection, request: RunRequest): Promise<JsonObject> {
  const { scriptId, data, params, isWatched } = request;
  const body = { script_id: scriptId, ...(Object.keys(data).length > 0 && { data }), params };
  const headers = { 'idempotency-key': randomUUID(), ...watchedHeaders(isWatched) };
  const unknown = tr(
    'To check whether the run was accepted: hob runs',
    '运行是否已被接受，可用 hob runs 查看',
  );
  return connection.ask(unknown, (client) => client.post('/api/execute', body, headers));
}

export function watchedHeaders(isWatched: boolean): Record<string, string> {
  return isWatched ? { 'x-hob-origin': 'cli' } : {};
}

export function runIdIn(answer: JsonObject): string {
  const runId = textOf(answer.run_id);
  if (runId === null)
    throw new UserError(
      tr('Hob returned no run id. To find the run: hob runs', 'Hob 没有返回运行 ID。查找运行：hob runs'),
    );
  return runId;
}
