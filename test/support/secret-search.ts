import type { Dirent } from 'node:fs';
import { readdir, readFile, readlink } from 'node:fs/promises';
import { join } from 'node:path';

/** Something that must never be seen, and what to call it in a report. */
export interface Secret {
  readonly name: string;
  readonly value: string;
}

/** Something that was kept or said, and where. */
export interface Place {
  readonly at: string;
  readonly bytes: Buffer;
}

export const said = (at: string, text: string): Place => ({ at, bytes: Buffer.from(text) });

/** All the ways in which programs write a text, by their names. */
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
    // In base64 a text looks in three ways, by how many bytes stand before it; its first and last letters depend on its neighbours.
    ...[0, 1, 2].flatMap((before): [string, string][] => {
      const whole = Buffer.concat([Buffer.alloc(before), bytes]);
      const [from, to] = [Math.ceil((before * 8) / 6), Math.floor((whole.length * 8) / 6)];
      const letters = whole.toString('base64').slice(from, to);
      const forUrls = letters.replaceAll('+', '-').replaceAll('/', '_');
      const names: [string, string][] = [[`base64 after ${before}`, letters]];
      // Most texts look the same in both.
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

/** Looks for secrets: whole, and for the long words in them and how these begin and end, for a text may have been cut. */
export class SecretSearch {
  /** By their first four bytes: there are thousands, and each place is gone through once. */
  readonly #needles = new Map<number, Needle[]>();

  add({ name, value }: Secret): this {
    const words = value.match(/[A-Za-z0-9_-]{12,}/g) ?? [];
    // A few digits could be part of any number.
    const ends = words
      .filter((word) => /\D/.test(word))
      .flatMap((word) => [word.slice(0, shortest), word.slice(-shortest)]);
    for (const part of [value, ...words, ...ends]) {
      for (const [spelling, bytes] of spellingsOf(part)) {
        // What is written in fewer bytes could be there by chance.
        if (bytes.length < shortest) throw new Error(`${name} is too short to be looked for`);
        const start = bytes.readUInt32BE();
        const others = this.#needles.get(start) ?? [];
        if (others.some((other) => other.bytes.equals(bytes))) continue;
        this.#needles.set(start, [...others, { what: `${name} (${spelling})`, bytes }]);
      }
    }
    return this;
  }

  /** What was found, each as `<place>: <secret> (<spelling>)`. Places whose name `allows` are where a secret may be. */
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

/** Everything below a folder: what is in its files, byte by byte, and how they are called. */
export async function everythingIn(folder: string): Promise<Place[]> {
  const places: Place[] = [];
  const names: Dirent[] = await readdir(folder, { withFileTypes: true }).catch(() => []);
  for (const entry of names) {
    const path = join(folder, entry.name);
    places.push(said(`the name of ${path}`, entry.name));
    if (entry.isDirectory()) places.push(...(await everythingIn(path)));
    if (entry.isSymbolicLink()) places.push(said(path, await readlink(path).catch(() => '')));
    // A file may be gone by now, as those of a database sometimes are.
    if (entry.isFile()) places.push({ at: path, bytes: await readFile(path).catch(() => Buffer.alloc(0)) });
  }
  return places;
}

/** What everybody on the machine can see of a process, and what its user can. */
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
