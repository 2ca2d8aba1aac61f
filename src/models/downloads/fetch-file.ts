import type { FileHandle } from 'node:fs/promises';
import { lstat, rm } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';

import { AppError } from '../../shared/errors.ts';
import { backOffMs } from '../hubs/ask-hub.ts';
import type { HubFile } from '../hubs/hub.ts';
import { unreachable } from '../hubs/hub-errors.ts';
import type { Batches } from './batches.ts';
import { hashFile } from './hashing/hash-file.ts';
import type { Hashing } from './hashing/hashing.ts';
import type { RunningHash } from './hashing/running-hash.ts';
import { type OpenPart, receive } from './receive.ts';
import { openPartial } from './safe-folder.ts';

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
  return new AppError(
    'download-corrupt',
    {
      en: `${file.path} from ${host} does not match what the hub announced, twice: ${fault}. Hob removed it.`,
      zh: `${host} 发送的 ${file.path} 两次都与其声明不符（${fault}），已删除。`,
    },
    {
      hint: {
        en: 'Try again later. If the problem persists, the file is damaged on the server, or a proxy modifies it.',
        zh: '请稍后重试。如果仍然如此，说明服务器上的文件已损坏，或传输途中被篡改。',
      },
    },
  );
}

function disturbed(partial: string): AppError {
  return new AppError(
    'download-cache-unusable',
    {
      en: `Another program changed ${partial} during the download.`,
      zh: `下载期间 ${partial} 被其他程序修改。`,
    },
    {
      hint: {
        en: 'Start the download again when the other program has finished.',
        zh: '请在其他程序结束后重新下载。',
      },
    },
  );
}
