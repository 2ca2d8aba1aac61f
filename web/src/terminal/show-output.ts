import { callService } from '../api/call-service.ts';
import { followEvents } from '../api/follow-events.ts';
import type { EventFrame, RunTerminal } from '../api/wire.ts';
import type { QueryWatch } from './query-watch.ts';

interface OutputListener {
  /** The text for bytes that were not kept. */
  describeGap: (bytes: number) => string;
  /** All old output is drawn. */
  onCaughtUp: () => void;
  onReach: (isThere: boolean) => void;
  onEnded: () => void;
}

/** Shows the output of a run until it ends or the signal aborts. */
export async function showOutput(
  runId: string,
  queries: QueryWatch,
  { oldBytes, signal, ...listener }: OutputListener & { oldBytes: number; signal: AbortSignal },
): Promise<void> {
  let isOld = true;
  const catchUp = () => {
    if (isOld) listener.onCaughtUp();
    isOld = false;
  };
  if (oldBytes === 0) catchUp();
  queries.setOldBytes(oldBytes);
  let isAway = false;
  const show = async ({ data }: EventFrame) => {
    const { text, offset, bytes, missing } = data;
    const gap = typeof missing === 'number' ? missing : 0;
    const shown = typeof text === 'string' ? text : `\r\n\x1b[2m${listener.describeGap(gap)}\x1b[0m\r\n`;
    // Wait until the output is drawn. Faster output waits in the service, which stores it anyway.
    const endBytes = Number(offset) + (typeof bytes === 'number' ? bytes : gap);
    await queries.write(shown, Number(offset), endBytes);
    if (endBytes >= oldBytes) catchUp();
  };
  await followEvents(
    `/api/runs/${runId}/events`,
    {
      async onEvent(event) {
        if (event.type === 'run.output') await show(event);
        if (event.type !== 'run.ended') return;
        catchUp();
        listener.onEnded();
      },
      onOpen() {
        listener.onReach(true);
        if (!isAway) return;
        isAway = false;
        void fetchOutputBytes(runId, signal).then((bytes) => isAway || queries.setOldBytes(bytes));
      },
      onPause() {
        isAway = true;
        // The next output may have been written while the page was disconnected.
        queries.setOldBytes(Number.POSITIVE_INFINITY);
      },
      onCutOff: () => listener.onReach(false),
    },
    { signal },
  );
}

/** The number of bytes written so far; 0, which treats all output as new, if the request fails. */
async function fetchOutputBytes(runId: string, signal: AbortSignal): Promise<number> {
  try {
    const { output_bytes } = await callService<RunTerminal>(`/api/runs/${runId}/terminal`, { signal });
    return output_bytes ?? 0;
  } catch {
    return 0;
  }
}
