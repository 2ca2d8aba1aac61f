import type { JsonObject } from '../../shared/json.ts';
import { textOf } from '../answer-fields.ts';
import { catchInterrupt } from '../interrupt.ts';
import { tr } from '../language.ts';
import type { ServiceClient } from '../service-client.ts';
import { paint } from '../terminal/paint.ts';
import { UserError } from '../user-error.ts';
import { followOperation, stopOperation } from './follow-operation.ts';
import { readOperation } from './operation.ts';
import { operationDisplay } from './operation-display.ts';

interface Request {
  readonly path: string;
  readonly body: JsonObject;
  /** The text to show while the name of the script is unknown. */
  readonly subject: string;
  /** The message after Ctrl-C. */
  readonly onStop: string;
}

/** Starts an operation and shows its progress on stderr. Ctrl-C cancels it. Returns the finished operation. */
export async function carryOut(client: ServiceClient, request: Request): Promise<JsonObject> {
  const interrupt = catchInterrupt();
  try {
    const started = await client.post(request.path, request.body);
    const id = textOf(started.operation_id) ?? '';
    const { signal } = interrupt;
    const display = operationDisplay(process.stderr, request.subject, (text) =>
      paint('dim', text, process.stderr),
    );
    const seen = await followOperation(id, { client, display, signal });
    if (readOperation(seen).state !== 'running') return seen;
    process.stderr.write(`${tr('Stopping ...', '正在停止 ...')}\n`);
    const stopped = await stopOperation(id, client);
    if (readOperation(stopped).state !== 'cancelled') return stopped;
    throw new UserError(request.onStop, interrupt.exitCode);
  } finally {
    interrupt.release();
  }
}
