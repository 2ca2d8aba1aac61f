import { followEvents } from '../api/follow-events.ts';
import { getJson } from '../api/hob.ts';
import type { EventData, RunTerminal } from '../api/wire.ts';
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
  const show = async ({ text, offset, bytes, missing }: EventData<'run.output'>) => {
    const shown = missing === undefined ? text : `\r\n\x1b[2m${listener.describeGap(missing)}\x1b[0m\r\n`;
    // Wait until the output is drawn. Faster output waits in the service, which stores it anyway.
    const endBytes = offset + (missing ?? bytes);
    await queries.write(shown, offset, endBytes);
    if (endBytes >= oldBytes) catchUp();
  };
  await followEvents(
    `/api/runs/${runId}/events`,
    {
      async onEvent({ type, data }) {
        if (type === 'run.output') await show(data);
        if (type !== 'run.ended') return;
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
    signal,
  );
}

/** The number of bytes written so far; 0, which treats all output as new, if the request fails. */
async function fetchOutputBytes(runId: string, signal: AbortSignal): Promise<number> {
  try {
    const { output_bytes } = await getJson<RunTerminal>(`/api/runs/${runId}/terminal`, { signal });
    return output_bytes ?? 0;
  } catch {
    return 0;
  }
}
