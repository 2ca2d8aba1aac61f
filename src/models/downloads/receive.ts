import type { FileHandle } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';

import { errnoOf } from '../../shared/errors.ts';
import type { Part } from '../hubs/hub.ts';

export type OpenPart = (part: Part, signal: AbortSignal) => Promise<IncomingMessage>;

interface ReceiveOptions {
  readonly handle: FileHandle;
  readonly part: Part;
  readonly sizeBytes: number;
  readonly open: OpenPart;
  readonly signal: AbortSignal;
  /** The server sends the file from its beginning, whatever was asked for. */
  readonly beginAnew: () => void;
  readonly take: (bytes: Buffer) => void;
}

interface Received {
  /** What cannot be right about the content, however often it is asked for. */
  readonly fault: string | null;
  /** Why there was no more, when there should have been. */
  readonly reason: string;
  readonly etag: string | null;
}

/** Gathered before they are written: large enough to cost little, small enough to be forgotten. */
const batchBytes = 1024 * 1024;

/**
 * Receives as much of a file as one answer brings, and writes it behind what is there. While some bytes are written the next are
 * received and hashed, and no further: memory stays flat. All that was taken is written when it returns, also after a broken connection.
 */
export async function receive(options: ReceiveOptions): Promise<Received> {
  const { handle, part, sizeBytes, open, signal, take } = options;
  const response = await open(part, signal);
  const etag = strongEtag(response);
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

  const writer = new BatchWriter(handle, at);
  let reason: string | undefined;
  try {
    for await (const chunk of response) {
      at += chunk.length;
      if (at > sizeBytes) return received(`it has more than ${sizeBytes} bytes`);
      take(chunk);
      await writer.add(chunk);
    }
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof WriteError) throw error.cause;
    reason = errnoOf(error) ?? 'the connection broke';
  } finally {
    await writer.end();
  }
  return received(null, reason);

  async function startedOver(): Promise<Received> {
    response.destroy();
    await startOver();
    return received(null, 'the file has changed on the server');
  }

  async function startOver(): Promise<void> {
    options.beginAnew();
    at = 0;
    await handle.truncate(0);
  }
}

/** Only a strong one says that the bytes are the same. */
function strongEtag({ headers: { etag } }: IncomingMessage): string | null {
  return etag !== undefined && /^"[\x21\x23-\x7E]{1,200}"$/.test(etag) ? etag : null;
}

function fitsRange({ headers }: IncomingMessage, offset: number, sizeBytes: number): boolean {
  const [, from, to, total] = /^bytes (\d+)-(\d+)\/(\d+|\*)$/.exec(headers['content-range'] ?? '') ?? [];
  return Number(from) === offset && Number(to) < sizeBytes && (total === '*' || Number(total) === sizeBytes);
}

/** Tells a disk that refuses from a connection that breaks. */
class WriteError extends Error {}

class BatchWriter {
  readonly #handle: FileHandle;
  #at: number;
  #batch: Buffer[] = [];
  #bytes = 0;
  #writing: Promise<unknown> = Promise.resolve();

  constructor(handle: FileHandle, at: number) {
    this.#handle = handle;
    this.#at = at;
  }

  async add(chunk: Buffer): Promise<void> {
    this.#batch.push(chunk);
    this.#bytes += chunk.length;
    if (this.#bytes >= batchBytes) await this.#flush();
  }

  async end(): Promise<void> {
    try {
      await this.#flush();
      await this.#writing;
    } catch (error) {
      throw error instanceof WriteError ? error.cause : error;
    }
  }

  /** Waits for the batch before, not for this one. */
  async #flush(): Promise<void> {
    await this.#writing;
    const batch = this.#batch;
    const at = this.#at;
    this.#batch = [];
    this.#at += this.#bytes;
    this.#bytes = 0;
    this.#writing = writeAll(this.#handle, batch, at).catch((error: unknown) => {
      throw new WriteError('the disk refused', { cause: error });
    });
    // It is awaited with the next batch; until then it is nobody's.
    this.#writing.catch(() => {});
  }
}

async function writeAll(handle: FileHandle, batch: Buffer[], start: number): Promise<void> {
  if (batch.length === 0) return;
  const total = batch.reduce((sum, { length }) => sum + length, 0);
  let { bytesWritten } = await handle.writev(batch, start);
  if (bytesWritten === total) return;
  // A disk that is nearly full takes a part; the rest tells why.
  const all = Buffer.concat(batch, total);
  while (bytesWritten < total) {
    const rest = await handle.write(all, bytesWritten, total - bytesWritten, start + bytesWritten);
    bytesWritten += rest.bytesWritten;
  }
}
