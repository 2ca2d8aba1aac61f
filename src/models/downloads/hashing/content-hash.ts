import { createHash, type Hash } from 'node:crypto';

import type { ContentId } from '../../hubs/hub.ts';

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
