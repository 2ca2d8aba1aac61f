import { closeSync, constants, openSync, readFileSync, renameSync, rmSync, writeSync } from 'node:fs';
import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';

import type { RunEnd, StreamCapture } from '../execution/messages.ts';
import { isAlive } from '../shared/process-stat.ts';
import { startTicksOf } from './run-processes.ts';

/** The main process of a run, so that the next executor can find it. */
export interface StartedRun {
  readonly runId: string;
  /**
   * Zero if the executor was killed before it wrote the id. The processes of the run are then found only by their
   * environment.
   */
  readonly pid: number;
  readonly startTicks: number;
}

/** The runs that an ended executor left in its journal. */
export interface Legacy {
  /** Runs that it started and whose end it did not observe. Empty after a reboot, which ended them all. */
  readonly inFlight: readonly StartedRun[];
  /** Ends that no service has acknowledged. */
  readonly unheard: readonly RunEnd[];
  /** The folder of its cgroups, if it had any. */
  readonly cgroups: string | null;
}

interface Author {
  readonly bootId: string;
  readonly pid: number;
  readonly startTicks: number;
  readonly cgroups: string | null;
}

type Line =
  | { readonly author: Author }
  | { readonly started: StartedRun }
  | { readonly ended: RunEnd }
  | { readonly heard: string };

const journalEnd = '-runs.jsonl';
const draftEnd = '.new';
/** When the journal exceeds this size, it is rewritten without finished runs. */
const compactAboveBytes = 1024 * 1024;

/**
 * The information that the next executor needs if this one is killed, one line per event. A line that cannot be written
 * is lost: the run is more important than its record.
 */
export class Journal {
  readonly #path: string;
  readonly #author: Author;
  readonly #started = new Map<string, StartedRun>();
  readonly #unheard = new Map<string, RunEnd>();
  #fd: number;
  #bytes = 0;
  #compactAt = compactAboveBytes;
  /** Whether the last line was written only in part. */
  #isLineOpen = false;

  constructor(folder: string, instance: string, cgroups: string | null) {
    this.#path = join(folder, `${instance}${journalEnd}`);
    this.#author = {
      bootId: readBootId(),
      pid: process.pid,
      startTicks: startTicksOf(process.pid),
      cgroups,
    };
    this.#fd = create(this.#path);
    this.#write({ author: this.#author });
  }

  /** Call this before the script is started: no script may run that the next executor could not find. */
  starting(runId: string): void {
    this.started({ runId, pid: 0, startTicks: 0 });
  }

  started(run: StartedRun): void {
    this.#started.set(run.runId, run);
    this.#write({ started: run });
  }

  ended(end: RunEnd): void {
    // The output is in the logs.
    const ended = { ...end, stdout: withoutText(end.stdout), stderr: withoutText(end.stderr) };
    this.#started.delete(end.runId);
    this.#unheard.set(end.runId, ended);
    this.#write({ ended });
  }

  heard(runId: string): void {
    if (this.#unheard.delete(runId)) this.#write({ heard: runId });
  }

  /** Removes the journal, unless it contains ends that are not acknowledged. */
  async close(): Promise<void> {
    closeSync(this.#fd);
    if (this.#unheard.size === 0) await rm(this.#path, { force: true });
  }

  #write(line: Line): void {
    // End a partial line first. Otherwise the next line would be lost with it.
    const text = `${this.#isLineOpen ? '\n' : ''}${JSON.stringify(line)}\n`;
    try {
      this.#isLineOpen = true;
      this.#bytes += writeWhole(this.#fd, text);
      this.#isLineOpen = false;
    } catch {
      // The disk is full.
    }
    if (this.#bytes > this.#compactAt) this.#compact();
  }

  /** Replaces the journal by one without finished runs. Leaves it unchanged if the disk has no space for that. */
  #compact(): void {
    const lines: Line[] = [
      { author: this.#author },
      ...[...this.#started.values()].map((started) => ({ started })),
      ...[...this.#unheard.values()].map((ended) => ({ ended })),
    ];
    const text = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
    const bytes = Buffer.byteLength(text);
    // Whether this succeeds or not, the next attempt comes when the same amount has been added again.
    this.#compactAt = Math.max(this.#bytes, 2 * bytes) + compactAboveBytes;
    const draft = `${this.#path}${draftEnd}`;
    let fd: number | undefined;
    try {
      fd = create(draft);
      writeWhole(fd, text);
      renameSync(draft, this.#path);
    } catch {
      if (fd !== undefined) closeSync(fd);
      rmSync(draft, { force: true });
      return;
    }
    closeSync(this.#fd);
    this.#fd = fd;
    this.#bytes = bytes;
    this.#isLineOpen = false;
  }
}

function withoutText({ bytes, headBytes, tailBytes }: StreamCapture): StreamCapture {
  return { bytes, headBytes, tailBytes };
}

/** Passes what each ended executor left in this folder to `take`, one after the other, and then removes its journal. */
export async function inherit(folder: string, take: (legacy: Legacy) => Promise<void>): Promise<void> {
  for (const name of await readdir(folder)) {
    if (!name.endsWith(journalEnd)) continue;
    const path = join(folder, name);
    const { isAuthorAlive, ...legacy } = parseJournal(await readFile(path, 'utf8').catch(() => ''));
    if (isAuthorAlive) continue;
    await take(legacy);
    await rm(path, { force: true });
  }
}

/** The last line may be incomplete, if the executor was killed while it wrote. */
export function parseJournal(text: string): Legacy & { isAuthorAlive: boolean } {
  const started = new Map<string, StartedRun>();
  const unheard = new Map<string, RunEnd>();
  let author: Author | null = null;
  for (const line of text.split('\n').map(parseLine)) {
    if (line === null) continue;
    if ('author' in line) {
      author = line.author;
    } else if ('started' in line) {
      started.set(line.started.runId, line.started);
    } else if ('ended' in line) {
      started.delete(line.ended.runId);
      unheard.set(line.ended.runId, line.ended);
    } else {
      unheard.delete(line.heard);
    }
  }
  return {
    isAuthorAlive: author !== null && isStillThere(author),
    // Where the system does not distinguish one boot from the next, a process id alone is not reliable enough.
    inFlight: author?.bootId && author.bootId === readBootId() ? [...started.values()] : [],
    unheard: [...unheard.values()],
    cgroups: author?.cgroups ?? null,
  };
}

function isStillThere({ bootId, pid, startTicks }: Author): boolean {
  return bootId === readBootId() && isAlive(pid) && startTicksOf(pid) === startTicks;
}

function parseLine(line: string): Line | null {
  try {
    const value: unknown = JSON.parse(line);
    return isLine(value) ? value : null;
  } catch {
    return null;
  }
}

/** The file is in our own private folder, so the only check is whether the line was written completely. */
function isLine(value: unknown): value is Line {
  if (typeof value !== 'object' || value === null) return false;
  return 'author' in value || 'started' in value || 'ended' in value || 'heard' in value;
}

function create(path: string): number {
  return openSync(
    path,
    constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_APPEND,
    0o600,
  );
}

function readBootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim();
  } catch {
    return '';
  }
}

/**
 * Writes all bytes, and throws if that fails. A full disk may accept only a part, which shows only in the returned
 * number. Returns the number of bytes.
 */
function writeWhole(fd: number, text: string): number {
  const bytes = Buffer.from(text);
  for (let done = 0; done < bytes.length; ) done += writeSync(fd, bytes, done);
  return bytes.length;
}
