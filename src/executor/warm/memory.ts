import { readFile } from 'node:fs/promises';
import { totalmem } from 'node:os';

const mebibyte = 1024 * 1024;
/** Below this the machine is short of memory. */
const leastBytes = 256 * mebibyte;
const leastPart = 0.05;

/**
 * The memory that a process uses, including its share of memory that it shares with others; null where the system does
 * not provide it.
 */
export async function memoryOf(pid: number): Promise<number | null> {
  const text = await readFile(`/proc/${pid}/smaps_rollup`, 'latin1').catch(() => '');
  const kibibytes = /^Pss:\s+(\d+) kB$/m.exec(text)?.[1];
  return kibibytes === undefined ? null : Number(kibibytes) * 1024;
}

/** Whether this machine, or the container that we are in, has too little memory left to keep warm interpreters. */
export function isShortOfMemory(availableBytes = process.availableMemory()): boolean {
  return (
    availableBytes <
    Math.max(leastBytes, leastPart * Math.min(totalmem(), process.constrainedMemory() || Infinity))
  );
}
