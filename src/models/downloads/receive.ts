import type { FileHandle } from 'node:fs/promises';

import { errnoOf } from '../../shared/errors.ts';
import { pour, TooLongError } from '../hubs/body-tap.ts';
import type { HubResponse } from '../hubs/http-client.ts';
import type { Part } from '../hubs/hub.ts';
import type { Batches } from './batches.ts';
import type { RunningHash } from './hashing/running-hash.ts';
import { Intake } from './intake.ts';

export type OpenPart = (part: Part, signal: AbortSignal) => Promise<HubResponse>;

interface ReceiveOptions {
  readonly handle: FileHandle;
  readonly part: Part;
  readonly sizeBytes: number;
  readonly open: OpenPart;
  readonly signal: AbortSignal;
  readonly batches: Batches;
  /** The server sends the file from its beginning, whatever was asked for. */
  readonly beginAnew: () => void;
  /** The hash of what is there, to go on with. */
  readonly hash: () => RunningHash;
  readonly onBytes: (bytes: number) => void;
}

interface Received {
  /** What cannot be right about the content, however often it is asked for. */
  readonly fault: string | null;
  /** Why there was no more, when there should have been. */
  readonly reason: string;
  readonly etag: string | null;
}

/**
 * Receives as much of a file as one answer brings, and writes it behind what is there. While some bytes are written the next are
 * received and hashed, and not many: memory stays flat. All that was taken is written when it returns, also after a broken connection.
 */
export async function receive(options: ReceiveOptions): Promise<Received> {
  const { handle, part, sizeBytes, open, signal, batches, hash, onBytes } = options;
  const response = await open(part, signal);
  const etag = strongEtag(response) ?? (response.statusCode === 206 ? part.etag : null);
  const received = (fault: string | null, reason = 'the answer ended too early'): Received => {
    if (fault !== null) response.destroy();
    return { fault, reason, etag };
  };
  response.on('error', () => {});
  let at = part.offset;
  const hasChanged = part.etag !== null && etag !== part.etag;
  switch (response.statusCode) {
    case 200:
      // Whatever was asked for: a server may not know of parts, or the file has changed.
      if (at > 0) await startOver();
      break;
    case 206:
      if (hasChanged) return startedOver();
      if (!fitsRange(response, at, sizeBytes)) return received('another part of it came than was asked for');
      break;
    default:
      if (at > 0) return startedOver();
      return received('the server has nothing of it');
  }
  const length = response.headers['content-length'];
  if (length !== undefined && Number(length) !== sizeBytes - at)
    return received(`it has ${at + Number(length)} bytes instead of ${sizeBytes}`);

  const mostBytes = sizeBytes - at;
  const intake = new Intake({
    handle,
    at,
    batches,
    hash: hash(),
    onBytes,
    onFault: () => response.destroy(),
  });
  let broken: { readonly error: unknown } | null = null;
  try {
    await pour(response, intake, mostBytes);
  } catch (error) {
    broken = { error };
  }
  // What has come is kept, whatever happened to the rest of it.
  await intake.end();
  if (broken === null) return received(null);
  signal.throwIfAborted();
  if (broken.error instanceof TooLongError) return received(`it has more than ${sizeBytes} bytes`);
  return received(null, errnoOf(broken.error) ?? 'the connection broke');

  async function startedOver(): Promise<Received> {
    response.destroy();
    await startOver();
    return received(null, 'the file has changed on the server');
  }

  async function startOver(): Promise<void> {
    options.beginAnew();
    at = 0;
    await handle.truncate(0).catch((error: unknown) => {
      response.destroy();
      throw error;
    });
  }
}

/** Only a strong one says that the bytes are the same. */
function strongEtag({ headers: { etag } }: HubResponse): string | null {
  return etag !== undefined && /^"[\x21\x23-\x7E]{1,200}"$/.test(etag) ? etag : null;
}

function fitsRange({ headers }: HubResponse, offset: number, sizeBytes: number): boolean {
  const [, from, to, total] = /^bytes (\d+)-(\d+)\/(\d+|\*)$/.exec(headers['content-range'] ?? '') ?? [];
  return Number(from) === offset && Number(to) < sizeBytes && (total === '*' || Number(total) === sizeBytes);
}
