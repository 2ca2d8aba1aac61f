import { access } from 'node:fs/promises';
import { resolve } from 'node:path';
import { tr } from './language.ts';
import { UserError, usageError } from './user-error.ts';

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
  if (await exists(path)) return path;
  if (address.test(text)) return text;
  // A local repository with a branch.
  const withoutRef = /^(.+)#[^#]+$/.exec(path)?.[1];
  if (withoutRef !== undefined && (await exists(withoutRef))) return path;
  const hint = /^[\w-]+(?:\.[\w-]+)+\/[\w.-]+\/[\w.-]+$/.test(text)
    ? tr(
        `\nThe URL of a git repository begins with https:// or git@: https://${text}`,
        `\ngit 仓库的地址以 https:// 或 git@ 开头：https://${text}`,
      )
    : '';
  throw new UserError(tr(`${path} does not exist.`, `${path} 不存在。`) + hint);
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
