import type { Outcome, Script } from '../api/wire.ts';

interface Order {
  readonly favourites: ReadonlySet<string>;
  readonly lastRuns: ReadonlyMap<string, Outcome>;
  /** The language in which the names are read. */
  readonly tag: string;
}

/** Favourites, then what ran most recently, then by name; numbers in a name count as such. */
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
