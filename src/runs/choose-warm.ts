import type { WarmSpec, WindowSpec } from '../execution/messages.ts';
import type { Command } from '../scripts/runtimes/command.ts';
import type { Script } from '../scripts/script.ts';

/** How a run may be given to an interpreter that is started already; null when it is to have one of its own. */
export function chooseWarm(
  { warm }: Command,
  { runtime }: Pick<Script, 'runtime'>,
  window: WindowSpec | null,
): WarmSpec | null {
  // What runs in a window is started there, as a child of the terminal.
  if (warm === undefined || window !== null || !runtime.mayStartWarm) return null;
  return { ...warm, preload: runtime.preload };
}
