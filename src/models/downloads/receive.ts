import type { FileHandle } from 'node:fs/promises';
import { errnoOf } from '../../shared/errors.ts';
import type { HubResponse } from '../hubs/http-client.ts';
import type { Part } from '../hubs/hub.ts';

export type OpenPart = (part: Part, signal: AbortSignal) => Promise<HubResponse>;

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
/** Batches that wait to be written before no more is taken: while a disk writes, the network need not stand still. */
const mostWaiting = 3;
/** So often what was written is sent on to the disk meanwhile: at the end of a large file there is not all of it left to wait for. */
const syncBytes = 128 * 1024 * 1024;

/**
 * Receives as much of a file as one answer brings, and writes it behind what is there. While some bytes are written the next are
 * received and hashed, and not many: memory stays flat. All that was taken is written when it returns, also after a broken connection.
 */
export async function receive(options: ReceiveOptions): Promise<Received> {
  const { handle, part, sizeBytes, open, signal, take } = options;
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

  const writer = new BatchWriter(handle, at);
  let isTooLong = false;
  let reason: string | undefined;
  try {
    await eachChunk(response, (chunk) => {
      at += chunk.length;
      isTooLong = at > sizeBytes;
      if (isTooLong) {
        response.destroy();
        return null;
      }
      take(chunk);
      return writer.add(chunk);
    });
  } catch (error) {
    signal.throwIfAborted();
    reason = errnoOf(error) ?? 'the connection broke';
  } finally {
    await writer.end();
  }
  if (isTooLong) return received(`it has more than ${sizeBytes} bytes`);
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
function strongEtag({ headers: { etag } }: HubResponse): string | null {
  return etag !== undefined && /^"[\x21\x23-\x7E]{1,200}"$/.test(etag) ? etag : null;
}

function fitsRange({ headers }: HubResponse, offset: number, sizeBytes: number): boolean {
  const [, from, to, total] = /^bytes (\d+)-(\d+)\/(\d+|\*)$/.exec(headers['content-range'] ?? '') ?? [];
  return Number(from) === offset && Number(to) < sizeBytes && (total === '*' || Number(total) === sizeBytes);
}

/**
 * Hands over a body in the pieces in which it arrives: reading it as an iterator would copy each of them once more. Whoever takes a piece
 * may return a promise, and gets no more until it is kept.
 */
function eachChunk(body: HubResponse, take: (chunk: Buffer) => Promise<void> | null): Promise<void> {
  return new Promise((resolve, reject) => {
    body.on('data', (chunk: Buffer) => {
      const taken = take(chunk);
      if (taken === null) return;
      body.pause();
      // What went wrong with it is told by the writer, at the end.
      void taken.then(
        () => body.resume(),
        () => body.destroy(),
      );
    });
    body.once('end', resolve);
    body.once('error', reject);
    body.once('close', () => reject(new Error('the body ended too early')));
  });
}

/**
 * Writes batches one after the other, each only when the one before is written: after a crash there is a beginning of the file, never
 * one with a hole in it.
 */
class BatchWriter {
  readonly #handle: FileHandle;
  #at: number;
  #batch: Buffer[] = [];
  #bytes = 0;
  #waiting = 0;
  #unsyncedBytes = 0;
  #written: Promise<void> = Promise.resolve();
  #synced: Promise<unknown> = Promise.resolve();

  constructor(handle: FileHandle, at: number) {
    this.#handle = handle;
    this.#at = at;
  }

  /** Null when more can be taken at once. */
  add(chunk: Buffer): Promise<void> | null {
    this.#batch.push(chunk);
    this.#bytes += chunk.length;
    if (this.#bytes < batchBytes) return null;
    this.#flush();
    return this.#waiting < mostWaiting ? null : this.#written;
  }

  async end(): Promise<void> {
    this.#flush();
    await this.#written;
    await this.#synced;
  }

  #sync(): void {
    this.#unsyncedBytes = 0;
    // Whoever needs to be sure syncs the whole file in the end, and is told then what went wrong.
    this.#synced = Promise.all([this.#synced, this.#handle.datasync().catch(() => {})]);
  }

  #flush(): void {
    const batch = this.#batch;
    const at = this.#at;
    this.#batch = [];
    this.#at += this.#bytes;
    this.#unsyncedBytes += this.#bytes;
    this.#bytes = 0;
    this.#waiting++;
    this.#written = this.#written.then(() => writeAll(this.#handle, batch, at));
    if (this.#unsyncedBytes >= syncBytes) this.#sync();
    // It is awaited at the end; until then it is nobody's.
    this.#written.then(
      () => this.#waiting--,
      () => {},
    );
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
