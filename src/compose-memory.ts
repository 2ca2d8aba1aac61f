import type { RunEvent } from './runs/events/run-events.ts';
import type { Feed } from './shared/feed.ts';
import { IdleCollector } from './shared/idle-collector.ts';
import { growNewSpace } from './shared/new-space.ts';

/** Takes memory while there are runs, and gives it back when there are none. Returns what ends that. */
export function composeMemory(runs: Feed<RunEvent>): () => void {
  const memory = new IdleCollector();
  runs.subscribe(() => {
    growNewSpace();
    memory.note();
  });
  return () => memory.close();
}
