import type { TerminalSize, WindowHold, WindowSpec } from '../execution/messages.ts';
import type { Script, Terminal } from '../scripts/script.ts';
import { assertNever } from '../shared/assert-never.ts';
import { isJsonObject, type Json } from '../shared/json.ts';
import type { Language, Text } from '../shared/text.ts';
import type { RunRecord } from './run-record.ts';

/** The commands that open a terminal window on this machine, or the reason why there is none. */
export type TerminalSearch =
  | { readonly kind: 'found'; readonly commands: readonly (readonly string[])[] }
  | { readonly kind: 'none'; readonly message: Text };

export interface RunWindowsOptions {
  findTerminals: () => Promise<TerminalSearch>;
  /** The environment of the terminal emulator. */
  environment: Readonly<Record<string, string>>;
  /** The language of the desktop user. */
  language: Language;
  hold: WindowHold;
  /** The initial size of a terminal in a page, until the page reports its own. */
  pageSize: () => TerminalSize;
}

/**
 * Returns the window of a run, or the terminal that a page shows instead; null if it needs none; or the reason why no
 * window can open.
 */
export async function chooseWindow(
  record: Pick<RunRecord, 'sync' | 'origin' | 'data'>,
  { name, runtime }: Pick<Script, 'name' | 'runtime'>,
  { findTerminals, environment, language, hold, pageSize }: RunWindowsOptions,
): Promise<{ window: WindowSpec | null; windowless: Text | null }> {
  const place = placeOf(runtime.terminal, record);
  if (place === 'nowhere') return { window: null, windowless: null };
  if (place === 'page') {
    const page = {
      commands: [],
      env: environment,
      title: name,
      language,
      hold: 'never',
      page: pageSize(),
    } as const;
    return { window: page, windowless: null };
  }
  const search = await findTerminals();
  if (search.kind === 'none') return { window: null, windowless: search.message };
  const { commands } = search;
  return { window: { commands, env: environment, title: name, language, hold }, windowless: null };
}

/**
 * Synchronous callers read the answer, the command line shows a run in its own terminal, and the console shows it in
 * its page.
 */
export function placeOf(
  terminal: Terminal,
  { sync, origin, data }: Pick<RunRecord, 'sync' | 'origin' | 'data'>,
): 'nowhere' | 'page' | 'window' {
  if (sync || origin === 'cli' || !wantsTerminal(terminal, data)) return 'nowhere';
  return origin === 'console' ? 'page' : 'window';
}

function wantsTerminal(terminal: Terminal, data: Json): boolean {
  switch (terminal) {
    case 'always':
      return true;
    case 'never':
      return false;
    case 'auto':
      return !hasData(data);
    case 'inverse':
      return hasData(data);
    default:
      return assertNever(terminal);
  }
}

/** Whether the run received any data. An input without values does not count. */
function hasData(data: Json): boolean {
  if (Array.isArray(data)) return data.length > 0;
  if (isJsonObject(data)) return Object.values(data).some((value) => hasData(value));
  return data !== null && data !== '';
}
