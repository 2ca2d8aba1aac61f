import { findService } from '../../find-service.ts';
import { tr } from '../../language.ts';
import { isCurrentKey } from '../../menus/entry-keys.ts';
import { readInstalledMenus } from '../../menus/installed-menus.ts';
import { type EntryState, examineEntry, hasMenus } from '../../menus/menus.ts';
import type { CommonOptions } from '../../options.ts';
import { ServiceClient } from '../../service-client.ts';
import { printAnswer } from '../../terminal/print.ts';
import { type Column, formatTable } from '../../terminal/text.ts';
import { loadOffers, noManager, placeOf } from './offers.ts';

interface Status {
  readonly script_id: string;
  readonly slug: string;
  readonly name: string;
  /** unknown: Hob is not running. gone: the script does not exist any more, or does not offer it. */
  readonly state: EntryState | 'gone' | 'unknown' | 'offered';
  readonly files: readonly string[];
  readonly keys: string | null;
  readonly is_package: boolean;
}

/** `hob menus status`: also works without the service. */
export async function showStatus({ home: flag, json }: CommonOptions): Promise<void> {
  const { home, service } = await findService(flag);
  const place = await placeOf(home);
  const { entries } = await readInstalledMenus(home);
  const offers = service === null ? null : await loadOffers(await ServiceClient.find(flag));
  const installed = await Promise.all(
    entries.map(async (entry): Promise<Status> => {
      const script = offers?.offering.find(({ id }) => id === entry.id);
      const isKnown = offers?.all.some(({ id }) => id === entry.id) === true;
      const state = async (): Promise<Status['state']> => {
        if (offers === null) return 'unknown';
        if (!entry.isInMenus && hasMenus(entry)) return 'outdated';
        if (!entry.isInMenus && isKnown) return isCurrentKey(entry, place.launch) ? 'current' : 'outdated';
        return script === undefined ? 'gone' : examineEntry(entry, script, place);
      };
      return {
        script_id: entry.id,
        slug: entry.slug,
        name: entry.label,
        state: await state(),
        files: [...entry.files, ...(entry.thunar === null ? [] : [entry.thunar])],
        keys: entry.key?.keys ?? null,
        is_package: offers?.packages.has(entry.id) === true,
      };
    }),
  );
  const offered = (offers?.offering ?? [])
    .filter(({ id }) => !entries.some((entry) => entry.id === id && entry.isInMenus))
    .map(({ id, slug, name }): Status => {
      const keys = entries.find((entry) => entry.id === id)?.key?.keys ?? null;
      const isPackage = offers?.packages.has(id) === true;
      return { script_id: id, slug, name, state: 'offered', files: [], keys, is_package: isPackage };
    });
  const shown = [
    ...installed.filter(({ script_id }) => !offered.some((each) => each.script_id === script_id)),
    ...offered,
  ];
  printAnswer(
    { home, file_managers: place.managers.map(({ title }) => title), entries: shown },
    json,
    describeStatus,
  );
}

interface Listing {
  readonly file_managers: readonly string[];
  readonly entries: readonly Status[];
}

const stateWords: Readonly<Record<Status['state'], () => string>> = {
  current: () => tr('installed', '已添加'),
  outdated: () => tr('outdated', '需要更新'),
  missing: () => tr('incomplete', '不完整'),
  gone: () => tr('no longer offered', '不再提供'),
  unknown: () => tr('installed (Hob is not running)', '已添加（Hob 没有运行）'),
  offered: () => tr('not installed', '未添加'),
};

function describeStatus({ file_managers: managers, entries }: Listing, lineWidth?: number): string {
  if (entries.length === 0)
    return tr('No script offers a menu entry or a shortcut.\n', '没有脚本提供菜单条目或快捷方式。\n');
  const columns: readonly Column<Status>[] = [
    [tr('NAME', '名称'), ({ name }) => name],
    ['SLUG', ({ slug }) => slug],
    [tr('STATE', '状态'), ({ state }) => stateWords[state]()],
    [tr('KEYS', '快捷键'), ({ keys }) => keys ?? ''],
    [tr('FROM', '来源'), ({ is_package }) => (is_package ? tr('package', '脚本包') : '')],
  ];
  const isStale = entries.some(({ state }) => ['outdated', 'missing', 'gone'].includes(state));
  const isOffered = entries.some(({ state }) => state === 'offered');
  const hasGoneKey = entries.some(({ state, keys }) => state === 'gone' && keys !== null);
  const advice = [
    ...(managers.length === 0 && process.platform !== 'win32' ? [noManager()] : []),
    ...(isStale ? [tr('To update the entries: hob menus install', '更新条目：hob menus install')] : []),
    ...(hasGoneKey
      ? [
          tr(
            'To remove the key of a script that is gone: hob menus unbind SCRIPT',
            '取消已不存在的脚本的快捷键：hob menus unbind 脚本',
          ),
        ]
      : []),
    ...(isOffered
      ? [tr('To add a script: hob menus install SCRIPT', '添加脚本：hob menus install 脚本')]
      : []),
  ];
  const table = formatTable(entries, columns, lineWidth);
  return `${[...table, ...(advice.length === 0 ? [] : ['', ...advice])].join('\n')}\n`;
}
