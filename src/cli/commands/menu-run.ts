import type { Command } from 'commander';

import { desktopSession } from '../../settings/desktop-session.ts';
import { selectionVariables, type VariableSource } from '../menus/menu-script.ts';
import { selectPaths } from '../menus/select-paths.ts';
import { startFromDesktop } from '../menus/start-from-desktop.ts';
import { homeOption, withSignature } from '../options.ts';

/** Started by the entries in menus. */
export function configure(command: Command): void {
  withSignature(command, {
    '<id>': ['id of the script', '脚本的 ID'],
    '[paths...]': ['selected files and folders, as paths or URIs', '选中的文件和文件夹，路径或 URI'],
    '--from <manager>': [
      'read the selection from the variables of this file manager',
      '从该文件管理器的变量中读取选中的内容',
      { choices: Object.keys(selectionVariables) },
    ],
    ...homeOption,
  }).action(async (id: string, paths: string[], { from, home }: { from?: VariableSource; home?: string }) => {
    const given = from === undefined ? paths : selectionOf(from, desktopSession().environment);
    const select = (script: Parameters<typeof selectPaths>[0]) => selectPaths(script, given);
    await startFromDesktop({ home, scriptId: id, origin: 'menu', select });
  });
}

/** The selected files, or the folder that is open if nothing is selected. */
function selectionOf(from: VariableSource, environment: Readonly<Record<string, string>>): string[] {
  const prefix = selectionVariables[from];
  const linesOf = (name: string) => (environment[`${prefix}_${name}`] ?? '').split('\n').filter(Boolean);
  // A name can contain a line break, and an URI cannot.
  const selected = linesOf('SELECTED_URIS');
  return selected.length > 0 ? selected : linesOf('CURRENT_URI');
}
