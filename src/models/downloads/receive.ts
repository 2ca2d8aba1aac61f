import type { FileHandle } from 'node:fs/promises';

import { errnoOf } from '../../shared/errors.ts';
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
  /** Called when receiving starts again from the beginning of the file. */
  readonly onRestart: () => void;
  /** The running hash of the bytes that are already in the file. */
  readonly hash: () => RunningHash;
  readonly onBytes: (bytes: number) => void;
}

interface Received {
  /** Why the content is wrong, so that another request for the rest is pointless; null if nothing is wrong. */
  readonly fault: string | null;
  /** Why the response ended, for the case that bytes are still missing. */
  readonly reason: string;
  readonly etag: string | null;
}

/**
 * Requests the rest of a file once, and appends the bytes that arrive. Receiving, writing and hashing run at the same time, with bounded
 * memory. When it returns, all received bytes are written, even if the connection broke.
 */
export async function receive(options: ReceiveOptions): Promise<Received> {
  const { handle, part, sizeBytes, open, signal, batches, hash, onBytes } = options;
  const response = await open(part, signal);
  const etag = strongEtag(response) ?? (response.statusCode === 206 ? part.etag : null);
  const received = (fault: string | null, reason = 'the response ended too early'): Received => {
    if (fault !== null) response.destroy();
    return { fault, reason, etag };
  };
  response.on('error', () => {});
  let at = part.offset;
  const hasChanged = part.etag !== null && etag !== part.etag;
  switch (response.statusCode) {
    case 200:
      // The server does not support ranges, or the file has changed.
      if (at > 0) await startOver();
      break;
    case 206:
      if (hasChanged) return startedOver();
      if (!fitsRange(response, at, sizeBytes))
        return received('the server sent a different part than requested');
      break;
    default:
      if (at > 0) return startedOver();
      return received('the server sent no data');
  }
  const length = response.headers['content-length'];
  if (length !== undefined && Number(length) !== sizeBytes - at)
    return received(`it has ${at + Number(length)} bytes instead of ${sizeBytes}`);

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
    for await (const chunk of response) {
      at += chunk.length;
      if (at > sizeBytes) break;
      if (!intake.add(chunk)) await withoutTimeout(response, intake.whenRoom());
    }
  } catch (error) {
    broken = { error };
  }
  // Keep the received bytes, even if the rest failed.
  await intake.end();
  if (at > sizeBytes) return received(`it has more than ${sizeBytes} bytes`);
  if (broken === null) return received(null);
  signal.throwIfAborted();
  return received(null, errnoOf(broken.error) ?? 'the connection was lost');

  async function startedOver(): Promise<Received> {
    response.destroy();
    await startOver();
    return received(null, 'the file has changed on the server');
  }

  async function startOver(): Promise<void> {
    options.onRestart();
    at = 0;
    await handle.truncate(0).catch((error: unknown) => {
      response.destroy();
      throw error;
    });
  }
}

/** Waits while nothing is read from a response. The time limit for a silent server does not count meanwhile. */
async function withoutTimeout({ socket }: HubResponse, waiting: Promise<void>): Promise<void> {
  const { timeout } = socket;
  socket.setTimeout(0);
  try {
    await waiting;
  } finally {
    socket.setTimeout(timeout ?? 0);
  }
}

/** Only a strong ETag guarantees identical bytes. */
function strongEtag({ headers: { etag } }: HubResponse): string | null {
  return etag !== undefined && /^"[\x21\x23-\x7E]{1,200}"$/.test(etag) ? etag : null;
}

function fitsRange({ headers }: HubResponse, offset: number, sizeBytes: number): boolean {
  const [, from, to, total] = /^bytes (\d+)-(\d+)\/(\d+|\*)$/.exec(headers['content-range'] ?? '') ?? [];
  return Number(from) === offset && Number(to) < sizeBytes && (total === '*' || Number(total) === sizeBytes);
}
