import { useCallback, useEffect, useMemo, useReducer, useState } from 'react';

import type { Block, StreamChoice } from './output-lines.ts';
import { type Found, OutputSearch, soughtPattern } from './output-search.ts';

/** Half a frame, so that the page stays responsive. */
const lookMs = 8;

export interface Search {
  readonly pattern: RegExp | null;
  readonly current: Found | null;
  /** The position of the current match, counted from 1; 0 if there is none. */
  readonly position: number;
  readonly count: number;
  readonly go: (by: 1 | -1) => void;
}

/** Searches growing output in small steps, so that the page stays responsive. */
export function useSearch(blocks: readonly Block[], query: string, choice: StreamChoice): Search {
  const pattern = useMemo(() => soughtPattern(query), [query]);
  const search = useMemo(() => pattern && new OutputSearch(pattern, choice), [pattern, choice]);
  const [current, setCurrent] = useState<{ of: OutputSearch; found: Found } | null>(null);
  const [, showMore] = useReducer((times: number) => times + 1, 0);
  useEffect(() => {
    if (search === null) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const look = () => {
      const until = performance.now() + lookMs;
      const isThrough = search.look(blocks, () => performance.now() > until);
      showMore();
      if (!isThrough) timer = setTimeout(look);
    };
    look();
    return () => clearTimeout(timer);
  }, [search, blocks]);

  const found = current !== null && current.of === search ? current.found : null;
  const count = search?.count(blocks) ?? 0;
  const index = search !== null && found !== null ? search.indexOf(blocks, found) : -1;
  const go = useCallback(
    (by: 1 | -1) => {
      if (search === null || count === 0) return;
      // Without a current match, forward goes to the first and back to the last.
      const next = index < 0 ? (by === 1 ? 0 : count - 1) : (index + by + count) % count;
      const there = search.at(blocks, next);
      if (there !== null) setCurrent({ of: search, found: there });
    },
    [search, blocks, count, index],
  );
  return { pattern, current: index < 0 ? null : found, position: index + 1, count, go };
}
