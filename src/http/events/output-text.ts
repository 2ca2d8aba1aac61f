import { isUtf8 } from 'node:buffer';

import type { OutputPiece } from '../../runs/output/run-outputs.ts';
import { decodeText, partToUtf8 } from '../../shared/decode-text.ts';
import type { JsonObject } from '../../shared/json.ts';

/** The most bytes that one event tells of. */
const mostBytes = 64 * 1024;

export interface OutputNews {
  /** How far the stream is told with this. */
  readonly until: number;
  readonly fields: JsonObject;
}

/** Makes texts of what was read of a stream. Characters are never cut: the beginning of one waits for its rest. */
export class OutputText {
  #offset: number;
  #rest: Uint8Array = new Uint8Array();

  constructor(offset: number) {
    this.#offset = offset;
  }

  *take(piece: OutputPiece): Generator<OutputNews> {
    if ('missing' in piece) {
      yield* this.finish();
      const { offset, missing } = piece;
      this.#offset = offset + missing;
      yield { until: this.#offset, fields: { offset, missing } };
      return;
    }
    const bytes = Buffer.concat([this.#rest, piece.bytes]);
    let at = 0;
    while (at < bytes.length) {
      const part = bytes.subarray(at, at + mostBytes);
      const { usedBytes } = partToUtf8(part, 'end');
      if (usedBytes === 0) break;
      yield this.#tell(part.subarray(0, usedBytes));
      at += usedBytes;
    }
    // A copy, so that the few bytes do not hold the many.
    this.#rest = Uint8Array.from(bytes.subarray(at));
  }

  /** Nothing more comes of what has begun. */
  *finish(): Generator<OutputNews> {
    if (this.#rest.length === 0) return;
    const rest = this.#rest;
    this.#rest = new Uint8Array();
    yield this.#tell(rest);
  }

  #tell(bytes: Uint8Array): OutputNews {
    const offset = this.#offset;
    this.#offset += bytes.length;
    const fields = { offset, bytes: bytes.length, text: decodeText(bytes) };
    const exact = isUtf8(bytes) ? {} : { base64: Buffer.from(bytes).toString('base64') };
    return { until: this.#offset, fields: { ...fields, ...exact } };
  }
}
