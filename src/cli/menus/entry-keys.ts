import type { DesktopSession } from '../../settings/desktop-session.ts';
import { shellWord } from '../command-lines.ts';
import { UserError } from '../user-error.ts';
import { readAccelerator } from './accelerator.ts';
import type { InstalledEntry } from './installed-menus.ts';
import { bindableDesktop, keyBindingsOf } from './key-bindings.ts';
import type { KeyCommand } from './key-command.ts';
import { type Launch, type MenuScript, shortcutRunWords } from './menu-script.ts';
import { actionPrefix } from './thunar-file.ts';

interface KeyPlace {
  readonly launch: Launch;
  readonly session: DesktopSession;
}

export function keyCommandOf({ id, label }: Pick<MenuScript, 'id' | 'label'>, launch: Launch): KeyCommand {
  return {
    id: `${actionPrefix(launch)}${id}`,
    label,
    command: shortcutRunWords(launch, id).map(shellWord).join(' '),
  };
}

/** Whether the key of an entry, if it has one, starts this Hob with this Node. */
export function isCurrentKey(entry: InstalledEntry, launch: Launch): boolean {
  return entry.key === null || entry.key.command === keyCommandOf(entry, launch).command;
}

/** Removes the key of an entry from the desktop. Returns a problem that prevented it. */
export async function unbindKey(
  entry: InstalledEntry,
  { launch, session }: KeyPlace,
): Promise<string | null> {
  const { key } = entry;
  const keys = key === null ? null : readAccelerator(key.keys);
  if (key === null || keys === null) return null;
  const bound = { ...keyCommandOf(entry, launch), command: key.command };
  return attempt(() => keyBindingsOf(key.desktop, session).unbind(keys, bound));
}

/** Binds the key of an entry again if its command has changed. A problem is added, and the entry stays as it is. */
export async function refreshKey(
  entry: InstalledEntry,
  place: KeyPlace,
  problems: (string | null)[],
): Promise<InstalledEntry> {
  const { launch, session } = place;
  const { key } = entry;
  const keys = key === null ? null : readAccelerator(key.keys);
  // The tools of another desktop would change settings that this session does not use.
  if (key === null || keys === null || key.desktop !== bindableDesktop(session)) return entry;
  if (isCurrentKey(entry, launch)) return entry;
  const own = keyCommandOf(entry, launch);
  const problem = await attempt(() => keyBindingsOf(key.desktop, session).bind(keys, own));
  problems.push(problem);
  return problem === null ? { ...entry, key: { ...key, command: own.command } } : entry;
}

async function attempt(act: () => Promise<void>): Promise<string | null> {
  try {
    await act();
    return null;
  } catch (error) {
    if (error instanceof UserError) return error.message;
    throw error;
  }
}
