import { existsSync } from 'node:fs';
import { resolve } from 'node:path';

import type { InstalledPackage, PackageList, ScriptList } from '../contract/types.ts';
import { exactMatches, guessScript, type KnownScript, UnknownScriptError } from './find-script.ts';
import { tr } from './language.ts';
import type { ServiceClient } from './service-client.ts';
import { printable } from './terminal/text.ts';
import { UserError, usageError, userError } from './user-error.ts';

/** An installed package, with the fields by which a script is found. */
export type Installed = InstalledPackage & KnownScript;

export async function listInstalled(client: ServiceClient): Promise<Installed[]> {
  const { items } = await client.get<PackageList>('/api/packages');
  return items.map((item) => ({ ...item, id: item.script_id }));
}

/** Finds an installed package by its slug, name or id. For a script in a folder of the user, the error says that it is not installed. */
export async function pickInstalled(client: ServiceClient, wanted: string): Promise<Installed> {
  const { scripts } = await client.get<ScriptList>('/api/scripts');
  const slugs = new Map(scripts.map(({ id, slug }) => [id, slug]));
  const installed = (await listInstalled(client)).map((each) => {
    const slug = slugs.get(each.id);
    return slug === undefined ? each : { ...each, slug };
  });
  try {
    return guessScript(installed, wanted);
  } catch (error) {
    if (!(error instanceof UnknownScriptError)) throw error;
    refuseUserScript(scripts, wanted);
    const shown = printable(wanted);
    const advice =
      installed.length === 0
        ? tr('No scripts are installed.', '还没有安装任何脚本。')
        : tr('To list installed scripts: hob packages', '用 hob packages 可列出已安装的脚本。');
    throw userError(
      `No installed script matches "${shown}". ${advice}`,
      `已安装的脚本中没有匹配 “${shown}” 的。${advice}`,
    );
  }
}

/** Throws if the name belongs to a script in a folder of the user, which Hob does not change or remove. */
function refuseUserScript(scripts: ScriptList['scripts'], wanted: string): void {
  const [own] = exactMatches(scripts, wanted);
  if (own === undefined) return;
  const [name, folder] = [printable(own.name), printable(own.folder)];
  throw userError(
    `${name} is not an installed script, but a script in your own folder ${folder}. To remove it, delete the folder.`,
    `${name} 不是安装的脚本，而是您自己的文件夹中的脚本：${folder}。如需移除，请删除该文件夹。`,
  );
}

/** `https://…`, `git@host:path` and `host:path.git`; a single letter before the colon is a Windows drive. */
const address = /^(?:[a-z][a-z0-9+.-]*:\/\/|[^\s/\\:]+@[^\s/\\:]+:|[\w-][\w.-]+:(?!\\)[^\s]*\.git(?:#|$))/i;

/** The source for the service. URLs stay as they are; paths become absolute, because the service has another working directory. */
export async function sourceArgument(text: string, base: string = process.cwd()): Promise<string> {
  if (text.trim() === '')
    throw usageError(
      'Specify what to install: a folder, an archive or a git URL.',
      '请指明要安装什么：文件夹、压缩包或 git 地址。',
    );
  const path = resolve(base, text);
  if (existsSync(path)) return path;
  if (address.test(text)) return text;
  // A local repository with a branch.
  const withoutRef = /^(.+)#[^#]+$/.exec(path)?.[1];
  if (withoutRef !== undefined && existsSync(withoutRef)) return path;
  const hint = /^[\w-]+(?:\.[\w-]+)+\/[\w.-]+\/[\w.-]+$/.test(text)
    ? tr(
        `\nThe URL of a git repository begins with https:// or git@: https://${text}`,
        `\ngit 仓库的地址以 https:// 或 git@ 开头：https://${text}`,
      )
    : '';
  throw new UserError(tr(`${path} does not exist.`, `${path} 不存在。`) + hint);
}
