import { bytesOf, type StreamEvent } from '../client/client.ts';
import type { Run } from '../contract/types.ts';
import { longestTimerMs } from '../shared/longest-timer.ts';
import { describeEnd, isSuccessful } from './describe-run.ts';
import { getRun, pathOfRun } from './find-run.ts';
import { catchInterrupt } from './interrupt.ts';
import { tr } from './language.ts';
import { collectingDisplay, passingDisplay, type RunDisplay } from './run-display.ts';
import { followHint, type ServiceClient } from './service-client.ts';
import { printJson } from './terminal/print.ts';
import { formatSecond } from './terminal/text.ts';
import { exitCodes, ReportedError, UserError } from './user-error.ts';

interface Showing {
  readonly client: ServiceClient;
  readonly isWatched: boolean;
  readonly isJson: boolean;
  readonly timeoutMs: number | null;
}

/** Prints the id of an accepted run; or shows the run until it ends, prints its result and sets the exit code of the command. */
export async function showRun(
  accepted: { run_id: string },
  { client, isWatched, isJson, timeoutMs }: Showing,
): Promise<void> {
  const runId = accepted.run_id;
  if (!isWatched && isJson) return printJson(accepted);
  if (!isWatched) {
    // Only the id goes to stdout, so that a shell can assign it to a variable.
    process.stdout.write(`${runId}\n`);
    process.stderr.write(
      tr(`To follow the output: hob logs ${runId} -f\n`, `跟踪输出：hob logs ${runId} -f\n`),
    );
    return;
  }
  const collected = isJson ? collectingDisplay() : null;
  const display = collected ?? passingDisplay();
  const { record, stopCode } = await followRun(runId, { client, display, timeoutMs });
  if (collected !== null) printJson(endAnswer(record, collected));
  else process.stderr.write(describeEnd(record) + nextAttempt(record));
  // A run that succeeded just before it was cancelled counts as a success.
  if (!isSuccessful(record)) throw new ReportedError(stopCode ?? exitCodes.failed);
}

function nextAttempt({ run_id, next_attempt_at }: Run): string {
  if (next_attempt_at === null) return '';
  const time = formatSecond(next_attempt_at);
  return tr(
    `Another attempt follows at ${time}. To prevent it: hob cancel ${run_id}\n`,
    `将在 ${time} 再次尝试。取消后续尝试：hob cancel ${run_id}\n`,
  );
}

/** The response of a synchronous execute call, plus the run id. */
function endAnswer(
  { state, end_cause, result, exit_code, run_id }: Run,
  display: ReturnType<typeof collectingDisplay>,
) {
  const isSuccess = state === 'succeeded';
  return {
    status: isSuccess ? 'success' : 'error',
    message: result?.msg ?? '',
    exit_code: exit_code ?? -1,
    success: isSuccess,
    timed_out: end_cause === 'timeout',
    stdout: display.textOf('stdout'),
    stderr: display.textOf('stderr'),
    result: result ?? {},
    run_id,
  };
}

/** The exit code of `timeout`(1). */
const timedOutCode = 124;

/**
 * Shows a run until it ends. The first Ctrl-C cancels it, and so does the timeout. Returns the record of the ended run and, if this
 * command cancelled it, the exit code.
 */
async function followRun(
  runId: string,
  { client, display, timeoutMs }: { client: ServiceClient; display: RunDisplay; timeoutMs: number | null },
): Promise<{ record: Run; stopCode: number | null }> {
  client.printWith((line) => display.say(line));
  const interrupt = catchInterrupt();
  const stop = new Cancellation(runId, client);
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
  const onTimeout = () => {
    display.say(tr('The timeout expired. Cancelling the run ...', '时间已到，正在停止运行……'));
    void stop.request(() => timedOutCode);
  };
  const timer = timeoutMs === null ? undefined : setTimeout(onTimeout, Math.min(timeoutMs, longestTimerMs));
  try {
    for await (const event of client.events(runId)) {
      await showEvent(event, display);
      // A service that was restarted in the meantime does not know of the cancellation.
      if (event.type === 'run.queued' || event.type === 'run.started') void stop.repeat();
    }
    display.clear();
    const record = await getRun(client, runId, { hint: followHint(runId) });
    return { record, stopCode: stop.exitCode };
  } finally {
    clearTimeout(timer);
    display.clear();
    interrupt.signal.removeEventListener('abort', onInterrupt);
    interrupt.release();
  }
}

export async function showEvent({ type, data }: StreamEvent, display: RunDisplay): Promise<void> {
  if (type === 'run.progress') display.progress(data);
  if (type !== 'run.output') return;
  const { missing } = data;
  // Output dropped from the middle is replaced by the same line as in the logs.
  const gap = missing === undefined ? null : Buffer.from(`\n[... ${missing} bytes left out by Hob ...]\n`);
  await display.output(data.stream, gap ?? bytesOf(data));
}

/** A cancellation request that is repeated for a restarted service. */
class Cancellation {
  readonly #runId: string;
  readonly #client: ServiceClient;
  #exitCode: (() => number) | null = null;

  constructor(runId: string, client: ServiceClient) {
    this.#runId = runId;
    this.#client = client;
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
      await this.#client.post(`${pathOfRun(this.#runId)}/cancel`);
    } catch (error) {
      // The run has just ended, or the service cannot be reached and gets the request when it is back.
      if (!(error instanceof UserError)) throw error;
    }
  }
}

export function watchedHeaders(isWatched: boolean): Record<string, string> {
  return isWatched ? { 'x-hob-origin': 'cli' } : {};
}
