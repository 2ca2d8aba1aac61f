import fc from 'fast-check';

import type { SeededRandom } from '../random.ts';
import { oddBodies, oddHeaders, oddJson, oddSteps, oddTexts } from './odd-values.ts';

const samples = 400;
/** Large values are slow, so only one value in this many is large. */
const oneLargeIn = 150;
const mib = 1024 * 1024;

/** Values that an honest caller does not send. */
export class HostileValues {
  readonly #json: readonly string[];
  readonly #texts: readonly string[];

  constructor(seed: number) {
    const draw = { seed, numRuns: samples };
    this.#json = fc
      .sample(fc.jsonValue({ noUnicodeString: false }), draw)
      .map((value) => JSON.stringify(value));
    this.#texts = fc.sample(fc.string({ unit: 'binary', maxLength: 40 }), draw);
  }

  /** A text with any characters in it. */
  text(random: SeededRandom): string {
    if (random.between(1, oneLargeIn) === 1)
      return random.pick(['a', '中', '\0', '%', '../']).repeat(random.between(1000, 9000));
    return random.pick(random.next() < 0.6 ? oddTexts : this.#texts);
  }

  /** A text in place of a JSON value. It is not always valid JSON. */
  json(random: SeededRandom): string {
    const kind = random.next();
    if (kind < 0.3) return JSON.stringify(this.text(random));
    if (kind < 0.5) return random.pick(this.#json);
    if (random.between(1, oneLargeIn) === 1) return largeJson(random);
    return random.pick(oddJson);
  }

  /** A whole request body. Sometimes it is the valid body with some bytes changed. */
  body(random: SeededRandom, meant: string, type: string): Buffer {
    const kind = random.next();
    if (random.between(1, oneLargeIn) === 1)
      return Buffer.alloc((type === 'application/json' ? 8 : 1) * mib + 1, ' ');
    if (kind < 0.4) return Buffer.from(random.pick(oddBodies(meant)));
    if (kind < 0.6) return Buffer.from(this.json(random));
    const bytes = Buffer.from(meant);
    if (bytes.length === 0 || kind < 0.7) return random.bytes(random.between(1, 64));
    if (kind < 0.8) return bytes.subarray(0, random.between(0, bytes.length - 1));
    for (let times = random.between(1, 4); times > 0; times--)
      bytes[random.between(0, bytes.length - 1)] = random.between(0, 255);
    return bytes;
  }

  /** A path segment or a part of a query. Some characters are escaped, and some of those incorrectly. */
  inUrl(random: SeededRandom): string {
    const kind = random.next();
    if (kind < 0.4) return random.pick(oddSteps);
    const text = this.text(random).slice(0, 3000);
    return kind < 0.7 ? escaped(text) : asBytes(text);
  }

  /** A header value. Characters that no header may contain are removed, because Node refuses to send them. */
  header(random: SeededRandom): string {
    const text = random.next() < 0.5 ? random.pick(oddHeaders) : this.text(random).slice(0, 3000);
    return Buffer.from(text)
      .toString('latin1')
      .replace(/[^\t\x20-\x7e\x80-\xff]/g, '');
  }
}

/** The text as bytes, one character per byte. Only characters that end a request target are escaped. */
export function asBytes(text: string): string {
  return Buffer.from(text)
    .toString('latin1')
    .replace(/[^\x21-\x7e\x80-\xff]|#/g, (char) => `%${char.charCodeAt(0).toString(16).padStart(2, '0')}`);
}

/** Escapes a text. Lone surrogates cannot be escaped, so they become replacement characters first. */
export function escaped(text: string): string {
  return encodeURIComponent(Buffer.from(text).toString());
}

function largeJson(random: SeededRandom): string {
  const count = random.between(10_000, 1_000_000);
  switch (random.between(1, 4)) {
    case 1:
      return `[${'0,'.repeat(count)}0]`;
    case 2:
      return `{${Array.from({ length: count / 4 }, (_, index) => `"k${index}":${index}`).join(',')}}`;
    case 3:
      return `[${'"中",'.repeat(count)}""]`;
    default:
      return JSON.stringify('\u0001中'.repeat(count));
  }
}
