import { dirname } from 'node:path';

/** What differs between any two runs of one program, however they are started. */
export interface Particulars {
  readonly folder: string;
  readonly runId: string;
}

/** Bytes as text in which two runs are alike if they did the same. What is no UTF-8 is shown byte by byte. */
export function normaliseBytes(bytes: Buffer, particulars: Particulars): string {
  const text = bytes.toString('utf8');
  return normalise(Buffer.from(text).equals(bytes) ? text : bytes.toString('latin1'), particulars);
}

/**
 * The folder of the script and the one it lies in, the id of the run, which is also in the path of its folder, the number of
 * a process where Node says it in a warning, addresses in memory, and whether two signals are ignored that the C library keeps for
 * itself: it sees to that in whatever is started by its `posix_spawn`. Nothing else is made alike.
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
/** In a stack, or in the numbered one that is shown when Node itself aborts. */
const nodeFrame = new RegExp(`^ *(?:at|\\d+:) (?:async )?(?:.* \\()?${place}\\)?,?( \\{)?$`);
/** Stands for frames that are shown elsewhere. */
const sharedFrames = /^( +)\.\.\. \d+ (lines matching cause stack trace \.\.\.)$/;

/** Takes frames out of the stacks of Node that only say how the program was called: those of Hob's own host, and of Node's loader. */
export function withoutOwnFrames(text: string): string {
  const kept: string[] = [];
  for (const line of text.split('\n')) {
    const own = nodeFrame.exec(line);
    if (own === null) kept.push(line.replace(sharedFrames, '$1... $2'));
    // An error with properties opens them behind its last frame.
    else if (own[1] !== undefined) kept.push('{');
  }
  return kept.join('\n');
}
