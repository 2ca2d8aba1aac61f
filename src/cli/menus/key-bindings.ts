import type { DesktopSession } from '../../settings/desktop-session.ts';
import { runCommand } from '../../shared/run-command.ts';
import { tr } from '../language.ts';
import { printable } from '../terminal/text.ts';
import { userError } from '../user-error.ts';
import { gnomeKeys } from './gnome-keys.ts';
import type { BoundKey } from './installed-menus.ts';
import type { KeyBindings, Tool } from './key-command.ts';
import { xfceKeys } from './xfce-keys.ts';

export const desktopTitles: Readonly<Record<BoundKey['desktop'], string>> = { gnome: 'GNOME', xfce: 'Xfce' };

/** The desktop of the session, if Hob can bind keys there. */
export function bindableDesktop({ names }: DesktopSession): BoundKey['desktop'] | null {
  if (names.some((name) => name === 'GNOME' || name === 'UNITY')) return 'gnome';
  return names.includes('XFCE') ? 'xfce' : null;
}

export function keyBindingsOf(desktop: BoundKey['desktop'], { environment }: DesktopSession): KeyBindings {
  const tool: Tool = async (program, ...args) => {
    const { ok, stdout, stderr, failure } = await runCommand(program, args, { env: environment });
    if (ok) return stdout;
    const reason = failure === 'ENOENT' ? tr('it is not installed', '未安装') : stderr.trim() || failure;
    throw userError(
      `${desktopTitles[desktop]} did not accept the key binding (${program}: ${printable(reason)}).`,
      `${desktopTitles[desktop]} 没有接受该快捷键（${program}：${printable(reason)}）。`,
    );
  };
  return desktop === 'gnome' ? gnomeKeys(tool) : xfceKeys(tool);
}
