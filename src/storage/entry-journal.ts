import { closeSync, constants, ftruncateSync, openSync, readFileSync } from 'node:fs';

import { claimPrivateFile } from '../shared/private-files.ts';
import { writeWhole } from '../shared/write-whole.ts';

/** What stands in the columns of a row. */
export type Row = readonly (string | number | null)[];

/**
 * Rows that are about to be put into the database, a line for each. A line takes a twentieth of what the database takes for a row with
 * all its indexes, and is as safe if we are killed; and rows that come together take the database less than each by itself.
 */
export class EntryJournal {
  readonly #fd: number;
  readonly #left: string;
  #bytes: number;

  constructor(path: string) {
    claimPrivateFile(path);
    this.#fd = openSync(path, constants.O_RDWR | constants.O_APPEND | (constants.O_NOFOLLOW ?? 0));
    const text = readFileSync(this.#fd, 'utf8');
    // The last line may be half a line, of a service that was killed while it wrote.
    this.#left = text.slice(0, text.lastIndexOf('\n') + 1);
    this.#bytes = Buffer.byteLength(this.#left);
    ftruncateSync(this.#fd, this.#bytes);
  }

  /** Throws when there is no room for it. */
  add(row: Row): void {
    try {
      this.#bytes += writeWhole(this.#fd, `${JSON.stringify(row)}\n`);
    } catch (error) {
      // What follows half a line would be lost with it.
      ftruncateSync(this.#fd, this.#bytes);
      throw error;
    }
  }

  /** All that is in it is in the database. */
  clear(): void {
    ftruncateSync(this.#fd, 0);
    this.#bytes = 0;
  }

  /** What an earlier service did not get to put into the database. */
  read(): Row[] {
    return this.#left.split('\n').flatMap(parseRow);
  }

  close(): void {
    closeSync(this.#fd);
  }
}

function isValue(value: unknown): boolean {
  return value === null || typeof value === 'string' || typeof value === 'number';
}

function parseRow(line: string): Row[] {
  try {
    const row: unknown = JSON.parse(line);
    return Array.isArray(row) && row.every(isValue) ? [row] : [];
  } catch {
    return [];
  }
}
