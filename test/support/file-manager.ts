import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import { onTestFinished } from 'vitest';

import type { Desk } from './desk.ts';
import { until } from './until.ts';

const run = promisify(execFile);
const readWindow = fileURLToPath(new URL('./read-window.py', import.meta.url));

/** A file manager, and how it describes a folder in the status bar. */
export interface FileManagerKind {
  readonly title: string;
  readonly program: string;
  /** The name that its windows have for the folder that they show. */
  readonly windowOf: (folder: string) => RegExp;
  readonly isLoaded: RegExp;
  readonly isSelected: RegExp;
}

export const thunar: FileManagerKind = {
  title: 'Thunar',
  program: 'thunar',
  windowOf: (folder) => new RegExp(`^${folder} - Thunar$`),
  isLoaded: /^\d+ (?:files?|folders?)\b/,
  isSelected: /^(?:Selection:|")/,
};

export const nemo: FileManagerKind = {
  title: 'Nemo',
  program: 'nemo',
  windowOf: (folder) => new RegExp(`^${folder}$`),
  isLoaded: /^\d+ items?,/,
  isSelected: / selected/,
};

interface Shown {
  readonly status: string | null;
  /** The context menu, if it is open. */
  readonly menu: readonly { readonly name: string; readonly selected: boolean }[] | null;
}

/** A window of a file manager with an open context menu. */
export interface ContextMenu {
  readonly entries: readonly string[];
  /** Chooses an entry with the keyboard. */
  choose(entry: string): Promise<void>;
}

/**
 * Opens a folder that contains something, selects all of it or nothing, and opens the context menu with the keyboard. The file manager
 * stops when the test ends.
 */
export async function openContextMenu(
  kind: FileManagerKind,
  folder: string,
  { desk, selects }: { desk: Desk; selects: boolean },
): Promise<ContextMenu> {
  const env = { ...process.env, ...desk.env };
  const child = spawn(kind.program, [folder], { env, cwd: folder, stdio: 'ignore' });
  onTestFinished(() => end(child));
  const read = async (): Promise<Shown> => {
    const { stdout } = await run('/usr/bin/python3', [readWindow, kind.program], { env });
    return JSON.parse(stdout);
  };
  const { id } = await desk.screen.window(kind.windowOf(basename(folder)));
  await until(`${kind.title} shows the folder`, async () => kind.isLoaded.test((await read()).status ?? ''));
  if (selects) {
    // A window that has just opened may lose keys. Selecting again changes nothing.
    await until(`${kind.title} selected the files`, async () => {
      await desk.screen.press(id, 'ctrl+a');
      return kind.isSelected.test((await read()).status ?? '');
    });
  }
  await desk.screen.press(id, 'shift+F10');
  const menu = await until(`${kind.title} shows the menu`, async () => (await read()).menu ?? undefined);
  return {
    entries: menu.map(({ name }) => name),
    async choose(entry) {
      // Each press selects the next entry, from the first.
      for (const _ of menu) {
        const before = selectedOf(await read());
        await run('xdotool', ['key', 'Down'], { env });
        const now = await until('another entry is selected', async () => {
          const selected = selectedOf(await read());
          return selected !== before && selected;
        });
        if (now === entry) return void (await run('xdotool', ['key', 'Return'], { env }));
      }
      throw new Error(`${entry} cannot be selected`);
    },
  };
}

function selectedOf({ menu }: Shown): string | undefined {
  return menu?.find(({ selected }) => selected)?.name;
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
}
