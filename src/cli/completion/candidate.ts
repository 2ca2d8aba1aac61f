/** A completion candidate. */
export interface Candidate {
  readonly value: string;
  /** Description, for shells that show one; may be empty. */
  readonly meaning: string;
}

/** The completions that a shell offers: these candidates, or files or folders, which the shell lists itself. */
export type Offer =
  | { readonly kind: 'candidates'; readonly candidates: readonly Candidate[] }
  | { readonly kind: 'files' }
  | { readonly kind: 'folders' };

export const nothing: Offer = { kind: 'candidates', candidates: [] };

/** Candidates without descriptions. */
export function plain(values: readonly string[]): Offer {
  return { kind: 'candidates', candidates: values.map((value) => ({ value, meaning: '' })) };
}
