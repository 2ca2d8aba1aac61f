import type { WarmSpec, WindowSpec } from '../execution/messages.ts';
import type { Command } from '../scripts/runtimes/command.ts';
import type { Script } from '../scripts/script.ts';

/** Returns how to start a run in a warm interpreter; null if the run needs an interpreter of its own. */
export function chooseWarm(
  { warm }: Command,
  { runtime }: Pick<Script, 'runtime'>,
  window: WindowSpec | null,
): WarmSpec | null {
  // A run in a window must start there, as a child process of the terminal.
  if (warm === undefined || window !== null || !runtime.mayStartWarm) return null;
  return { ...warm, preload: runtime.preload };
}
