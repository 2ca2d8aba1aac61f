import type { WaitingFile } from './waiting-files.ts';

/** Limits of one run: the parameter file must stay small, and a script may pass each path as an argument. */
const mostFiles = 1000;
const mostPathBytes = 256 * 1024;

type ReadyFile = WaitingFile & { readonly completeMs: number };

/**
 * Divides complete files, the earliest first, into groups that share a run. A group is due when its first file has been complete
 * for `batchMs`, or when it is full.
 */
export function formGroups(
  files: readonly ReadyFile[],
  { batchMs, nowMs, most }: { batchMs: number | null; nowMs: number; most: number },
): { due: ReadyFile[][]; nextDueMs: number } {
  if (batchMs === null)
    return { due: files.slice(0, most).map((file) => [file]), nextDueMs: Number.POSITIVE_INFINITY };
  const due: ReadyFile[][] = [];
  let group: ReadyFile[] = [];
  let bytes = 0;
  const close = () => {
    due.push(group);
    group = [];
    bytes = 0;
  };
  for (const file of files) {
    const [first] = group;
    const pathBytes = Buffer.byteLength(file.file.path);
    const isApart = first !== undefined && file.completeMs > first.completeMs + batchMs;
    if (isApart || group.length >= mostFiles || (group.length > 0 && bytes + pathBytes > mostPathBytes))
      close();
    group.push(file);
    bytes += pathBytes;
  }
  const [first] = group;
  let nextDueMs = Number.POSITIVE_INFINITY;
  if (first !== undefined && first.completeMs + batchMs <= nowMs) close();
  else if (first !== undefined) nextDueMs = first.completeMs + batchMs;
  return { due: due.slice(0, most), nextDueMs };
}
