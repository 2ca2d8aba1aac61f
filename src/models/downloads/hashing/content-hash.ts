import { createHash, type Hash } from 'node:crypto';

import type { ContentId } from '../../hubs/hub.ts';

/** Takes the bytes of a file one after the other and tells whether they are the ones that were announced. */
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

  /** To be asked once, at the end. */
  isRight(): boolean {
    return this.#hash.digest('hex') === this.#content.hex;
  }
}
