import type { Command } from 'commander';

import { askForPaths } from '../menus/ask-for-paths.ts';
import { startFromDesktop } from '../menus/start-from-desktop.ts';
import { homeOption, withSignature } from '../options.ts';

/** Started by launchers and by keys. */
export function configure(command: Command): void {
  withSignature(command, { '<id>': ['id of the script', '脚本的 ID'], ...homeOption }).action(
    async (id: string, { home }: { home?: string }) =>
      startFromDesktop({ home, scriptId: id, origin: 'shortcut', select: askForPaths }),
  );
}
