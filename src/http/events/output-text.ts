import { isUtf8 } from 'node:buffer';

import type { OutputPiece } from '../../runs/output/run-outputs.ts';
import { decodeText, partToUtf8 } from '../../shared/decode-text.ts';
import type { JsonObject } from '../../shared/json.ts';

/** Maximum number of output bytes in one event. */
const mostBytes = 64 * 1024;

export interface OutputNews {
  /** Offset in the stream after this event. */
  readonly until: number;
  readonly fields: JsonObject;
}

/** Decodes the bytes of a stream. Never splits a character: an incomplete one waits for its remaining bytes. */
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
      yield this.#emit(part.subarray(0, usedBytes));
      at += usedBytes;
    }
    // A copy, because a view of a few bytes would keep the whole buffer in memory.
    this.#rest = Uint8Array.from(bytes.subarray(at));
  }

  /** Emits the bytes of an incomplete character: no more bytes will follow. */
  *finish(): Generator<OutputNews> {
    if (this.#rest.length === 0) return;
    const rest = this.#rest;
    this.#rest = new Uint8Array();
    yield this.#emit(rest);
  }

  #emit(bytes: Uint8Array): OutputNews {
    const offset = this.#offset;
    this.#offset += bytes.length;
    const fields = { offset, bytes: bytes.length, text: decodeText(bytes) };
    const exact = isUtf8(bytes) ? {} : { base64: Buffer.from(bytes).toString('base64') };
    return { until: this.#offset, fields: { ...fields, ...exact } };
  }
}
