import type { JsonObject } from '../../shared/json.ts';
import { longestTimerMs } from '../../shared/longest-timer.ts';
import { numberOf, textOf } from '../answer-fields.ts';
import { catchInterrupt } from '../interrupt.ts';
import { tr } from '../language.ts';
import { RefusedError, UnreachableError } from '../service-client.ts';
import type { Connection } from './connection.ts';
import type { SeenEvent } from './event-frames.ts';
import type { RunDisplay, StreamName } from './run-display.ts';
import { followHint, watchRun } from './watch-run.ts';

interface Following {
  readonly connection: Connection;
  readonly display: RunDisplay;
  /** The run is cancelled after this time. */
  readonly timeoutMs?: number | null;
}

export interface FollowedRun {
  /** The record of the ended run. */
  readonly record: JsonObject;
  /** The exit code if this command cancelled the run; else null. */
  readonly stopCode: number | null;
}

/** The exit code of `timeout`(1). */
const timedOutCode = 124;

/** Shows a run until it ends. The first Ctrl-C cancels it, and so does the timeout. */
export async function followRun(
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
