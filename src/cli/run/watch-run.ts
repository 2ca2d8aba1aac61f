import { tr } from '../language.ts';
import { UnreachableError } from '../service-client.ts';
import type { Connection } from './connection.ts';
import { eventsIn, type SeenEvent } from './event-frames.ts';

/**
 * Yields the events of a run, including its output, until it ends. Each byte comes once, even if the service restarts in between.
 * `since` is the position to start from in both streams, such as `1024-0`.
 */
export async function* watchRun(
  runId: string,
  connection: Connection,
  since = '0-0',
): AsyncGenerator<SeenEvent, void, undefined> {
  let lastId = since;
  const path = `/api/runs/${encodeURIComponent(runId)}/events`;
  for (;;) {
    try {
      const { body } = await connection.client.open(path, { headers: { 'last-event-id': lastId } });
      connection.confirm();
      for await (const event of eventsIn(cutOffIn(body))) {
        lastId = event.id;
        yield event;
        if (event.type === 'run.ended') return;
      }
    } catch (error) {
      if (!(error instanceof UnreachableError || error instanceof CutOffError)) throw error;
    }
    await connection.renew(followHint(runId));
  }
}

/** The hint for a run that this command no longer follows. */
export function followHint(runId: string): string {
  return tr(
    `The script continues. When Hob is running again: hob logs ${runId} -f`,
    `脚本仍在运行；Hob 重新启动后可用：hob logs ${runId} -f`,
  );
}

/** The service closed the connection in the middle of a response. */
class CutOffError extends Error {}

async function* cutOffIn(
  body: ReadableStream<Uint8Array> | null,
): AsyncGenerator<Uint8Array, void, undefined> {
  if (body === null) return;
  const reader = body.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read().catch((error: unknown) => {
        throw new CutOffError('cut off', { cause: error });
      });
      if (done) return;
      yield value;
    }
  } finally {
    // Discard the rest of the response.
    await reader.cancel().catch(() => {});
  }
}
