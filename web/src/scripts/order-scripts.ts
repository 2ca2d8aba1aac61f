import type { Outcome, Script } from '../api/wire.ts';

interface Order {
  readonly favourites: ReadonlySet<string>;
  readonly lastRuns: ReadonlyMap<string, Outcome>;
  /** The language tag for comparing names. */
  readonly tag: string;
}

/** Sorts favourites first, then by last run, then by name with numeric comparison. */
export function inOrder(scripts: readonly Script[], { favourites, lastRuns, tag }: Order): Script[] {
  const names = new Intl.Collator(tag, { numeric: true });
  const timeOf = ({ id }: Script) => Date.parse(lastRuns.get(id)?.queued_at ?? '') || 0;
  return scripts.toSorted(
    (a, b) =>
      Number(favourites.has(b.id)) - Number(favourites.has(a.id)) ||
      timeOf(b) - timeOf(a) ||
      names.compare(a.name, b.name),
  );
}
