import { pickScript } from '../../find-script.ts';
import { homeOf } from '../../find-service.ts';
import { tr } from '../../language.ts';
import { acceleratorArgument, acceleratorText } from '../../menus/accelerator.ts';
import { keyCommandOf, unbindKey } from '../../menus/entry-keys.ts';
import type { MenuPlace } from '../../menus/entry-plan.ts';
import { type InstalledEntry, readInstalledMenus, writeInstalledMenus } from '../../menus/installed-menus.ts';
import { bindableDesktop, desktopTitles, keyBindingsOf } from '../../menus/key-bindings.ts';
import type { MenuScript } from '../../menus/menu-script.ts';
import { hasMenus } from '../../menus/menus.ts';
import type { CommonOptions } from '../../options.ts';
import { ServiceClient } from '../../service-client.ts';
import { printAnswer } from '../../terminal/print.ts';
import { printable } from '../../terminal/text.ts';
import { UserError, usageError, userError } from '../../user-error.ts';
import { loadOffers, namedEntry, namedScript, placeOf } from './offers.ts';

/** `hob menus bind`: refuses keys that start something else. */
export async function bindKeys(
  name: string,
  text: string,
  { home: flag, json }: CommonOptions,
): Promise<void> {
  const keys = acceleratorArgument(text);
  const home = homeOf(flag);
  const place = await placeOf(home);
  const { all } = await loadOffers(await ServiceClient.find(flag));
  const { script } = pickScript(all.map(namedScript), name);
  const desktop = bindableDesktop(place.session);
  if (desktop === null) throw bindYourself(script);
  const bindings = keyBindingsOf(desktop, place.session);
  const own = keyCommandOf(script, place.launch);
  const shown = acceleratorText(keys);
  const { entries, leftOut } = await readInstalledMenus(home);
  const rival = entries.find(
    ({ id, key }) => id !== script.id && key?.desktop === desktop && key.keys === shown,
  );
  if (rival !== undefined)
    throw userError(
      `${shown} already starts ${printable(rival.label)}. Choose other keys, or free them: hob menus unbind ${rival.slug}`,
      `${shown} 已用于启动 ${printable(rival.label)}。请换用其他按键，或释放它：hob menus unbind ${rival.slug}`,
    );
  const known = entries.find(({ id }) => id === script.id);
  // Its own key may have an older command.
  const isBound = known?.key?.desktop === desktop && known.key.keys === shown;
  const user = isBound ? null : await bindings.findUser(keys, own);
  if (user !== null)
    throw userError(
      `${shown} already starts something else: ${printable(user)}. Choose other keys, or free them in the settings of ${desktopTitles[desktop]}.`,
      `${shown} 已用于：${printable(user)}。请换用其他按键，或在 ${desktopTitles[desktop]} 的设置中释放它。`,
    );
  if (known !== undefined && !isBound) await unbindOrFail(known, place);
  const { id, slug, label } = script;
  const base = known ?? {
    id,
    slug,
    label,
    isInMenus: false,
    files: [],
    thunar: null,
    registry: [],
    key: null,
  };
  const others = entries.filter((entry) => entry.id !== id);
  // Recorded first, so that it can be removed even if this command is killed now.
  await writeInstalledMenus(home, {
    entries: [...others, { ...base, key: { desktop, keys: shown, command: own.command } }],
    leftOut,
  });
  await bindings.bind(keys, own);
  printAnswer({ script_id: id, slug, keys: shown, desktop }, json, () =>
    tr(
      `${shown} starts ${printable(label)} in ${desktopTitles[desktop]}.\n`,
      `在 ${desktopTitles[desktop]} 中按 ${shown} 即可启动 ${printable(label)}。\n`,
    ),
  );
}

async function unbindOrFail(entry: InstalledEntry, place: MenuPlace): Promise<void> {
  const problem = await unbindKey(entry, place);
  if (problem !== null) throw new UserError(problem);
}

function bindYourself({ slug, shortcut }: MenuScript): Error {
  const advice =
    shortcut === null
      ? tr(`a command such as: hob run ${slug}`, `命令，例如：hob run ${slug}`)
      : tr(`the launcher hob-${slug} (hob menus install)`, `启动器 hob-${slug}（hob menus install）`);
  return userError(
    `Hob can bind keys on GNOME and Xfce only. Bind them in the settings of your desktop to ${advice}`,
    `Hob 只能在 GNOME 和 Xfce 上绑定快捷键。请在桌面的设置中自行绑定${advice}`,
  );
}

/** `hob menus unbind`: works without the service and for scripts that are gone. */
export async function unbindKeys(name: string, { home: flag, json }: CommonOptions): Promise<void> {
  const home = homeOf(flag);
  const place = await placeOf(home);
  const { entries, leftOut } = await readInstalledMenus(home);
  const bound = entries.filter(({ key }) => key !== null);
  if (bound.length === 0) throw usageError('No script has a key.', '没有脚本绑定了快捷键。');
  const { entry } = pickScript(bound.map(namedEntry), name);
  await unbindOrFail(entry, place);
  const rest = entries.filter(({ id }) => id !== entry.id);
  const kept = entry.isInMenus || hasMenus(entry) ? [{ ...entry, key: null }] : [];
  await writeInstalledMenus(home, { entries: [...rest, ...kept], leftOut });
  const keys = entry.key?.keys ?? '';
  printAnswer({ script_id: entry.id, slug: entry.slug, keys }, json, () =>
    tr(
      `${keys} no longer starts ${printable(entry.label)}.\n`,
      `${keys} 不再启动 ${printable(entry.label)}。\n`,
    ),
  );
}
