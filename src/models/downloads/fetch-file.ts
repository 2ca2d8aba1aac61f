import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { type FileHandle, lstat, rm } from 'node:fs/promises';
import { finished } from 'node:stream/promises';
import { setTimeout as pause } from 'node:timers/promises';

import { AppError, errnoOf } from '../../shared/errors.ts';
import { backOffMs } from '../hubs/ask-hub.ts';
import type { HubResponse } from '../hubs/http-client.ts';
import type { HubFile, Part } from '../hubs/hub.ts';
import { unreachable } from '../hubs/hub-errors.ts';
import { beginHash, type FileHash } from './hashing/hashing.ts';
import { openPartial } from './safe-folder.ts';

/** The state of a file that is being fetched. */
interface Progress {
  /** Number of bytes in the file. */
  done: number;
  etag: string | null;
  restarts: number;
  hash: FileHash;
}

interface Received {
  /** Why the content is wrong, so that another request for the rest is pointless; null if nothing is wrong. */
  readonly fault: string | null;
  /** Why the response ended, for the case that bytes are still missing. */
  readonly reason: string;
}

/** Collected before they are written, so that large files need few writes. */
const bufferedBytes = 1024 * 1024;
/** Sync the file each time this much was written, so that the sync at the end of a large file is short. */
const syncBytes = 64 * 1024 * 1024;
/** Limit of consecutive failed connections without new data. */
const mostFailures = 5;
/** A server without range support sends the whole file again after each broken connection. */
const mostRestarts = 5;

export interface FetchOptions {
  readonly file: HubFile;
  readonly host: string;
  /** Path of the partial file. Data from an earlier attempt is reused. */
  readonly partial: string;
  readonly open: (part: Part, signal: AbortSignal) => Promise<HubResponse>;
  /** Entry file of the hashing thread. */
  readonly hashEntry: URL;
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
  const { file, signal, host, pace, onBytes } = options;
  const done = await keepStart(handle, file);
  const progress: Progress = { done, etag: null, restarts: 0, hash: hashOf(handle, options) };
  try {
    onBytes(done, { isFetched: false });
    progress.hash.advance(done);
    for (let failures = 0; progress.done < file.sizeBytes; ) {
      const before = progress.done;
      const { fault, reason } = await receive(handle, progress, options);
      if (fault !== null) return fault;
      if (progress.done === file.sizeBytes) break;
      failures = progress.done > before ? 1 : failures + 1;
      if (failures > mostFailures || progress.restarts > mostRestarts) throw unreachable(host, reason);
      await pause(backOffMs(failures) * pace, undefined, { signal });
    }
    return (await progress.hash.isRight()) ? null : 'its hash does not match';
  } finally {
    await progress.hash.close();
  }
}

function hashOf({ fd }: FileHandle, { file, hashEntry, signal }: FetchOptions): FileHash {
  return beginHash({ fd, content: file.content, sizeBytes: file.sizeBytes }, hashEntry, signal);
}

/** Returns the number of bytes from an earlier attempt. Removes them if they cannot be a part of the file. */
async function keepStart(handle: FileHandle, file: HubFile): Promise<number> {
  const { size } = await handle.stat();
  if (size <= file.sizeBytes) return size;
  await handle.truncate(0);
  return 0;
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
 * Requests the rest of a file once, and appends the bytes that arrive, with bounded memory. When it returns, all received bytes are
 * written, even if the connection broke.
 */
async function receive(handle: FileHandle, progress: Progress, options: FetchOptions): Promise<Received> {
  const { open, signal, onBytes } = options;
  const { sizeBytes } = options.file;
  const response = await open({ offset: progress.done, etag: progress.etag }, signal);
  response.on('error', () => {});
  const received = (fault: string | null, reason = 'the response ended too early'): Received => {
    if (fault !== null) response.destroy();
    return { fault, reason };
  };
  const etag = strongEtag(response) ?? (response.statusCode === 206 ? progress.etag : null);
  const hasChanged = progress.etag !== null && etag !== progress.etag;
  progress.etag = etag;
  switch (response.statusCode) {
    case 200:
      // The server does not support ranges, or the file has changed.
      if (progress.done > 0) await startOver();
      break;
    case 206:
      if (hasChanged) return startedOver();
      if (!fitsRange(response, progress.done, sizeBytes))
        return received('the server sent a different part than requested');
      break;
    default:
      if (progress.done > 0) return startedOver();
      return received('the server sent no data');
  }
  const length = response.headers['content-length'];
  if (length !== undefined && Number(length) !== sizeBytes - progress.done)
    return received(`it has ${progress.done + Number(length)} bytes instead of ${sizeBytes}`);

  const output = createWriteStream('', {
    fd: handle.fd,
    autoClose: false,
    start: progress.done,
    highWaterMark: bufferedBytes,
  });
  const written = finished(output);
  written.catch(() => response.destroy());
  let isTooLong = false;
  let broken: { readonly error: unknown } | null = null;
  let syncAt = progress.done + syncBytes;
  try {
    for await (const chunk of response) {
      isTooLong = progress.done + chunk.length > sizeBytes;
      if (isTooLong) break;
      progress.done += chunk.length;
      onBytes(chunk.length, { isFetched: true });
      if (output.write(chunk)) continue;
      await withoutTimeout(response, Promise.race([once(output, 'drain'), written]));
      progress.hash.advance(progress.done);
      if (progress.done < syncAt) continue;
      syncAt = progress.done + syncBytes;
      // The sync of the whole file at the end reports errors.
      handle.datasync().catch(() => {});
    }
  } catch (error) {
    broken = { error };
  }
  // Keep the received bytes, even if the rest failed.
  output.end();
  await written;
  progress.hash.advance(progress.done);
  if (isTooLong) return received(`it has more than ${sizeBytes} bytes`);
  if (broken === null) return received(null);
  signal.throwIfAborted();
  return received(null, errnoOf(broken.error) ?? 'the connection was lost');

  async function startedOver(): Promise<Received> {
    response.destroy();
    await startOver();
    return received(null, 'the file has changed on the server');
  }

  async function startOver(): Promise<void> {
    onBytes(-progress.done, { isFetched: false });
    await progress.hash.close();
    progress.hash = hashOf(handle, options);
    progress.done = 0;
    progress.restarts++;
    await handle.truncate(0).catch((error: unknown) => {
      response.destroy();
      throw error;
    });
  }
}

/** Waits while nothing is read from a response. The time limit for a silent server does not count meanwhile. */
async function withoutTimeout({ socket }: HubResponse, waiting: Promise<unknown>): Promise<void> {
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
