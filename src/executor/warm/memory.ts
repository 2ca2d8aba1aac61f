import { readFile } from 'node:fs/promises';
import { totalmem } from 'node:os';

const mebibyte = 1024 * 1024;
/** Below this the machine is short of memory. */
const leastBytes = 256 * mebibyte;
const leastPart = 0.05;

/** What a process takes, its share of what it has in common with others included; null where the system does not tell. */
export async function memoryOf(pid: number): Promise<number | null> {
  const text = await readFile(`/proc/${pid}/smaps_rollup`, 'latin1').catch(() => '');
  const kibibytes = /^Pss:\s+(\d+) kB$/m.exec(text)?.[1];
  return kibibytes === undefined ? null : Number(kibibytes) * 1024;
}

/** Whether there is too little left, for this machine or for the container that we are in, to keep anything for later. */
export function isShortOfMemory(availableBytes = process.availableMemory()): boolean {
  return (
    availableBytes <
    Math.max(leastBytes, leastPart * Math.min(totalmem(), process.constrainedMemory() || Infinity))
  );
}
