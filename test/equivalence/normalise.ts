import { dirname } from 'node:path';

/** Values that differ between any two runs of one program, however they are started. */
export interface Particulars {
  readonly folder: string;
  readonly runId: string;
}

/** Bytes as text that is equal for two runs that did the same. Bytes that are not UTF-8 are shown one by one. */
export function normaliseBytes(bytes: Buffer, particulars: Particulars): string {
  const text = bytes.toString('utf8');
  return normalise(Buffer.from(text).equals(bytes) ? text : bytes.toString('latin1'), particulars);
}

/**
 * Replaces the folder of the script and its parent, the id of the run (also in the path of its folder), the process id
 * in a warning of Node, memory addresses, and the flags of two ignored signals that the C library reserves: `posix_spawn` of
 * the C library changes them in every process that it starts. Nothing else is replaced.
 */
export function normalise(text: string, { folder, runId }: Particulars): string {
  return text
    .replaceAll(folder, '<folder>')
    .replaceAll(dirname(folder), '<scripts>')
    .replaceAll(runId, '<run>')
    .replace(/\(node:\d+\)/g, '(node:<pid>)')
    .replace(/\b0x[0-9a-f]{8,16}\b/g, '<address>')
    .replace(/(?<=SigIgn:(?:\t|\\+t)0{7})[01][08]/g, '<own>');
}

const place = String.raw`(?:node:internal/[^()]+|(?:file://)?/[^()]*/dist/executor/warm/[^()]+):\d+:\d+`;
/** A frame of a stack, or of the numbered stack that Node prints when it aborts. */
const nodeFrame = new RegExp(`^ *(?:at|\\d+:) (?:async )?(?:.* \\()?${place}\\)?,?( \\{)?$`);
/** A placeholder for frames that are printed elsewhere. */
const sharedFrames = /^( +)\.\.\. \d+ (lines matching cause stack trace \.\.\.)$/;

/** Removes stack frames of Hob's own host and of Node's loader, which only show how the program was called. */
export function withoutOwnFrames(text: string): string {
  const kept: string[] = [];
  for (const line of text.split('\n')) {
    const own = nodeFrame.exec(line);
    if (own === null) kept.push(line.replace(sharedFrames, '$1... $2'));
    // The properties of an error begin after its last frame.
    else if (own[1] !== undefined) kept.push('{');
  }
  return kept.join('\n');
}
