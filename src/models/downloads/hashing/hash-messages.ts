import type { ContentId } from '../../hubs/hub.ts';

/** To the thread that hashes. Each is answered, in the order in which they came. */
export type ToHashThread =
  | { readonly type: 'begin'; readonly id: number; readonly content: ContentId; readonly sizeBytes: number }
  | { readonly type: 'update'; readonly id: number; readonly bytes: Uint8Array }
  | { readonly type: 'end'; readonly id: number };

/** Whether the hash is right, when it was asked for; else it says only that something is done. */
export type FromHashThread = boolean | null;
