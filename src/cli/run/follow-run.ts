import type { JsonObject } from '../../shared/json.ts';
import { longestTimerMs } from '../../shared/longest-timer.ts';
import { numberOf, textOf } from '../answer-fields.ts';
import { catchInterrupt } from '../interrupt.ts';
import { tr } from '../language.ts';
import { RefusedError, UnreachableError } from '../service-client.ts';
import type { Connection } from './connection.ts';
import type { SeenEvent } from './event-frames.ts';
import type { RunDisplay, StreamName } from './run-display.ts';
import { goesOnText, watchRun } from './watch-run.ts';

interface Following {
  readonly connection: Connection;
  readonly display: RunDisplay;
  /** After so long the run is cancelled. */
  readonly timeoutMs?: number | null;
}

export interface FollowedRun {
  /** The record of the run, as it ended. */
  readonly record: JsonObject;
  /** What this command has to exit with because it stopped the run itself. */
  readonly stopCode: number | null;
}

/** As `timeout` has it. */
const timedOutCode = 124;

/** Shows a run until it has ended. The first Ctrl-C cancels it, and so does the end of the time that there is for it. */
export async function followRun(
  runId: string,
  { connection, display, timeoutMs = null }: Following,
): Promise<FollowedRun> {
  connection.tellBy((line) => display.say(line));
  const interrupt = catchInterrupt();
  const stop = new Stop(runId, connection);
  const onInterrupt = () => {
    display.say(
      tr(
        'Cancelling the run ... (press Ctrl-C again to exit without waiting)',
        '正在停止运行……（再按一次 Ctrl-C 直接退出）',
      ),
    );
    interrupt.finishFirst(stop.request(() => interrupt.exitCode));
  };
  interrupt.signal.addEventListener('abort', onInterrupt, { once: true });
  const timer = startTimer(timeoutMs, () => {
    display.say(tr('The timeout expired. Cancelling the run ...', '时间已到，正在停止运行……'));
    void stop.request(() => timedOutCode);
  });
  try {
    for await (const event of watchRun(runId, connection)) {
      await showEvent(event, display);
      // A service that was just started anew has not heard of it.
      if (event.type === 'run.queued' || event.type === 'run.started') void stop.repeat();
    }
    display.clear();
    const record = await connection.ask(goesOnText(runId), (client) =>
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

/** What was dropped from the middle of a large output is said in its place, as everywhere. */
function bytesOf({ missing, base64, text }: JsonObject): Uint8Array {
  const dropped = numberOf(missing);
  if (dropped !== null) return Buffer.from(`\n[... ${dropped} bytes left out by Hob ...]\n`);
  const exact = textOf(base64);
  return exact === null ? Buffer.from(textOf(text) ?? '') : Buffer.from(exact, 'base64');
}

/** The wish that a run be cancelled, which is told to whichever service there is. */
class Stop {
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

  /** Resolves when the service has heard it, or is away. */
  request(exitCode: () => number): Promise<void> {
    this.#exitCode ??= exitCode;
    return this.repeat();
  }

  async repeat(): Promise<void> {
    if (this.#exitCode === null) return;
    try {
      await this.#connection.client.post(`/api/runs/${encodeURIComponent(this.#runId)}/cancel`);
    } catch (error) {
      // It ended by itself at the same moment, or the service is away and will be told when it is back.
      if (!(error instanceof RefusedError || error instanceof UnreachableError)) throw error;
    }
  }
}

function startTimer(ms: number | null, onEnd: () => void): NodeJS.Timeout | undefined {
  return ms === null ? undefined : setTimeout(onEnd, Math.min(ms, longestTimerMs));
}
