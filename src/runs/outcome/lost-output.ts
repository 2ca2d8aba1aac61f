import { lstat } from 'node:fs/promises';

import type { RunEnd, StreamCapture } from '../../execution/messages.ts';
import type { RunFolder } from '../parameter-file.ts';

/** Nobody counted what a lost run wrote; what is in its logs is what is known of it. */
export async function withKeptOutput(end: RunEnd, folder: RunFolder): Promise<RunEnd> {
  const [stdout, stderr] = await Promise.all([keptIn(folder.stdoutLog), keptIn(folder.stderrLog)]);
  return { ...end, stdout, stderr };
}

/** All that a log has, as the beginning of what was written. */
export async function keptIn(log: string): Promise<StreamCapture> {
  const file = await lstat(log).catch(() => null);
  const bytes = file?.isFile() ? file.size : 0;
  return { bytes, headBytes: bytes, tailBytes: 0 };
}
