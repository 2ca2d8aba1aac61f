import type { ContentId } from '../../hubs/hub.ts';

/** A message to the hashing thread. The thread answers every message, in order. */
export type ToHashThread =
  | { readonly type: 'begin'; readonly id: number; readonly content: ContentId; readonly sizeBytes: number }
  | { readonly type: 'update'; readonly id: number; readonly bytes: Uint8Array }
  | { readonly type: 'end'; readonly id: number };

/** The answer to `end`: whether the hash is right. The answer to other messages is null. */
export type FromHashThread = boolean | null;
