/** Something that may be typed next. */
export interface Candidate {
  readonly value: string;
  /** What it is, for shells that show it; empty for nothing. */
  readonly meaning: string;
}

/** What a shell is to offer: what is listed here, or what lies on the disk, which it knows better. */
export type Offer =
  | { readonly kind: 'candidates'; readonly candidates: readonly Candidate[] }
  | { readonly kind: 'files' }
  | { readonly kind: 'folders' };

export const nothing: Offer = { kind: 'candidates', candidates: [] };

/** Words without a meaning of their own. */
export function plain(values: readonly string[]): Offer {
  return { kind: 'candidates', candidates: values.map((value) => ({ value, meaning: '' })) };
}
