import { type FileHandle, lstat, rm } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';

import { AppError, errnoOf } from '../../shared/errors.ts';
import { backOffMs } from '../hubs/ask-hub.ts';
import type { HubResponse } from '../hubs/http-client.ts';
import type { HubFile, Part } from '../hubs/hub.ts';
import { unreachable } from '../hubs/hub-errors.ts';
import { type Batches, type Hashing, hashFile, type RunningHash } from './hashing/hashing.ts';
import { Intake } from './intake.ts';
import { openPartial } from './safe-folder.ts';

type OpenPart = (part: Part, signal: AbortSignal) => Promise<HubResponse>;

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

/** Limit of consecutive failed connections without new data. */
const mostFailures = 5;
/** A server without range support sends the whole file again after each broken connection. */
const mostRestarts = 5;

export interface FetchOptions {
  readonly file: HubFile;
  readonly host: string;
  /** Path of the partial file. Data from an earlier attempt is reused. */
  readonly partial: string;
  readonly open: OpenPart;
  readonly hashing: Hashing;
  readonly batches: Batches;
  readonly signal: AbortSignal;
  readonly pace: number;
  /** Reports bytes added, just fetched or from an earlier attempt. Negative when the file starts over. */
  readonly onBytes: (bytes: number, how: { isFetched: boolean }) => void;
}

/**
 * Fetches a file to its partial path, until it has the right size and hash and is synced to disk. After a broken connection it
 * reconnects and resumes. A file with the wrong content is fetched once more from the beginning, and removed if it is wrong again.
 */
export async function fetchFile(options: FetchOptions): Promise<void> {
  const { file, partial, signal } = options;
  const handle = await openPartial(partial);
  try {
    for (let attempt = 1; ; attempt++) {
      const fault = await fetchOnce(handle, options);
      if (fault === null) break;
      const { size } = await handle.stat();
      await handle.truncate(0);
      options.onBytes(-Math.min(size, file.sizeBytes), { isFetched: false });
      signal.throwIfAborted();
      if (attempt === 2) {
        await rm(partial, { force: true });
        throw corrupt(options, fault);
      }
    }
    await handle.sync();
    const [opened, current] = [await handle.stat(), await lstat(partial)];
    if (opened.ino !== current.ino || opened.size !== file.sizeBytes) throw disturbed(partial);
  } finally {
    await handle.close();
  }
}

/** Fetches the file once. Returns the fault of the content, or null. */
async function fetchOnce(handle: FileHandle, options: FetchOptions): Promise<string | null> {
  const { file, open, signal, batches, onBytes, host, pace } = options;
  const beginHash = () => options.hashing.begin(file.content, file.sizeBytes);
  let hash = beginHash();
  let done = await resume(handle, file, hash, options);
  let etag: string | null = null;
  let restarts = 0;
  for (let failures = 0; done < file.sizeBytes; ) {
    const before = done;
    const got = await receive({
      handle,
      part: { offset: done, etag },
      sizeBytes: file.sizeBytes,
      open,
      signal,
      batches,
      onRestart() {
        onBytes(-done, { isFetched: false });
        hash = beginHash();
        done = 0;
        restarts++;
      },
      hash: () => hash,
      onBytes(bytes) {
        done += bytes;
        onBytes(bytes, { isFetched: true });
      },
    });
    if (got.fault !== null) return got.fault;
    ({ etag } = got);
    if (done === file.sizeBytes) break;
    failures = done > before ? 1 : failures + 1;
    if (failures > mostFailures || restarts > mostRestarts) throw unreachable(host, got.reason);
    await pause(backOffMs(failures) * pace, undefined, { signal });
  }
  return (await hash.isRight()) ? null : 'its hash does not match';
}

/** Hashes the bytes from an earlier attempt. Returns their number. */
async function resume(
  handle: FileHandle,
  file: HubFile,
  hash: RunningHash,
  { signal, batches, onBytes, partial }: FetchOptions,
): Promise<number> {
  const { size } = await handle.stat();
  if (size > file.sizeBytes) {
    await handle.truncate(0);
    return 0;
  }
  onBytes(size, { isFetched: false });
  if ((await hashFile(handle, size, { hash, batches, signal })) < size) throw disturbed(partial);
  return size;
}

function corrupt({ file, host }: FetchOptions, fault: string): AppError {
  return new AppError('download-corrupt', {
    en: `${file.path} from ${host} does not match what the hub announced, twice: ${fault}. Hob removed it.`,
    zh: `${host} 发送的 ${file.path} 两次都与其声明不符（${fault}），已删除。`,
    hint: {
      en: 'Try again later. If the problem persists, the file is damaged on the server, or a proxy modifies it.',
      zh: '请稍后重试。如果仍然如此，说明服务器上的文件已损坏，或传输途中被篡改。',
    },
  });
}

function disturbed(partial: string): AppError {
  return new AppError('download-cache-unusable', {
    en: `Another program changed ${partial} during the download.`,
    zh: `下载期间 ${partial} 被其他程序修改。`,
    hint: {
      en: 'Start the download again when the other program has finished.',
      zh: '请在其他程序结束后重新下载。',
    },
  });
}

/**
 * Requests the rest of a file once, and appends the bytes that arrive. Receiving, writing and hashing run at the same time, with bounded
 * memory. When it returns, all received bytes are written, even if the connection broke.
 */
async function receive(options: ReceiveOptions): Promise<Received> {
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
