import type { PackageList, ScriptList } from '../../../contract/types.ts';
import { desktopSession } from '../../../settings/desktop-session.ts';
import { tr } from '../../language.ts';
import type { MenuPlace } from '../../menus/entry-plan.ts';
import { findFileManagers } from '../../menus/file-managers.ts';
import type { InstalledEntry } from '../../menus/installed-menus.ts';
import { launchOf, type MenuScript, menuScriptsOf } from '../../menus/menu-script.ts';
import type { ServiceClient } from '../../service-client.ts';
import { userError } from '../../user-error.ts';

export async function placeOf(home: string): Promise<MenuPlace> {
  const session = desktopSession();
  const { platform } = process;
  if (platform === 'darwin')
    throw userError('Hob cannot add entries to the menus of the Finder.', 'Hob 无法向访达的菜单中添加条目。');
  return { launch: launchOf(home), session, managers: await findFileManagers(session), platform };
}

export interface Offers {
  readonly all: readonly MenuScript[];
  /** Scripts that offer an entry or a shortcut. */
  readonly offering: readonly MenuScript[];
  /** Ids of installed packages. */
  readonly packages: ReadonlySet<string>;
}

export async function loadOffers(client: ServiceClient): Promise<Offers> {
  const [{ scripts }, { items }] = await Promise.all([
    client.get<ScriptList>('/api/scripts'),
    client.get<PackageList>('/api/packages'),
  ]);
  const all = menuScriptsOf(scripts);
  return {
    all,
    offering: all.filter(({ menu, shortcut }) => menu !== null || shortcut !== null),
    packages: new Set(items.map(({ script_id }) => script_id)),
  };
}

export function namedScript(script: MenuScript) {
  return { id: script.id, slug: script.slug, name: script.name, script };
}

export function namedEntry(entry: InstalledEntry) {
  return { id: entry.id, slug: entry.slug, name: entry.label, entry };
}

export function noManager(): string {
  return tr(
    'None of Nautilus, Nemo, Thunar, Caja and Dolphin is installed. After installing one: hob menus install',
    '未安装 Nautilus、Nemo、Thunar、Caja 或 Dolphin。安装其中之一后，请运行：hob menus install',
  );
}
