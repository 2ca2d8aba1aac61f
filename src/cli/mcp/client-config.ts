import { readFile } from 'node:fs/promises';

import { errnoOf } from '../../shared/errors.ts';
import type { Json } from '../../shared/json.ts';
import { tr } from '../language.ts';
import { UserError, userError } from '../user-error.ts';
import { replaceUserFile, writeFault } from '../user-file.ts';
import { JsoncError, memberOf, parseJsonc, plainValue } from './jsonc.ts';
import { NotAnObjectError } from './jsonc-edit.ts';
import type { McpClient } from './mcp-clients.ts';

/** The name of Hob's entry in each file. */
export const entryName = 'hob';

/** How often a file that another program changes at the same time is read again. */
const mostAttempts = 5;

export interface ClientConfig {
  /** Null if the file is missing. */
  readonly text: string | null;
  /** Undefined if the file has no entry of this name. */
  readonly entry: Json | undefined;
}

export async function readConfig(client: Pick<McpClient, 'file' | 'group'>): Promise<ClientConfig> {
  const { file, group } = client;
  const text = await textOf(file);
  if (text === null || text.replace(/^\ufeff/, '').trim() === '') return { text, entry: undefined };
  return explained(file, () => {
    const root = parseJsonc(text);
    if (root.kind !== 'object') throw new NotAnObjectError(null);
    const entries = memberOf(root, group)?.value;
    if (entries !== undefined && entries.kind !== 'object') throw new NotAnObjectError(group);
    const entry = entries === undefined ? undefined : memberOf(entries, entryName);
    return { text, entry: entry === undefined ? undefined : plainValue(entry.value) };
  });
}

/**
 * Changes the file of a client. `edit` returns the new text, or null to leave the file as it is. It is called again if another program
 * has changed the file in the meantime. Returns whether the file was changed.
 */
export async function changeConfig(
  client: Pick<McpClient, 'file' | 'group'>,
  edit: (config: ClientConfig) => string | null,
): Promise<boolean> {
  const { file } = client;
  for (let attempt = 1; ; attempt++) {
    const config = await readConfig(client);
    const changed = explained(file, () => edit(config));
    if (changed === null) return false;
    const fault = await writeFault(file);
    if (fault !== null) throw new UserError(fault);
    if ((await textOf(file)) !== config.text && attempt < mostAttempts) continue;
    await replaceUserFile(file, changed).catch((error: unknown) => {
      const errno = errnoOf(error);
      if (errno === undefined) throw error;
      throw userError(`Cannot write ${file} (${errno}).`, `无法写入 ${file}（${errno}）。`);
    });
    return true;
  }
}

/** Null if the file is missing. */
async function textOf(file: string): Promise<string | null> {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(await readFile(file));
  } catch (error) {
    const errno = errnoOf(error);
    if (errno === 'ENOENT') return null;
    if (error instanceof TypeError && errno === undefined)
      throw unchanged(file, tr('it is not UTF-8', '它不是 UTF-8 文本'));
    if (errno === undefined) throw error;
    throw userError(`Cannot read ${file} (${errno}).`, `无法读取 ${file}（${errno}）。`);
  }
}

function explained<Result>(file: string, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    if (error instanceof JsoncError) {
      const { line, column } = error;
      throw unchanged(
        file,
        tr(
          `it is not valid JSON (line ${line}, column ${column})`,
          `第 ${line} 行第 ${column} 列不是有效的 JSON`,
        ),
      );
    }
    if (error instanceof NotAnObjectError)
      throw unchanged(
        file,
        error.key === null
          ? tr('it does not contain a JSON object', '其中不是 JSON 对象')
          : tr(`"${error.key}" in it is not an object`, `其中的 "${error.key}" 不是对象`),
      );
    throw error;
  }
}

function unchanged(file: string, reason: string): UserError {
  return userError(
    `${file} was not changed: ${reason}. Correct the file, then try again.`,
    `没有更改 ${file}：${reason}。请修正该文件后重试。`,
  );
}
