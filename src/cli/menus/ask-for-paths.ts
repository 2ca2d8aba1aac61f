import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';

import type { ScriptDetail } from '../../contract/types.ts';
import { desktopSession } from '../../settings/desktop-session.ts';
import { findOnPath } from '../../shared/find-program.ts';
import { longestTimerMs } from '../../shared/longest-timer.ts';
import { openOnDesktop } from '../../shared/open-on-desktop.ts';
import { runLongCommand } from '../../shared/run-command.ts';
import type { ServiceClient } from '../service-client.ts';
import { userError } from '../user-error.ts';
import { oneLine } from './menu-script.ts';
import type { Selection } from './start-from-desktop.ts';

/** A question to the user. */
export interface Question {
  readonly title: string;
  readonly what: 'files' | 'folders';
  /** Extensions with a dot; empty: all files. */
  readonly filters: readonly string[];
  readonly isSingle: boolean;
}

/** Separates the paths in the output. It is not part of any usual name, unlike a line break or a bar. */
const separator = '\u001f';

/** The programs that show a file chooser, in the order of preference, with their arguments. */
const choosers: Readonly<
  Record<string, { readonly args: (question: Question) => string[]; readonly separator: string }>
> = {
  zenity: { args: zenityArgs, separator },
  kdialog: { args: kdialogArgs, separator: '\n' },
  yad: { args: (question) => ['--file', ...zenityArgs(question).slice(1)], separator },
};

/** Asks for the files or folders that the shortcut of the script wants. Without a file chooser, opens its page in the console. */
export async function askForPaths(script: ScriptDetail, client: ServiceClient): Promise<Selection> {
  const { name, shortcut, input } = script;
  const what = shortcut?.asks_for ?? null;
  if (what === null) return { paths: [], remark: null };
  const question: Question = {
    title: oneLine(name),
    what,
    filters: what === 'files' ? (shortcut?.filters ?? []) : [],
    isSingle: input?.type === 'str',
  };
  const { environment } = desktopSession();
  for (const [program, chooser] of Object.entries(choosers)) {
    const path = await findOnPath(program, environment);
    if (path === null) continue;
    let output = '';
    const { ok, failure } = await runLongCommand(path, chooser.args(question), {
      timeoutMs: longestTimerMs,
      signal: new AbortController().signal,
      onOutput: async (stdout: Readable) => {
        output = await text(stdout);
      },
    });
    const paths = output.replace(/\n$/, '').split(chooser.separator).filter(Boolean);
    if (ok && paths.length > 0) return { paths, remark: null };
    // The user closed the window.
    if (ok || failure === 'exit code 1') return { paths: null, remark: null };
    throw userError(
      `Cannot ask for ${what}: ${program} failed (${failure}).`,
      `无法询问要处理的内容：${program} 失败（${failure}）。`,
    );
  }
  return openConsolePage(script, client);
}

function zenityArgs({ title, what, filters, isSingle }: Question): string[] {
  const patterns = filters.flatMap((filter) => [`*${filter}`, `*${filter.toUpperCase()}`]);
  return [
    '--file-selection',
    `--title=${title}`,
    ...(isSingle ? [] : ['--multiple']),
    `--separator=${separator}`,
    ...(what === 'folders' ? ['--directory'] : []),
    ...(patterns.length === 0 ? [] : [`--file-filter=${[...new Set(patterns)].join(' ')}`]),
  ];
}

function kdialogArgs({ title, what, filters, isSingle }: Question): string[] {
  const named = ['--title', title];
  // It asks for a single folder only.
  if (what === 'folders') return [...named, '--getexistingdirectory', '.'];
  const patterns = filters.map((filter) => `*${filter}`).join(' ');
  const many = isSingle ? [] : ['--multiple', '--separate-output'];
  return [...named, ...many, '--getopenfilename', '.', ...(patterns === '' ? [] : [patterns])];
}

async function openConsolePage({ id, slug }: ScriptDetail, { url }: ServiceClient): Promise<Selection> {
  const failure = await openOnDesktop('page', `${url}/scripts/${id}`, { platform: process.platform });
  if (failure === null) return { paths: null, remark: null };
  throw userError(
    `Cannot ask for files: install zenity (or kdialog), or run it in a terminal: hob run ${slug}`,
    `无法询问要处理的文件：请安装 zenity（或 kdialog），或在终端中运行：hob run ${slug}`,
  );
}
