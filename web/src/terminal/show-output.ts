import type { ServiceEvent } from '../api/event-frames.ts';
import { followEvents } from '../api/follow-events.ts';
import type { QueryWatch } from './query-watch.ts';

interface OutputListener {
  /** What is to be said in the place of bytes that were not kept. */
  describeGap: (bytes: number) => string;
  /** All that was written before is shown. */
  onCaughtUp: () => void;
  onReach: (isThere: boolean) => void;
  onEnded: () => void;
}

/** Shows all that a run has written, and what it writes, until it has ended or the signal. */
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
  const show = async ({ data }: ServiceEvent) => {
    const { text, offset, bytes, missing } = data;
    const gap = typeof missing === 'number' ? missing : 0;
    const shown = typeof text === 'string' ? text : `\r\n\x1b[2m${listener.describeGap(gap)}\x1b[0m\r\n`;
    // Not before it is drawn: what comes faster than that waits in the service, where it is kept anyway.
    await queries.write(shown, Number(offset));
    if (Number(offset) + (typeof bytes === 'number' ? bytes : gap) >= oldBytes) catchUp();
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
      onOpen: () => listener.onReach(true),
      onCutOff: () => listener.onReach(false),
    },
    { signal },
  );
}
