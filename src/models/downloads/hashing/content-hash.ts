import { createHash, type Hash } from 'node:crypto';

import type { ContentId } from '../../hubs/hub.ts';

/** A message to the hashing thread. The thread answers every message, in order. */
export type ToHashThread =
  | { readonly type: 'begin'; readonly id: number; readonly content: ContentId; readonly sizeBytes: number }
  | { readonly type: 'update'; readonly id: number; readonly bytes: Uint8Array }
  | { readonly type: 'end'; readonly id: number };

/** The answer to `end`: whether the hash is right. The answer to other messages is null. */
export type FromHashThread = boolean | null;

/** Hashes the bytes of a file, and compares the result with the hash that the hub announced. */
export class ContentHash {
  readonly #content: ContentId;
  readonly #hash: Hash;

  constructor(content: ContentId, sizeBytes: number) {
    this.#content = content;
    this.#hash = createHash(content.kind === 'sha256' ? 'sha256' : 'sha1');
    if (content.kind === 'git-sha1') this.#hash.update(`blob ${sizeBytes}\0`);
  }

  update(bytes: Uint8Array): void {
    this.#hash.update(bytes);
  }

  /** Call once, after the last byte. */
  isRight(): boolean {
    return this.#hash.digest('hex') === this.#content.hex;
  }
}
