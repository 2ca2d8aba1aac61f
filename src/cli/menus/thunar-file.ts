import { createHash } from 'node:crypto';
import { constants, copyFile, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';

import type { DesktopSession } from '../../settings/desktop-session.ts';
import { errnoOf } from '../../shared/errors.ts';
import { tr } from '../language.ts';
import { replaceUserFile, writeFault } from '../user-file.ts';
import type { Launch } from './menu-script.ts';
import { BrokenActionsError, mergeActions, type ThunarAction } from './thunar-actions.ts';

/** The file in which Thunar keeps the custom actions of the user. */
export function actionsFile({ configHome }: DesktopSession): string {
  return join(configHome, 'Thunar', 'uca.xml');
}

/** Ids of actions begin with it. It depends on the home, because several homes may add actions to one file. */
export function actionPrefix({ home }: Launch): string {
  return `hob-${createHash('sha256').update(home).digest('hex').slice(0, 8)}-`;
}

/** The beginning of the ids of all homes. */
const anyPrefix = /<unique-id>\s*hob-[\da-f]{8}-/;

/** A file without actions. */
const noActions = '<?xml version="1.0" encoding="UTF-8"?>\n<actions>\n</actions>\n';

/**
 * The text of the user's file. If there is none, the text of the system's file: Thunar reads only one of both, so a new file must
 * contain the actions of the system.
 */
export async function readActionsFile(file: string, { configDirs }: DesktopSession): Promise<string> {
  const own = await textOf(file);
  return own ?? (await systemText(configDirs));
}

async function systemText(configDirs: readonly string[]): Promise<string> {
  for (const folder of configDirs) {
    const text = await textOf(join(folder, 'Thunar', 'uca.xml'));
    if (text !== null) return text;
  }
  return noActions;
}

/** Null if the file is missing. */
async function textOf(path: string): Promise<string | null> {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(await readFile(path));
  } catch (error) {
    const errno = errnoOf(error);
    if (errno === 'ENOENT' || errno === 'ENOTDIR') return null;
    // Not UTF-8.
    if (error instanceof TypeError) throw new BrokenActionsError();
    throw error;
  }
}

/**
 * Sets the actions of a home in the file of the user, and returns a problem that prevented it. A file that is not as Thunar writes it
 * stays untouched.
 */
export async function writeActions(
  file: string,
  prefix: string,
  wanted: readonly ThunarAction[],
  session: DesktopSession,
): Promise<string | null> {
  try {
    const before = await textOf(file);
    if (before === null && wanted.length === 0) return null;
    const base = before ?? (await systemText(session.configDirs));
    const after = mergeActions(base, prefix, wanted);
    if (after === before) return null;
    const fault = await writeFault(file);
    if (fault !== null) return fault;
    const original = originalOf(file);
    const isRestored = (await textOf(original)) === after;
    // Without actions of Hob, a file that equals the one of the system is not needed. The file of the system may be newer soon.
    if (wanted.length === 0 && !isRestored && after === (await systemText(session.configDirs)))
      await rm(file, { force: true });
    else {
      if (before !== null && !anyPrefix.test(before)) await keepOriginal(file);
      await replaceUserFile(file, after);
    }
    if (wanted.length === 0 && isRestored) await rm(original, { force: true });
    return null;
  } catch (error) {
    if (error instanceof BrokenActionsError)
      return tr(
        `${file} was not changed, because it is not valid XML with the root <actions>. Correct or remove it, then try again.`,
        `没有更改 ${file}：它不是以 <actions> 为根元素的有效 XML。请修正或删除它后重试。`,
      );
    const errno = errnoOf(error);
    if (errno === undefined) throw error;
    return tr(`Cannot write ${file} (${errno}).`, `无法写入 ${file}（${errno}）。`);
  }
}

/** The copy of the user's file from before Hob changed it for the first time. */
function originalOf(file: string): string {
  return `${file}.before-hob`;
}

async function keepOriginal(file: string): Promise<void> {
  await copyFile(file, originalOf(file), constants.COPYFILE_EXCL).catch((error: unknown) => {
    if (errnoOf(error) !== 'EEXIST') throw error;
  });
}
