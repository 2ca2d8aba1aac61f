import { tr } from '../../language.ts';
import { explorer, type MenuPlace, type Placement } from '../../menus/entry-plan.ts';
import { thunar } from '../../menus/file-managers.ts';
import type { InstalledEntry } from '../../menus/installed-menus.ts';
import type { MenuScript } from '../../menus/menu-script.ts';
import { printable } from '../../terminal/text.ts';
import { noManager } from './offers.ts';

interface Others {
  /** Scripts that offer an entry and were not to get one. */
  readonly others: readonly MenuScript[];
  /** Ids of installed packages. */
  readonly packages: ReadonlySet<string>;
  readonly place: MenuPlace;
}

/** The entries that were written, and how to add others. */
export function describeInstallation(
  placements: readonly Placement[],
  { others, packages, place }: Others,
): string {
  const hasManager = place.managers.length > 0 || place.platform === 'win32';
  const offered = others.filter(({ id }) => packages.has(id));
  const removed = others.filter(({ id }) => !packages.has(id));
  const lines = [
    ...(placements.length === 0 ? [nothingOffered()] : []),
    ...menuLines(placements),
    ...(!hasManager && placements.some(({ script }) => script.menu !== null) ? [noManager()] : []),
    ...listed(
      tr(
        'As launchers, to which you can bind a key (hob menus bind SCRIPT KEYS):',
        '已添加启动器，可为其绑定快捷键（hob menus bind 脚本 按键）：',
      ),
      placements.filter(({ hasLauncher }) => hasLauncher).map(({ script }) => lineOf(script)),
    ),
    ...listed(
      tr('Packages offer entries, too. To add them:', '安装的脚本包也提供条目。添加方法：'),
      offered.map(addLineOf),
    ),
    ...listed(tr('Not added. To add them:', '未添加。添加方法：'), removed.map(addLineOf)),
  ];
  return lines.map((line) => `${line}\n`).join('');
}

function nothingOffered(): string {
  return tr(
    'No script of yours offers a menu entry or a shortcut. A manifest can, with [service.triggers.context_menu] or [service.triggers.shortcut].',
    '您的脚本都没有提供菜单条目或快捷方式。可在清单中用 [service.triggers.context_menu] 或 [service.triggers.shortcut] 提供。',
  );
}

/** One list for all scripts with entries in the same file managers. */
function menuLines(placements: readonly Placement[]): string[] {
  const groups = new Map<string, string[]>();
  for (const { script, managers } of placements) {
    if (managers.length === 0) continue;
    const titles = managers.map(titleOf).join(tr(', ', '、'));
    groups.set(titles, [...(groups.get(titles) ?? []), lineOf(script)]);
  }
  const isInThunar = placements.some(({ managers }) => managers.includes(thunar.title));
  return [
    ...[...groups].flatMap(([titles, scripts]) =>
      listed(tr(`In the menus of ${titles}:`, `已添加到 ${titles} 的菜单：`), scripts),
    ),
    ...(isInThunar
      ? [
          tr(
            'An open Thunar shows changes after a restart: thunar -q',
            '正在运行的 Thunar 重新启动后才会显示更改：thunar -q',
          ),
        ]
      : []),
  ];
}

function titleOf(manager: string): string {
  return manager === explorer ? tr('the Explorer', '资源管理器') : manager;
}

function listed(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : [title, ...lines];
}

export function describeRemoval(removed: readonly InstalledEntry[]): string {
  return `${[tr('Removed from menus:', '已从菜单中移除：'), ...removed.map(lineOf)].join('\n')}\n`;
}

function lineOf({ label, slug }: Pick<MenuScript, 'label' | 'slug'>): string {
  return `  ${printable(label)} (${slug})`;
}

function addLineOf({ label, slug }: MenuScript): string {
  return `  hob menus install ${slug}    ${printable(label)}`;
}
