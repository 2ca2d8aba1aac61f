import type { Command } from 'commander';

import { pickScript } from '../find-script.ts';
import { homeOf } from '../find-service.ts';
import { tr } from '../language.ts';
import type { Placement } from '../menus/entry-plan.ts';
import { type InstalledEntry, readInstalledMenus } from '../menus/installed-menus.ts';
import type { MenuScript } from '../menus/menu-script.ts';
import { hasMenus, removeMenus, setMenus } from '../menus/menus.ts';
import {
  type CommonOptions,
  exitCodesText,
  helpText,
  homeOption,
  plainJsonOption,
  scriptMeaning,
  withSignature,
} from '../options.ts';
import { ServiceClient } from '../service-client.ts';
import { printJson } from '../terminal/print.ts';
import { printable } from '../terminal/text.ts';
import { ReportedError, userError } from '../user-error.ts';
import { describeInstallation, describeRemoval } from './menus/describe-installation.ts';
import { bindKeys, unbindKeys } from './menus/keys.ts';
import { loadOffers, namedEntry, namedScript, placeOf } from './menus/offers.ts';
import { showStatus } from './menus/status.ts';

export function configure(command: Command): void {
  command.helpCommand(false).addHelpText('after', explanation + exitCodesText);
  const options = { ...homeOption, ...plainJsonOption };

  withSignature(command.command('install'), { '[script...]': scriptMeaning, ...options })
    .description(
      tr(
        'add scripts to the menus of file managers, or update their entries',
        '把脚本添加到文件管理器的菜单中，或更新已有条目',
      ),
    )
    .action(installMenus);

  withSignature(command.command('remove'), { '[script...]': scriptMeaning, ...options })
    .description(tr('remove the entries of these scripts, or of all', '移除这些脚本或所有脚本的条目'))
    .action(removeEntries);

  withSignature(command.command('status'), options)
    .description(tr('list the entries, and what has changed since', '列出条目以及此后的变化'))
    .action(showStatus);

  withSignature(command.command('bind'), {
    '<script>': scriptMeaning,
    '<keys>': ['keys, such as <Super>r or Ctrl+Alt+R', '按键，例如 <Super>r 或 Ctrl+Alt+R'],
    ...options,
  })
    .description(tr('start a script with a key (GNOME and Xfce)', '用快捷键启动脚本（GNOME 和 Xfce）'))
    .action(bindKeys);

  withSignature(command.command('unbind'), { '<script>': scriptMeaning, ...options })
    .description(tr('remove the key of a script', '取消脚本的快捷键'))
    .action(unbindKeys);
}

const explanation = helpText(
  [
    'hob menus install',
    'hob menus install "Resize images"',
    'hob menus status',
    'hob menus bind resize "<Super>r"',
    'hob menus remove',
  ],
  `Without names, install adds your own scripts whose manifests offer an entry. A package gets an entry only if you name it. Supports
Nautilus, Nemo and Thunar, if they are installed; Caja and Dolphin are untried. A script with a shortcut also gets a launcher.

Thunar does not distinguish a folder from the empty space inside it: it shows the entries of both. It can pass about 2,000 files at once,
and reports an error if there are more. For these, use hob run.
`,
  `不带名称时，install 会添加您自己的、在清单中提供菜单条目的脚本；安装的脚本包只有在指明名称时才会添加。支持已安装的 Nautilus、Nemo 和
Thunar；Caja 和 Dolphin 尚未试用。带有快捷方式的脚本还会得到一个启动器。

Thunar 不区分文件夹和文件夹内的空白处，两种条目都会显示。它一次最多能传递约 2000 个文件，超出时会报错，此时请使用 hob run。
`,
);

/** `hob menus install`: the user's own scripts and the entries there are already, or also the named scripts. */
async function installMenus(names: string[], { home: flag, json }: CommonOptions): Promise<void> {
  const home = homeOf(flag);
  const place = await placeOf(home);
  const { all, offering, packages } = await loadOffers(await ServiceClient.find(flag));
  const { entries, leftOut } = await readInstalledMenus(home);
  const named = names.map((name) => pickScript(all.map(namedScript), name).script);
  for (const script of named) if (!offering.includes(script)) throw offersNothing(script);
  const isInstalled = ({ id }: MenuScript) => entries.some((entry) => entry.id === id && entry.isInMenus);
  const isWanted = (script: MenuScript) => {
    if (named.includes(script) || isInstalled(script)) return true;
    return names.length === 0 && !packages.has(script.id) && !leftOut.includes(script.id);
  };
  const wanted = offering.filter(isWanted);
  const stillLeftOut = leftOut.filter((id) => !wanted.some((script) => script.id === id));
  const { placements, problems } = await setMenus(wanted, stillLeftOut, place);
  const others = offering.filter((script) => !wanted.includes(script));
  const now = await readInstalledMenus(home);
  const isLeft = (id: string) => now.entries.some((entry) => entry.id === id && hasMenus(entry));
  const removed = entries.filter((entry) => hasMenus(entry) && !isLeft(entry.id));
  if (json === true)
    printJson({
      installed: placements.filter(isWritten).map(installedJson),
      removed: removed.map(entryName),
      offered: others.map(slugAndName),
      problems,
    });
  else {
    process.stdout.write(describeInstallation(placements, { others, packages, place }));
    if (removed.length > 0) process.stdout.write(describeRemoval(removed));
  }
  report(problems);
}

function isWritten({ managers, hasLauncher }: Placement): boolean {
  return managers.length > 0 || hasLauncher;
}

function installedJson({ script, managers, hasLauncher }: Placement) {
  return { ...slugAndName(script), file_managers: managers, has_launcher: hasLauncher };
}

function slugAndName({ id, slug, name }: MenuScript) {
  return { script_id: id, slug, name };
}

function offersNothing({ label, slug }: MenuScript): Error {
  return userError(
    `${label} (${slug}) offers no menu entry and no shortcut. Its manifest can, with [service.triggers.context_menu] or [service.triggers.shortcut].`,
    `${label}（${slug}）没有提供菜单条目或快捷方式。可在清单中用 [service.triggers.context_menu] 或 [service.triggers.shortcut] 提供。`,
  );
}

function report(problems: readonly string[]): void {
  if (problems.length === 0) return;
  for (const problem of problems) process.stderr.write(`hob: ${printable(problem)}\n`);
  throw new ReportedError();
}

/** `hob menus remove`: works without the service and for scripts that are gone. */
async function removeEntries(names: string[], { home: flag, json }: CommonOptions): Promise<void> {
  const home = homeOf(flag);
  const place = await placeOf(home);
  const { entries, leftOut } = await readInstalledMenus(home);
  const gone =
    names.length === 0 ? entries : names.map((name) => pickScript(entries.map(namedEntry), name).entry);
  // After the removal of all entries, the next `hob menus install` adds all scripts again.
  const nowLeftOut = names.length === 0 ? [] : [...new Set([...leftOut, ...gone.map(({ id }) => id)])];
  const { left, problems } = await removeMenus(gone, nowLeftOut, place);
  const removed = gone.filter(({ id }) => !left.some((entry) => entry.id === id));
  if (json === true) printJson({ removed: removed.map(entryName), problems });
  else if (removed.length > 0) process.stdout.write(describeRemoval(removed));
  else if (gone.length === 0)
    process.stdout.write(tr('Hob has no entries in menus.\n', '菜单中没有 Hob 的条目。\n'));
  report(problems);
}

function entryName({ id, slug, label }: InstalledEntry) {
  return { script_id: id, slug, name: label };
}
