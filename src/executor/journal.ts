import { closeSync, constants, openSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';

import type { RunEnd, StreamCapture } from '../execution/messages.ts';
import { isAlive } from '../shared/is-alive.ts';
import { writeWhole } from '../shared/write-whole.ts';
import { startTicksOf } from './process-table.ts';

/** A run's leading process, as it can be found again after we are gone. */
export interface StartedRun {
  readonly runId: string;
  /** Zero when we were killed before it was written down: its processes are then known by their environment alone. */
  readonly pid: number;
  readonly startTicks: number;
}

/** What an executor left behind when it ended. */
export interface Legacy {
  /** Runs that it started and did not see the end of. Empty after a reboot, which ended them all. */
  readonly inFlight: readonly StartedRun[];
  /** Ends that no service has heard of. */
  readonly unheard: readonly RunEnd[];
  /** Where its cgroups are, if it had any. */
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
/** Rewritten without what is over when it gets larger than this. */
const compactAboveBytes = 1024 * 1024;

/**
 * What the next executor must know if this one is killed, a line for every event. A line that the disk does not take is
 * lost: a run is worth more than the note about it.
 */
export class Journal {
  readonly #path: string;
  readonly #author: Author;
  readonly #started = new Map<string, StartedRun>();
  readonly #unheard = new Map<string, RunEnd>();
  #fd: number;
  #bytes = 0;
  #compactAt = compactAboveBytes;
  /** Whether the last line was not written to its end. */
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

  /** To be called before the script is started: nothing may run that nobody would find. */
  starting(runId: string): void {
    this.started({ runId, pid: 0, startTicks: 0 });
  }

  started(run: StartedRun): void {
    this.#started.set(run.runId, run);
    this.#write({ started: run });
  }

  ended(end: RunEnd): void {
    // What it wrote is in its logs.
    const ended = { ...end, stdout: withoutText(end.stdout), stderr: withoutText(end.stderr) };
    this.#started.delete(end.runId);
    this.#unheard.set(end.runId, ended);
    this.#write({ ended });
  }

  heard(runId: string): void {
    if (this.#unheard.delete(runId)) this.#write({ heard: runId });
  }

  /** Removes the journal, unless it holds what somebody must still be told. */
  async close(): Promise<void> {
    closeSync(this.#fd);
    if (this.#unheard.size === 0) await rm(this.#path, { force: true });
  }

  #write(line: Line): void {
    // What follows half a line would be lost with it.
    const text = `${this.#isLineOpen ? '\n' : ''}${JSON.stringify(line)}\n`;
    try {
      this.#isLineOpen = true;
      this.#bytes += writeWhole(this.#fd, text);
      this.#isLineOpen = false;
    } catch {
      // A full disk.
    }
    if (this.#bytes > this.#compactAt) this.#compact();
  }

  /** Replaces the journal by one without what is over, or leaves it as it is when there is no room for that. */
  #compact(): void {
    const lines: Line[] = [
      { author: this.#author },
      ...[...this.#started.values()].map((started) => ({ started })),
      ...[...this.#unheard.values()].map((ended) => ({ ended })),
    ];
    const text = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
    const bytes = Buffer.byteLength(text);
    // Whether it works or not, the next time is when as much has been added again.
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

/** Hands over what executors that are gone have left in this folder, one after the other, and then removes it. */
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

/** The last line may be half a line, of an executor that was killed while it wrote. */
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
    // Where the system does not tell one boot from the next, an id of a process says too little to act on it.
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

/** The file lies in our own private folder; what is checked is that it was written whole. */
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
