import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import type { Script } from '../../contract/types.ts';

/** A script that offers an entry for a menu or a shortcut. */
export interface MenuScript {
  readonly id: string;
  readonly slug: string;
  readonly name: string;
  /** The name in one line, as a menu shows it. Different for each script. */
  readonly label: string;
  readonly description: string | null;
  /** The path of its icon; null if it has none. */
  readonly icon: string | null;
  /** Whether its input takes one value, so that only a single file can be passed. */
  readonly takesOne: boolean;
  readonly menu: Script['context_menu'];
  readonly shortcut: Script['shortcut'];
}

export function menuScriptsOf(scripts: readonly Script[]): MenuScript[] {
  const all = scripts.map(menuScriptOf);
  const count = new Map<string, number>();
  for (const { label } of all) count.set(label, (count.get(label) ?? 0) + 1);
  return all.map((script) => {
    const isShared = (count.get(script.label) ?? 0) > 1;
    return isShared ? { ...script, label: `${script.label} (${script.slug})` } : script;
  });
}

type OfferingScript = Pick<
  Script,
  'id' | 'slug' | 'name' | 'desc' | 'icon' | 'folder' | 'input' | 'context_menu' | 'shortcut'
>;

export function menuScriptOf(script: OfferingScript): MenuScript {
  const { id, slug, name, desc, folder, input, context_menu, shortcut } = script;
  const icon = script.icon === null ? null : join(folder, script.icon);
  return {
    id,
    slug,
    name,
    label: oneLine(name) || slug,
    description: desc === null ? null : oneLine(desc),
    icon: icon === null || hasControls(icon) ? null : icon,
    takesOne: input?.type === 'str',
    menu: context_menu === null ? null : usableMenu(context_menu),
    shortcut,
  };
}

/** The menu without the filters that no file manager can store. */
function usableMenu({ targets, filters }: NonNullable<MenuScript['menu']>): MenuScript['menu'] {
  const usable = filters.filter((filter) => !hasControls(filter));
  // Without filters, the entry would appear on all files.
  const isForFiles = usable.length > 0 || filters.length === 0;
  const shown = targets.filter((target) => target !== 'files' || isForFiles);
  return shown.length === 0 ? null : { targets: shown, filters: usable };
}

const controls = /[\p{Cc}\p{Zl}\p{Zp}\ufffe\uffff]+/gu;

function hasControls(text: string): boolean {
  return text.search(controls) >= 0;
}

/** The text without line breaks and other control characters, which no menu shows and most formats cannot contain. */
export function oneLine(text: string): string {
  return text.replace(controls, ' ').trim();
}

/** How an entry starts Hob: with absolute paths, because a file manager may have a shorter PATH than the shell. */
export interface Launch {
  readonly node: string;
  /** The `hob` script. */
  readonly command: string;
  readonly home: string;
}

export function launchOf(home: string): Launch {
  return {
    node: process.execPath,
    // The same relative path works from src and from the build output.
    command: fileURLToPath(new URL('../../../bin/hob.js', import.meta.url)),
    home,
  };
}

/** The file managers that pass the selection in variables. */
export const selectionVariables = { nautilus: 'NAUTILUS_SCRIPT', caja: 'CAJA_SCRIPT' } as const;
export type VariableSource = keyof typeof selectionVariables;

/** The words of the command that starts a script from a menu. The paths follow. */
export function menuRunWords(
  { node, command, home }: Launch,
  scriptId: string,
  from?: VariableSource,
): string[] {
  const source = from === undefined ? [] : ['--from', from];
  return [node, command, 'menu-run', '--home', home, ...source, scriptId, '--'];
}

export function shortcutRunWords({ node, command, home }: Launch, scriptId: string): string[] {
  return [node, command, 'shortcut-run', '--home', home, scriptId];
}

/** The comment in each file of Hob. It names the script and the home, because several homes may add entries. */
export function markOf({ home }: Launch, scriptId: string): string {
  return `# Entry of Hob for the script ${scriptId}, home ${JSON.stringify(home)}. To remove it: hob menus remove`;
}

/** The id of the script whose entry a file of this home is; null for other files. */
export function markedScript(text: string, launch: Launch): string | null {
  for (const line of text.split('\n')) {
    const [, id] = /^# Entry of Hob for the script (\S+), /.exec(line) ?? [];
    if (id !== undefined && line === markOf(launch, id)) return id;
  }
  return null;
}

/** A file that Hob adds for a script. */
export interface EntryFile {
  readonly path: string;
  readonly text: string;
  /** Whether the file must be executable. */
  readonly isProgram: boolean;
}
