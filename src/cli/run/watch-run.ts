import { tr } from '../language.ts';
import { UnreachableError } from '../service-client.ts';
import type { Connection } from './connection.ts';
import { eventsIn, type SeenEvent } from './event-frames.ts';

/**
 * All that happens to a run, its output included, until it has ended: each byte once, also when the service is started anew meanwhile.
 * `since` is how much of its streams is known already, such as `1024-0`.
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
    await connection.renew(goesOnText(runId));
  }
}

/** What is said of a run that nobody watches any more. */
export function goesOnText(runId: string): string {
  return tr(
    `The script continues. When Hob is running again: hob logs ${runId} -f`,
    `脚本仍在运行；Hob 重新启动后可用：hob logs ${runId} -f`,
  );
}

/** The service has ended in the middle of an answer. */
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
    // Nobody reads what is still to come.
    await reader.cancel().catch(() => {});
  }
}
