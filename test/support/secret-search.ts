import type { Dirent } from 'node:fs';
import { readdir, readFile, readlink } from 'node:fs/promises';
import { join } from 'node:path';

/** A value that must not appear anywhere, and its name in reports. */
export interface Secret {
  readonly name: string;
  readonly value: string;
}

/** Stored or sent bytes, and where they are. */
export interface Place {
  readonly at: string;
  readonly bytes: Buffer;
}

export const said = (at: string, text: string): Place => ({ at, bytes: Buffer.from(text) });

/** All encodings in which programs write a text, by name. */
export function spellingsOf(value: string): Map<string, Buffer> {
  const json = JSON.stringify(value).slice(1, -1);
  const asciiJson = json.replaceAll(/[^ -~]/g, (unit) => `\\u${hexOf(unit.charCodeAt(0))}`);
  const percent = encodeURIComponent(value);
  const bytes = Buffer.from(value);
  const texts: [string, string][] = [
    ['plain', value],
    ['JSON', json],
    ['JSON in ASCII', asciiJson],
    ['JSON in JSON', JSON.stringify(json).slice(1, -1)],
    ['URL', encodeURI(value)],
    ['URL part', percent],
    ['URL part in lower case', percent.replaceAll(/%[0-9A-F]{2}/g, (code) => code.toLowerCase())],
    ['form', new URLSearchParams([['', value]]).toString().slice(1)],
    ['HTML', escapeHtml(value).replaceAll("'", '&#39;')],
    ['HTML with its quotes', escapeHtml(value).replaceAll('&quot;', '"')],
    ['hex', bytes.toString('hex')],
    ['HEX', bytes.toString('hex').toUpperCase()],
    // The base64 form depends on the offset modulo 3, and its first and last letters on the neighbouring bytes.
    ...[0, 1, 2].flatMap((before): [string, string][] => {
      const whole = Buffer.concat([Buffer.alloc(before), bytes]);
      const [from, to] = [Math.ceil((before * 8) / 6), Math.floor((whole.length * 8) / 6)];
      const letters = whole.toString('base64').slice(from, to);
      const forUrls = letters.replaceAll('+', '-').replaceAll('/', '_');
      const names: [string, string][] = [[`base64 after ${before}`, letters]];
      // base64 and base64url are equal for most texts.
      return forUrls === letters ? names : [...names, [`base64url after ${before}`, forUrls]];
    }),
  ];
  const spellings = new Map(texts.map(([name, text]) => [name, Buffer.from(text)]));
  return spellings.set('UTF-16', Buffer.from(value, 'utf16le'));
}

interface Needle {
  readonly what: string;
  readonly bytes: Buffer;
}

const shortest = 8;

/** Searches for secrets: whole values, and the long words in them and their beginnings and ends, because a text may be cut. */
export class SecretSearch {
  /** By their first four bytes. There are thousands of them, and each place is scanned once. */
  readonly #needles = new Map<number, Needle[]>();

  add({ name, value }: Secret): this {
    const words = value.match(/[A-Za-z0-9_-]{12,}/g) ?? [];
    // A few digits could be part of any number.
    const ends = words
      .filter((word) => /\D/.test(word))
      .flatMap((word) => [word.slice(0, shortest), word.slice(-shortest)]);
    for (const part of [value, ...words, ...ends]) {
      for (const [spelling, bytes] of spellingsOf(part)) {
        // A shorter text could occur by chance.
        if (bytes.length < shortest) throw new Error(`${name} is too short to search for`);
        const start = bytes.readUInt32BE();
        const others = this.#needles.get(start) ?? [];
        if (others.some((other) => other.bytes.equals(bytes))) continue;
        this.#needles.set(start, [...others, { what: `${name} (${spelling})`, bytes }]);
      }
    }
    return this;
  }

  /** The secrets found, each as `<place>: <secret> (<spelling>)`. A secret may be in the places that `allows` accepts. */
  findIn(places: readonly Place[], allows: (at: string) => boolean = () => false): string[] {
    const found = new Set<string>();
    for (const { at, bytes } of places) {
      if (!allows(at)) for (const { what } of this.#search(bytes)) found.add(`${at}: ${what}`);
    }
    return [...found];
  }

  #search(hay: Buffer): Set<Needle> {
    const starts = new Uint8Array(65_536);
    const slot = (four: number) => ((four >>> 16) ^ (four * 31)) & 0xffff;
    for (const start of this.#needles.keys()) starts[slot(start)] = 1;
    const found = new Set<Needle>();
    let four = 0;
    for (let index = 0; index < hay.length; index++) {
      four = ((four << 8) | (hay[index] ?? 0)) >>> 0;
      if (starts[slot(four)] !== 1) continue;
      for (const needle of this.#needles.get(four) ?? []) {
        const from = index - 3;
        if (from >= 0 && needle.bytes.equals(hay.subarray(from, from + needle.bytes.length)))
          found.add(needle);
      }
    }
    return found;
  }
}

/** All files below a folder: their bytes and their names. */
export async function everythingIn(folder: string): Promise<Place[]> {
  const places: Place[] = [];
  const names: Dirent[] = await readdir(folder, { withFileTypes: true }).catch(() => []);
  for (const entry of names) {
    const path = join(folder, entry.name);
    places.push(said(`the name of ${path}`, entry.name));
    if (entry.isDirectory()) places.push(...(await everythingIn(path)));
    if (entry.isSymbolicLink()) places.push(said(path, await readlink(path).catch(() => '')));
    // The file may no longer exist, as the database deletes some of its files.
    if (entry.isFile()) places.push({ at: path, bytes: await readFile(path).catch(() => Buffer.alloc(0)) });
  }
  return places;
}

/** The command lines of processes, which every user can read, and their environments, which the same user can read. */
export async function whatProcessesShow(pids: readonly number[]): Promise<Place[]> {
  const paths = pids.flatMap((pid) => [`/proc/${pid}/cmdline`, `/proc/${pid}/environ`]);
  return Promise.all(
    paths.map(async (at) => ({ at, bytes: await readFile(at).catch(() => Buffer.alloc(0)) })),
  );
}

function hexOf(unit: number): string {
  return unit.toString(16).padStart(4, '0');
}

function escapeHtml(text: string): string {
  const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
  return text.replaceAll(/[&<>"]/g, (character) => entities[character] ?? character);
}
